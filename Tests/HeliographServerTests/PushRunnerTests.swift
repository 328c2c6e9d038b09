import ChannelAPNs
import Foundation
import PushAPNs
import PushPlanner
import RelayProtocol
import Testing

@testable import HeliographServer

@Suite struct PushRunnerTests {
    @Test func `an order goes to Apple, and its answer to the core`() async throws {
        let rig = try await PushRig()
        try await rig.push(order(1), order(2))
        #expect(rig.senders[0].requests.map(\.teamID) == ["ABCDE12345", "ABCDE12345"])
        #expect(rig.outcomes.isEmpty)
        #expect(try await !rig.way { $0.isIdle })
        try await rig.answer()
        #expect(rig.outcomes == ["1 accepted ", "2 accepted "])
        #expect(try await rig.way { $0.isIdle })
    }

    @Test func `where nobody has set it up the answer says so, and not before the core is done`() async throws {
        let rig = try await PushRig(configuration: nil)
        let during = try await rig.run { runner in
            runner.push(order(1))
            return rig.outcomes
        }
        #expect(during.isEmpty, "an answer from within an order would come back into a core that is giving orders")
        #expect(rig.outcomes == ["1 notSent \(PushWay.notSetUp)"])
        #expect(rig.senders.isEmpty)
    }

    @Test func `what cannot be sent is answered at once`() async throws {
        let rig = try await PushRig()
        try await rig.push(order(1, bundle: "org.other.app"), order(2, worthUntil: 5))
        #expect(rig.outcomes.count == 2)
        #expect(rig.outcomes.first?.contains("no APNs key is set up for org.other.app") == true)
        #expect(rig.outcomes.last?.contains("not worth sending") == true)
        #expect(rig.senders[0].requests.isEmpty)
    }

    @Test func `what is withdrawn before it was sent has that outcome, once`() async throws {
        let rig = try await PushRig()
        try await rig.push(order(1), order(2))
        try await rig.run { runner in for number in [1, 1, 9] { runner.withdraw(PushID(rawValue: Int64(number))) } }
        #expect(rig.outcomes == ["1 notSent \(PushWay.withdrawnSentence)"])
        try await rig.answer()
        try await rig.run { $0.withdraw(PushID(rawValue: 2)) }
        #expect(rig.outcomes.count == 2 && rig.outcomes.last == "2 accepted ")
    }

    @Test func `a configuration that cannot be used stops the start`() async throws {
        await #expect(throws: ServerError.self) { _ = try await PushRig(configuration: #"{"teams":[{}]}"#) }
    }

    @Test func `a changed configuration is taken up with the next push, and the old client ends what it began`() async throws {
        let rig = try await PushRig()
        try await rig.push(order(1))
        try rig.folder.write("push.json", PushRig.configuration.replacing("KEYID12345", with: "KEYID67890"))
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
        #expect(rig.outcomes.last == "4 notSent \(PushWay.notSetUp)")
    }

    @Test func `what a wrong host held up is sent by the client that the mended file makes, and the core hears of it`()
        async throws
    {
        let rig = try await PushRig()
        rig.senders[0].isStalled = true
        try await rig.push(order(1))
        try rig.folder.write("push.json", PushRig.configuration.replacing("KEYID12345", with: "KEYID67890"))
        try await rig.way { $0.look() }
        #expect(rig.senders.map { $0.requests.count } == [0, 1])
        #expect(rig.outcomes.isEmpty && rig.wayChanges() == 1)
        try await rig.answer(1)
        #expect(rig.outcomes == ["1 accepted "])
        #expect(try await rig.way { $0.isIdle })
    }

    @Test func `a push on its way is not sent again by the relay's next life, which gets its answer`() async throws {
        let rig = try await PushRig()
        try await rig.push(order(1))
        try await rig.run { runner in
            runner.suspend()
            runner.push(order(1))
        }
        #expect(rig.senders[0].requests.count == 1)
        try await rig.answer()
        #expect(rig.outcomes == ["1 accepted "])
    }

    @Test func `an answer that came between two lives is for the one that asks again`() async throws {
        let rig = try await PushRig()
        try await rig.push(order(1), order(2))
        try await rig.run { $0.suspend() }
        try await rig.answer()
        #expect(rig.outcomes.isEmpty)
        try await rig.run { runner in
            runner.push(order(1))
        }
        #expect(rig.outcomes == ["1 accepted "])
        #expect(rig.senders[0].requests.isEmpty)
        // The other one was not ordered again: it is forgotten, and a push of that number is a new one.
        try await rig.run { runner in
            runner.suspend()
            runner.push(order(2))
        }
        #expect(rig.senders[0].requests.count == 1)
    }

    @Test func `an answer for an earlier life is not told to a life that did not ask`() async throws {
        let rig = try await PushRig()
        try await rig.push(order(1))
        try await rig.run { $0.suspend() }
        try await rig.answer()
        #expect(rig.outcomes.isEmpty)
    }

    @Test func `what became of pushes is counted and can be looked at`() async throws {
        let rig = try await PushRig()
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
