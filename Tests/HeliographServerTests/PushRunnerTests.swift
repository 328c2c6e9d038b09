import ChannelAPNs
import Foundation
import PushAPNs
import PushPlanner
import PushWeb
import RelayCore
import RelayProtocol
import Synchronization
import Testing
import WebSocketEngine

@testable import HeliographServer

/// Stands for Apple: keeps what comes until the test answers it.
private final class FakeSender: PushSender {
    private let waiting = Mutex<[(APNsRequest, @Sendable (APNsOutcome) -> Void)]>([])
    private let held = Mutex(false)

    /// What it has waits for a way, and is not under way.
    var isStalled: Bool {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }

    var requests: [APNsRequest] { waiting.withLock { $0.map { $0.0 } } }

    func submit(_ request: APNsRequest, then completion: @escaping @Sendable (APNsOutcome) -> Void) {
        waiting.withLock { $0.append((request, completion)) }
    }

    func answer(_ result: APNsOutcome.Result = .accepted(APNsAcceptance(status: 200))) {
        for (request, completion) in waiting.withLock({ waiting in
            defer { waiting = [] }
            return waiting
        }) {
            completion(APNsOutcome(result: result, environment: request.environment, attempts: 1))
        }
    }

    func lanes() async -> [APNsLaneState] { [] }
    func giveBack() { if isStalled { answer(.notSent(.replaced)) } }
    func stop() { answer(.notSent(.stopped)) }
}

/// A runner on a loop, with a fake Apple for each configuration that it was given.
private final class Rig: Sendable {
    let folder: Folder
    let loop: TestLoop
    let registry = PrometheusRegistry()
    private let bound: LoopBound<(runner: PushRunner, mailbox: CoreMailbox)>
    private let made: Shared<FakeSender>
    private let heard = Shared<String>()
    private let changes = Shared<String>()

    static let configuration =
        #"{"teams":[{"team":"ABCDE12345","key":"KEYID12345","file":"k.p8","bundles":["org.heliograph.app"]}]}"#

    init(configuration: String? = Rig.configuration) async throws {
        let (folder, loop, registry) = (try Folder(), try await TestLoop.start(), registry)
        if let configuration { try folder.write("push.json", configuration) }
        let made = Shared<FakeSender>()
        bound = try await loop.make { loop in
            let mailbox = CoreMailbox(of: loop)
            let web = WebPushes(
                WebPushIdentity(directory: folder.path, contact: "mailto:ada@example.com", publicURL: nil),
                services: WebPushServices(), logger: silent)
            let runner = try PushRunner(
                directory: folder.path, codes: PushCodes(directory: folder.path, epoch: epoch, logger: silent), epoch: epoch,
                web: web, loop: loop, mailbox: mailbox, measures: PushMeasures(factory: registry), logger: silent
            ) { _ in
                let sender = FakeSender()
                made.append(sender)
                return sender
            }
            return (runner, mailbox)
        }
        (self.folder, self.loop, self.made) = (folder, loop, made)
    }

    var senders: [FakeSender] { made.values }
    var outcomes: [String] { heard.values }
    var wayChanges: Int { changes.values.count }

    func run<Value: Sendable>(_ body: @escaping @Sendable (PushRunner) throws -> Value) async throws -> Value {
        let bound = bound
        let value = try await loop.run { _ in try body(bound.value.runner) }
        try await listen()
        return value
    }

    func push(_ orders: PushIntent...) async throws { try await run { runner in for order in orders { runner.push(order) } } }

    func answer(_ sender: Int = 0, _ result: APNsOutcome.Result = .accepted(APNsAcceptance(status: 200))) async throws {
        senders[sender].answer(result)
        try await listen()
    }

    /// What the core would hear by now.
    private func listen() async throws {
        try await loop.settle()
        let bound = bound
        for fact in try await loop.run({ _ in bound.value.mailbox.take() }) {
            switch fact {
            case .pushWayChanged: changes.append("changed")
            case .pushAnswered(let push, let outcome):
                heard.append("\(push.rawValue) \(outcome.word) \(outcome.text ?? "")")
            default: Issue.record("pushes tell the core nothing else")
            }
        }
    }
}

private final class Shared<Value: Sendable>: Sendable {
    private let list = Mutex<[Value]>([])
    var values: [Value] { list.withLock { $0 } }
    func append(_ value: Value) { list.withLock { $0.append(value) } }
}

@Suite struct PushRunnerTests {
    @Test func `an order goes to Apple, and its answer to the core`() async throws {
        let rig = try await Rig()
        try await rig.push(order(1), order(2))
        #expect(rig.senders[0].requests.map(\.teamID) == ["ABCDE12345", "ABCDE12345"])
        #expect(rig.outcomes.isEmpty)
        #expect(try await !rig.run { $0.isIdle })
        try await rig.answer()
        #expect(rig.outcomes == ["1 accepted ", "2 accepted "])
        #expect(try await rig.run { $0.isIdle })
    }

    @Test func `where nobody has set it up the answer says so, and not before the core is done`() async throws {
        let rig = try await Rig(configuration: nil)
        let during = try await rig.run { runner in
            runner.push(order(1))
            return rig.outcomes
        }
        #expect(during.isEmpty, "an answer from within an order would come back into a core that is giving orders")
        #expect(rig.outcomes == ["1 notSent \(PushRunner.notSetUp)"])
        #expect(rig.senders.isEmpty)
    }

