import RelayModel
import RelayProtocol
import Testing

@testable import PushPlanner

@Suite("Numbers of pushes: a block for each workspace") struct NumberTests {
    private typealias S = PlannerStage

    private static let third = PushNumbers(workspace: 3)!
    private static let base: Int64 = 3 << 32

    /// The planner's push that it made from these records.
    private func rung(_ stage: S) throws -> PushIntent {
        stage.asks()
        return try #require(stage.staged)
    }

    /// As it would be on disk with another number, of the same or another workspace.
    private func record(_ push: PushIntent, as number: Int64, in workspace: WorkspaceID = S.home.id) -> PushRecord {
        var push = push
        (push.id, push.workspace) = (PushID(rawValue: number), workspace)
        var planned = PlannedPush(push, card: nil)
        planned.outcome = .accepted(.sandbox, channel: nil)
        return PushRecord(workspace: workspace, kind: .push, name: planned.name, bytes: planned.bytes(by: PlainChannel()))
    }

    /// The number that the next push gets after a start with these numbers on disk.
    private func next(
        _ numbers: PushNumbers, after loaded: [(Int64, WorkspaceID)], in workspace: WorkspaceID = S.home.id
    ) throws -> Int64 {
        let push = try rung(S(PlainChannel()))
        let records = loaded.map { record(push, as: $0, in: $1) }
        let planner = PushPlanner(PushSettings(channels: [.apns: PlainChannel()], numbers: numbers), restoring: records)
        #expect(planner.damaged.isEmpty)
        var journal = planner.pushes
        var intent = push
        intent.workspace = workspace
        return journal.add(PlannedPush(intent, card: nil)).intent.id.rawValue
    }

    @Test("a planner of all counts from 1, one of a workspace from that workspace's block on")
    func first() throws {
        #expect(try rung(S(PlainChannel())).id.rawValue == 1)
        let stage = S(PlainChannel(), numbers: Self.third)
        let push = try rung(stage)
        #expect(push.id.rawValue == Self.base + 1)
        stage.tell(.committed([push]))
        stage.ask(.testPush(S.device.device))
        #expect(stage.staged?.id.rawValue == Self.base + 2)
        #expect(stage.take().contains("push \(Self.base + 1)"))
    }

    @Test("after a start it goes on after the last of its block, and no less than where that begins")
    func restored() throws {
        let home = S.home.id
        #expect(try next(.ofAll, after: [(7, home), (4, home)]) == 8)
        #expect(try next(Self.third, after: []) == Self.base + 1)
        #expect(try next(Self.third, after: [(7, home)]) == Self.base + 1)
        #expect(try next(Self.third, after: [(7, home), (Self.base + 9, home), (Self.base + 8, home)]) == Self.base + 10)
    }

    @Test("it is not led into the block of another workspace by what a database of before has numbered")
    func foreign() throws {
        #expect(try next(Self.third, after: [(5 << 32 + 9, S.home.id)]) == Self.base + 1)
    }

    @Test("a planner of all goes on in the block of a workspace that had its own, and gives nobody else its numbers")
    func alone() throws {
        let (home, work) = (S.home.id, WorkspaceID("work")!)
        let loaded: [(Int64, WorkspaceID)] = [(7, home), (Self.base + 9, home), (5, work)]
        #expect(try next(.ofAll, after: loaded, in: home) == Self.base + 10)
        #expect(try next(.ofAll, after: loaded, in: work) == 8)
        #expect(try next(.ofAll, after: loaded, in: WorkspaceID("new")!) == 8)
        let shared: [(Int64, WorkspaceID)] = [(Self.base + 9, home), (Self.base + 20, work)]
        #expect(try next(.ofAll, after: shared, in: home) == Self.base + 21, "two workspaces in one block, from two databases")
    }

    @Test("the number of a record that does not decode, and of a channel whose push is forgotten, is not given again")
    func named() throws {
        let push = try rung(S(PlainChannel()))
        var planned = PlannedPush(push, card: nil)
        planned.intent.id = PushID(rawValue: 12)
        let channel = Channel("ab+=", madeBy: planned, .production)
        let records = [
            PushRecord(workspace: S.home.id, kind: .channel, name: "12", bytes: channel.bytes),
            PushRecord(workspace: S.home.id, kind: .push, name: "9", bytes: Array("{}".utf8)),
        ]
        var planner = PushPlanner(PushSettings(channels: [.apns: PlainChannel()]), restoring: records)
        #expect(planner.damaged == ["push 9"])
        #expect(planner.pushes.add(planned).intent.id.rawValue == 13)
        planner = PushPlanner(PushSettings(channels: [.apns: PlainChannel()]), restoring: [records[1]])
        #expect(planner.pushes.add(planned).intent.id.rawValue == 10)
    }

    @Test("of two pushes with one number the second is left out and named")
    func twice() throws {
        let push = try rung(S(PlainChannel()))
        let records = [record(push, as: 7), record(push, as: 7, in: WorkspaceID("work")!)]
        let planner = PushPlanner(PushSettings(channels: [.apns: PlainChannel()]), restoring: records)
        #expect(planner.damaged == ["push 7"])
        #expect(planner.pushes.count == 1 && planner.pushes.breach(isKnown: { _ in true }) == nil)
    }

    @Test("what was planned after a push is found however far its number is from the next")
    func sparse() throws {
        let push = try rung(S(PlainChannel()))
        let records = [7, Self.base + 1, PushNumbers.workspaceMax << 32 + 1].map { record(push, as: $0) }
        let planner = PushPlanner(PushSettings(channels: [.apns: PlainChannel()]), restoring: records)
        #expect(planner.pushesPlanned(after: PushID(rawValue: 7)).map(\.id.rawValue).first == Self.base + 1)
        #expect(planner.pushesPlanned(after: PushID(rawValue: 0)).count == 3)
        #expect(planner.pushesPlanned(after: planner.lastPush).isEmpty)
    }

    @Test("every number is exact in JSON, and names its block")
    func bounds() {
        #expect(PushNumbers(workspace: 0) == nil && PushNumbers(workspace: -1) == nil)
        #expect(PushNumbers(workspace: PushNumbers.workspaceMax + 1) == nil)
        let last = PushNumbers(workspace: PushNumbers.workspaceMax)!
        let end = PushID(rawValue: JSONValue.integerMax)
        #expect(PushNumbers(of: end) == last && last.next(after: PushID(rawValue: end.rawValue - 1)) == end)
        #expect(PushNumbers(of: PushID(rawValue: Self.base)) == Self.third)
        #expect(PushNumbers(of: PushID(rawValue: Self.base - 1)) == PushNumbers(workspace: 2)!)
        #expect(PushNumbers(of: PushID(rawValue: 1 << 32 - 1)) == .ofAll)
    }
}
