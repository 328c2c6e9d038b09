import ChannelAPNs
import PushAPNs
import PushPlanner
import RelayProtocol
import Testing

@testable import HeliographServer

/// Two cores whose pushes go one way.
@Suite struct PushWayTests {
    private static let other = Epoch("life2")!
    private static func rig() async throws -> PushRig { try await PushRig(of: [epoch, other]) }

    private let of1 = PushNumbers(workspace: 1)!.next(after: nil).rawValue
    private let of2 = PushNumbers(workspace: 2)!.next(after: nil).rawValue

    @Test func `both orders go through one client, and each core hears of its own`() async throws {
        let rig = try await Self.rig()
        try await rig.push(order(of1))
        try await rig.push(order(of2), by: 1)
        #expect(rig.senders.count == 1 && rig.senders[0].requests.count == 2)
        #expect(try await rig.way { $0.underWay } == 2)
        try await rig.answer()
        #expect(rig.outcomes(of: 0) == ["\(of1) accepted "])
        #expect(rig.outcomes(of: 1) == ["\(of2) accepted "])
        #expect(try await rig.way { $0.isIdle })
        let status = try JSONDocument(parsing: await rig.status()).root
        #expect(try status.array("outcomes").map { try $0.integer("push") } == [of2, of1])
    }

    @Test func `a number that two cores of one process gave, each for its log, names two pushes`() async throws {
        let rig = try await Self.rig()
        try await rig.push(order(1))
        try await rig.push(order(1), by: 1)
        #expect(Set(rig.senders[0].requests.map(\.id)).count == 2)
        try await rig.answer(0, .refused(status: 410, .unregistered, text: "Unregistered", .dropToken))
        #expect(rig.outcomes(of: 0) == ["1 refused Unregistered"])
        #expect(rig.outcomes(of: 1) == ["1 refused Unregistered"])
    }

    @Test func `one core's life is nothing to the other`() async throws {
        let rig = try await Self.rig()
        try await rig.push(order(of1))
        try await rig.push(order(of2), by: 1)
        try await rig.run(0) { $0.suspend() }
        try await rig.answer()
        #expect(rig.outcomes(of: 0).isEmpty)
        #expect(rig.outcomes(of: 1) == ["\(of2) accepted "])
        try await rig.push(order(of1))
        #expect(rig.outcomes(of: 0) == ["\(of1) accepted "])
    }

    @Test func `a core that has ended hears nothing more and is not kept, and what it began is waited for`() async throws {
        let rig = try await Self.rig()
        try await rig.push(order(of1))
        try await rig.push(order(of2), by: 1)
        try await rig.run(0) { runner in
            runner.end()
            runner.push(order(9))
        }
        #expect(rig.senders[0].requests.count == 2, "what a core that is gone still orders is another owner's")
        #expect(try await rig.letGo(0))
        #expect(try await rig.way { !$0.isIdle && $0.underWay == 2 })
        try await rig.answer()
        #expect(rig.outcomes(of: 0).isEmpty)
        #expect(rig.outcomes(of: 1) == ["\(of2) accepted "])
        #expect(try await rig.way { $0.isIdle })
        let status = try JSONDocument(parsing: await rig.status()).root
        #expect(try status.array("outcomes").count == 2, "what became of both can be looked at")
    }

    @Test func `a core that goes without a word is not kept by what it has under way`() async throws {
        let rig = try await Self.rig()
        try await rig.push(order(of1))
        #expect(try await rig.letGo(0))
        try rig.folder.write("push.json", PushRig.configuration.replacing("KEYID12345", with: "KEYID67890"))
        try await rig.way { $0.look() }
        #expect(rig.wayChanges(of: 0) == 0 && rig.wayChanges(of: 1) == 1)
        try await rig.answer()
        #expect(rig.outcomes(of: 0).isEmpty)
    }

    @Test func `a core that comes back while its push is under way gets the outcome, and it is not sent twice`() async throws {
        let rig = try await Self.rig()
        try await rig.push(order(of1))
        try await rig.run(0) { $0.end() }
        try await rig.comesBack(0)
        try await rig.push(order(of1))
        #expect(rig.senders[0].requests.count == 1)
        try await rig.answer()
        #expect(rig.outcomes(of: 0) == ["\(of1) accepted "])
    }

    @Test func `a core that comes back after nobody heard the outcome sends again, under the same name`() async throws {
        let rig = try await Self.rig()
        try await rig.push(order(of1))
        let first = rig.senders[0].requests.map(\.id)
        try await rig.run(0) { $0.end() }
        try await rig.answer()
        try await rig.comesBack(0)
        try await rig.push(order(of1))
        #expect(rig.senders[0].requests.map(\.id) == first)
        try await rig.answer()
        #expect(rig.outcomes(of: 0) == ["\(of1) accepted "])
    }

    @Test func `both cores are told of another configuration, and one that has ended is not`() async throws {
        let rig = try await Self.rig()
        try rig.folder.write("push.json", PushRig.configuration.replacing("KEYID12345", with: "KEYID67890"))
        // The next push looks for all of them.
        try await rig.push(order(of1))
        #expect(rig.wayChanges(of: 0) == 1 && rig.wayChanges(of: 1) == 1)
        try await rig.run(0) { $0.end() }
        try rig.folder.write("push.json", PushRig.configuration.replacing("KEYID12345", with: "KEYID11111"))
        try await rig.way { $0.look() }
        #expect(rig.wayChanges(of: 0) == 1 && rig.wayChanges(of: 1) == 2)
    }

    @Test func `what waited in a client that is replaced goes on for the core that is there, and not for one that is gone`()
        async throws
    {
        let rig = try await Self.rig()
        rig.senders[0].isStalled = true
        try await rig.push(order(of1))
        try await rig.push(order(of2), by: 1)
        try await rig.run(0) { $0.end() }
        try rig.folder.write("push.json", PushRig.configuration.replacing("KEYID12345", with: "KEYID67890"))
        try await rig.way { $0.look() }
        #expect(rig.senders.count == 2 && rig.senders[1].requests.count == 1)
        try await rig.answer(1)
        #expect(rig.outcomes(of: 1) == ["\(of2) accepted "])
        #expect(try await rig.way { $0.isIdle })
    }
}
