import ChannelAPNs
import Dispatch
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
final class FakeApple: PushSender {
    private let waiting = Mutex<[(APNsRequest, @Sendable (APNsOutcome) -> Void)]>([])
    private let held = Mutex(false)

    /// True if its requests wait for a connection, and none is in flight.
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
    func withdraw(_ id: String) {
        let taken = waiting.withLock { waiting in
            defer { waiting.removeAll { $0.0.id == id } }
            return waiting.filter { $0.0.id == id }
        }
        for (request, completion) in taken {
            completion(APNsOutcome(result: .notSent(.withdrawn), environment: request.environment, attempts: 0))
        }
    }

    func giveBack() { if isStalled { answer(.notSent(.replaced)) } }
    func stop() { answer(.notSent(.stopped)) }
}

/// Says of addresses what the test has it say.
final class FakeAddresses: AddressStore {
    private let state = Mutex<(moved: Set<String>, isAway: Bool, asked: [[String]])>(([], false, []))
    private let gate = DispatchSemaphore(value: 0)
    private let isGated: Bool

    /// `isGated`: each question waits until it is let through.
    init(isGated: Bool = false) { self.isGated = isGated }

    /// Texts of each query.
    var asked: [[String]] { state.withLock { $0.asked } }
    func move(_ texts: String...) { state.withLock { $0.moved.formUnion(texts) } }
    func goAway() { state.withLock { $0.isAway = true } }
    func letThrough() { gate.signal() }

    func moved(_ addresses: [HeldAddress]) throws(LogError) -> Set<HeldAddress> {
        state.withLock { $0.asked.append(addresses.map(\.address.text).sorted()) }
        if isGated { gate.wait() }
        return try state.withLock { state throws(LogError) in
            if state.isAway { throw LogError(.unreachable(isPassing: true), "The database is away.") }
            return Set(addresses.filter { state.moved.contains($0.address.text) })
        }
    }
}

/// The way to the push services on a loop, with a fake Apple for each configuration that it was given, and the runners of some cores.
final class PushRig: Sendable {
    /// Confined to the loop.
    private final class Parts {
        let way: PushWay
        var runners: [PushRunner?] = []
        /// The last runners, as long as they are retained.
        var remembered: [WeakRunner] = []
        var mailboxes: [CoreMailbox] = []

        init(_ way: PushWay) { self.way = way }
    }

    private struct WeakRunner {
        weak var runner: PushRunner?
    }

    let folder: Folder
    let loop: TestLoop
    let registry = PrometheusRegistry()
    private let epochs: [Epoch]
    private let bound: LoopBound<Parts>
    private let made: Collected<FakeApple>
    private let heard: [Collected<String>]
    private let changes: [Collected<String>]

    static let configuration =
        #"{"teams":[{"team":"ABCDE12345","key":"KEYID12345","file":"k.p8","bundles":["org.heliograph.app"]}]}"#

    /// A core for each epoch.
    init(
        configuration: String? = PushRig.configuration, addresses: (any AddressStore)? = nil, of epochs: [Epoch] = [epoch]
    ) async throws {
        let (folder, loop, registry) = (try Folder(), try await TestLoop.start(), registry)
        if let configuration { try folder.write("push.json", configuration) }
        let made = Collected<FakeApple>()
        bound = try await loop.make { loop in
            let web = WebPushes(
                WebPushIdentity(directory: folder.path, contact: "mailto:ada@example.com", publicURL: nil),
                services: WebPushServices(), logger: silent)
            let way = try PushWay(
                directory: folder.path, web: web, addresses: addresses, loop: loop, measures: PushMeasures(factory: registry),
                logger: silent
            ) { _ in
                let sender = FakeApple()
                made.append(sender)
                return sender
            }
            let parts = Parts(way)
            for epoch in epochs {
                parts.mailboxes.append(CoreMailbox(of: loop))
                parts.runners.append(PushRig.runner(way, epoch, folder, parts.mailboxes.last))
                parts.remembered.append(WeakRunner(runner: parts.runners.last ?? nil))
            }
            return parts
        }
        (self.folder, self.loop, self.made, self.epochs) = (folder, loop, made, epochs)
        heard = epochs.map { _ in Collected() }
        changes = epochs.map { _ in Collected() }
    }