    @Test func `what cannot be sent is answered at once`() async throws {
        let rig = try await Rig()
        try await rig.push(order(1, bundle: "org.other.app"), order(2, worthUntil: 5))
        #expect(rig.outcomes.count == 2)
        #expect(rig.outcomes.first?.contains("no APNs key is set up for org.other.app") == true)
        #expect(rig.outcomes.last?.contains("not worth sending") == true)
        #expect(rig.senders[0].requests.isEmpty)
    }

    @Test func `a configuration that cannot be used stops the start`() async throws {
        await #expect(throws: ServerError.self) { _ = try await Rig(configuration: #"{"teams":[{}]}"#) }
    }

    @Test func `a changed configuration is taken up with the next push, and the old client ends what it began`() async throws {
        let rig = try await Rig()
        try await rig.push(order(1))
        try rig.folder.write("push.json", Rig.configuration.replacing("KEYID12345", with: "KEYID67890"))
        try await rig.push(order(2))
        #expect(rig.senders.count == 2)
        #expect(rig.senders.map { $0.requests.count } == [1, 1])
        try await rig.answer(1)
        try await rig.answer(0)
        #expect(rig.outcomes == ["2 accepted ", "1 accepted "])

        try rig.folder.write("push.json", "{")
        try await rig.push(order(3))
        #expect(rig.senders.count == 2 && rig.senders[1].requests.count == 1, "a mistake in the file changes nothing")
        let status = try JSONDocument(parsing: await rig.status()).root
        #expect(try status.string("trouble").contains("push.json, byte 1") == true)

        try FileManager.default.removeItem(atPath: rig.folder.path + "/push.json")
        try await rig.push(order(4))
        #expect(rig.outcomes.last == "4 notSent \(PushRunner.notSetUp)")
    }

    @Test func `what a wrong host held up is sent by the client that the mended file makes, and the core hears of it`()
        async throws
    {
        let rig = try await Rig()
        rig.senders[0].isStalled = true
        try await rig.push(order(1))
        try rig.folder.write("push.json", Rig.configuration.replacing("KEYID12345", with: "KEYID67890"))
        try await rig.run { $0.look() }
        #expect(rig.senders.map { $0.requests.count } == [0, 1])
        #expect(rig.outcomes.isEmpty && rig.wayChanges == 1)
        try await rig.answer(1)
        #expect(rig.outcomes == ["1 accepted "])
        #expect(try await rig.run { $0.isIdle })
    }

    @Test func `a push on its way is not sent again by the relay's next life, which gets its answer`() async throws {
        let rig = try await Rig()
        try await rig.push(order(1))
        try await rig.run { runner in
            runner.suspend()
            runner.resume()
            runner.push(order(1))
        }
        #expect(rig.senders[0].requests.count == 1)
        try await rig.answer()
        #expect(rig.outcomes == ["1 accepted "])
    }

    @Test func `an answer that came between two lives is for the one that asks again`() async throws {
        let rig = try await Rig()
        try await rig.push(order(1), order(2))
        try await rig.run { $0.suspend() }
        try await rig.answer()
        #expect(rig.outcomes.isEmpty)
        try await rig.run { runner in
            runner.resume()
            runner.push(order(1))
        }
        #expect(rig.outcomes == ["1 accepted "])
        #expect(rig.senders[0].requests.isEmpty)
        // Nobody asked for the other one again: it is forgotten, and a push of that number is a new one.
        try await rig.run { runner in
            runner.suspend()
            runner.resume()
            runner.push(order(2))
        }
        #expect(rig.senders[0].requests.count == 1)
    }

    @Test func `an answer for an earlier life is not told to a life that did not ask`() async throws {
        let rig = try await Rig()
        try await rig.push(order(1))
        try await rig.run { runner in
            runner.suspend()
            runner.resume()
        }
        try await rig.answer()
        #expect(rig.outcomes.isEmpty)
    }

    @Test func `what became of pushes is counted and can be looked at`() async throws {
        let rig = try await Rig()
        try await rig.push(order(1), order(2))
        try await rig.answer(0, .refused(status: 410, .unregistered, text: "Unregistered", .dropToken))
        try await rig.push(order(3))
        let text = rig.registry.exposition
        #expect(text.contains(#"heliograph_pushes_planned_total{purpose="alert"} 3.0"#))
        #expect(text.contains(#"heliograph_pushes_answered_total{purpose="alert",result="refused"} 2.0"#))
        #expect(text.contains("# TYPE heliograph_push_seconds histogram"))
        #expect(text.contains(#"heliograph_push_seconds_bucket{purpose="alert",le="+Inf"} 2"#))
        #expect(text.contains(#"heliograph_push_seconds_count{purpose="alert"} 2"#))
        let status = try await rig.status()
        let root = try JSONDocument(parsing: status).root
        #expect(try root.integer("flying") == 1)
        #expect(try root.array("outcomes").map { try $0.integer("push") } == [2, 1])
        #expect(root.optional("trouble") == nil)
        let lines = try PushStatus.lines(status)
        #expect(lines.first == "team ABCDE12345, key KEYID12345, production and sandbox: org.heliograph.app")
        #expect(lines.last?.hasSuffix("alert to d1: refused: Unregistered") == true)
    }
}

extension Rig {
    func status() async throws -> [UInt8] {
        let answers = Shared<[UInt8]>()
        try await run { runner in runner.status { answers.append($0) } }
        // The lanes are looked at on a thread of their own.
        while answers.values.isEmpty { try await loop.settle() }
        return answers.values[0]
    }
}
