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

    /// The push's record under another number, in the same or another workspace.
    private func record(_ push: PushIntent, as number: Int64, in workspace: WorkspaceID = S.home.id) -> PushRecord {
        var push = push
        (push.id, push.workspace) = (PushID(rawValue: number), workspace)
        var planned = PlannedPush(push, card: nil)
        planned.outcome = .accepted(.sandbox, channel: nil)
        return PushRecord(workspace: workspace, kind: .push, name: planned.name, bytes: planned.bytes(by: PlainChannel()))
    }

    private static func planner(_ numbers: PushNumbers = .ofAll, restoring records: [PushRecord]) -> PushPlanner {
        PushPlanner(
            PushSettings(channels: [.apns: PlainChannel()], numbers: numbers), firstWorkspace: S.home.id, restoring: records)
    }

    /// The device that is pushed to, in each workspace.
    private var devices: [PushRecord] {
        let device = Device(
            id: S.device.device, name: "Phone", profile: "heliograph", address: .apns(APNsTokens(.sandbox)), system: "18")
        return [S.home.id, WorkspaceID("work")!].map { workspace in
            PushRecord(
                workspace: workspace, kind: .device, name: device.id.rawValue,
                bytes: RegisteredDevice(device, client: S.phone.client, at: 0).bytes)
        }
    }

    /// The record of a last number, as the first workspace keeps it.
    private func last(_ number: Int64, in workspace: WorkspaceID = S.home.id) -> PushRecord {
        let last = LastNumber(PushID(rawValue: number))
        return PushRecord(workspace: workspace, kind: .push, name: last.name, bytes: last.bytes)
    }

    /// Last numbers kept at a start with these records.
    private func kept(_ numbers: PushNumbers = .ofAll, after records: [PushRecord]) -> [PushRecord] {
        var planner = Self.planner(numbers, restoring: devices + records)
        return lasts(planner.handle(.started(holders: nil), seeing: Sight(), at: Instant(wall: 1_795_178_096_000, uptime: 0)))
    }

    /// Last numbers kept with this push, in one workspace after the other.
    private func kept(
        _ numbers: PushNumbers = .ofAll, after records: [PushRecord] = [], with push: PushIntent, in workspaces: [WorkspaceID]
    ) -> [[PushRecord]] {
        var push = push
        var planner = Self.planner(numbers, restoring: records)
        return workspaces.map { workspace in
            push.workspace = workspace
            planner.orders = []
            planner.plan(PlannedPush(push, card: nil))
            return lasts(planner.orders)
        }
    }

    private func lasts(_ orders: [PlannerOrder]) -> [PushRecord] {
        orders.compactMap { order in
            if case .stage(let record) = order, LastNumber.isNamed(record.name) { record } else { nil }
        }
    }

    /// The number that the next push gets after a start with these numbers on disk.
    private func next(
        _ numbers: PushNumbers, after loaded: [(Int64, WorkspaceID)], in workspace: WorkspaceID = S.home.id
    ) throws -> Int64 {
        let push = try rung(S(PlainChannel()))
        let records = loaded.map { record(push, as: $0, in: $1) }
        let planner = Self.planner(numbers, restoring: records)
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

    @Test("the first workspace keeps the last number that others were given, each time in the same batch")
    func keptWithTheFirst() throws {
        let (home, work) = (S.home.id, WorkspaceID("work")!)
        let push = try rung(S(PlainChannel()))
        #expect(kept(with: push, in: [work, home, work]) == [[last(1)], [], [last(3)]])
        #expect(kept(Self.third, with: push, in: [work]) == [[]], "nobody else is given these numbers")
        let own = record(push, as: Self.base + 1, in: work)
        #expect(kept(after: [own], with: push, in: [work]) == [[]], "nor those of its own block")
    }

    @Test("of data that an older version wrote the last number is kept at the start, wherever it lies")
    func keptAtTheStart() throws {
        let work = WorkspaceID("work")!
        let push = try rung(S(PlainChannel()))
        let (own, other) = (record(push, as: 7), record(push, as: 9, in: work))
        #expect(kept(after: [own]) == [])
        #expect(kept(after: [own, other]) == [last(9)])
        #expect(kept(after: [own, last(9, in: work)]) == [last(9)])
        #expect(kept(after: [other, last(8)]) == [last(9)])
        #expect(kept(after: [other, last(9)]) == [])
        #expect(kept(Self.third, after: [other]) == [], "a planner of one workspace writes nothing elsewhere")
        #expect(kept(after: [record(push, as: Self.base + 1, in: work)]) == [], "a number of its own block")

        var planner = Self.planner(restoring: [last(5), last(9, in: work), own])
        #expect(planner.damaged.isEmpty)
        #expect(planner.pushes.add(PlannedPush(push, card: nil)).intent.id.rawValue == 10, "the largest counts")
    }

    @Test("the numbers of a device whose record does not decode are not given again by the start after the next")
    func lostDevice() throws {
        let push = try rung(S(PlainChannel()))
        let damaged = PushRecord(workspace: S.home.id, kind: .device, name: S.device.device.rawValue, bytes: Array("{}".utf8))
        var planner = Self.planner(restoring: [damaged, record(push, as: 7)])
        #expect(planner.damaged == ["device d1"])
        let orders = planner.handle(.started(holders: nil), seeing: Sight(), at: Instant(wall: 1_795_178_096_000, uptime: 0))
        let staged = orders.compactMap { if case .stage(let record) = $0 { record } else { nil } }
        #expect(staged.contains { $0.name == "7" && $0.bytes == nil }, "its notification's code decides no more")
        planner = Self.planner(restoring: [damaged] + staged.filter { $0.bytes != nil })
        #expect(planner.pushes.add(PlannedPush(push, card: nil)).intent.id.rawValue == 8)
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
        var planner = Self.planner(restoring: records)
        #expect(planner.damaged == ["push 9"])
        #expect(planner.pushes.add(planned).intent.id.rawValue == 13)
        planner = Self.planner(restoring: [records[1]])
        #expect(planner.pushes.add(planned).intent.id.rawValue == 10)
    }

    @Test("of two pushes with one number the second is left out and named")
    func twice() throws {
        let push = try rung(S(PlainChannel()))
        let records = [record(push, as: 7), record(push, as: 7, in: WorkspaceID("work")!)]
        let planner = Self.planner(restoring: records)
        #expect(planner.damaged == ["push 7"])
        #expect(planner.pushes.count == 1 && planner.pushes.breach(isKnown: { _ in true }) == nil)
    }

    @Test("what was planned after a push is found however far its number is from the next")
    func sparse() throws {
        let push = try rung(S(PlainChannel()))
        let records = [7, Self.base + 1, PushNumbers.workspaceMax << 32 + 1].map { record(push, as: $0) }
        let planner = Self.planner(restoring: records)
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