    private static func runner(_ way: PushWay, _ epoch: Epoch, _ folder: Folder, _ mailbox: CoreMailbox?) -> PushRunner? {
        mailbox.map { PushRunner(way, codes: PushCodes(directory: folder.path, epoch: epoch, logger: silent), mailbox: $0) }
    }

    var senders: [FakeApple] { made.values }
    /// Outcomes of the first core.
    var outcomes: [String] { outcomes(of: 0) }
    func outcomes(of core: Int) -> [String] { heard[core].values }
    func wayChanges(of core: Int = 0) -> Int { changes[core].values.count }

    func way<Value: Sendable>(_ body: @escaping @Sendable (PushWay) throws -> Value) async throws -> Value {
        let bound = bound
        let value = try await loop.run { _ in try body(bound.value.way) }
        try await listen()
        return value
    }

    func run<Value: Sendable>(
        _ core: Int = 0, _ body: @escaping @Sendable (PushRunner) throws -> Value
    ) async throws -> Value {
        let bound = bound
        let value = try await loop.run { _ in try body(#require(bound.value.runners[core])) }
        try await listen()
        return value
    }

    func push(_ orders: PushIntent..., by core: Int = 0) async throws {
        try await run(core) { runner in for order in orders { runner.push(order) } }
    }

    func answer(_ sender: Int = 0, _ result: APNsOutcome.Result = .accepted(APNsAcceptance(status: 200))) async throws {
        senders[sender].answer(result)
        try await listen()
    }

    /// Releases this core's runner. Returns true if no reference to it is left.
    func letGo(_ core: Int) async throws -> Bool {
        let bound = bound
        return try await loop.run { _ in
            bound.value.runners[core] = nil
            return bound.value.remembered[core].runner == nil
        }
    }

    /// Another runner for this core's log.
    func comesBack(_ core: Int) async throws {
        let (bound, epoch, folder) = (bound, epochs[core], folder)
        try await loop.run { _ in
            let parts = bound.value
            parts.runners[core] = PushRig.runner(parts.way, epoch, folder, parts.mailboxes[core])
            parts.remembered[core] = WeakRunner(runner: parts.runners[core])
        }
    }

    func status() async throws -> [UInt8] {
        let answers = Collected<[UInt8]>()
        try await way { way in way.status { answers.append($0) } }
        // The lanes are looked at on a thread of their own.
        while answers.values.isEmpty { try await loop.settle() }
        return answers.values[0]
    }

    /// Waits for a result from another thread.
    func listen(until isThere: () -> Bool) async throws { while !isThere() { try await listen() } }

    /// Delivers the facts that wait for the cores.
    private func listen() async throws {
        try await loop.settle()
        let bound = bound
        let told: [[Input]] = try await loop.run { _ in bound.value.mailboxes.map { $0.take() } }
        for (core, facts) in told.enumerated() {
            for fact in facts {
                switch fact {
                case .pushWayChanged: changes[core].append("changed")
                case .pushAnswered(let push, let outcome):
                    heard[core].append("\(push.rawValue) \(outcome.word) \(outcome.text ?? "")")
                case .pushAddressMoved(let push, let address): heard[core].append("\(push.rawValue) moved \(address.text)")
                default: Issue.record("pushes tell the core nothing else")
                }
            }
        }
    }
}

final class Collected<Value: Sendable>: Sendable {
    private let list = Mutex<[Value]>([])
    var values: [Value] { list.withLock { $0 } }
    func append(_ value: Value) { list.withLock { $0.append(value) } }
}
