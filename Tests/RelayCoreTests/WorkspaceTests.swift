import PushPlanner
import RelayModel
import RelayProtocol
import Testing

@testable import RelayCore

/// Two workspaces in one core, with the same names in both.
@Suite struct WorkspaceTests {
    typealias T = RelayTranscript
    private static let work = Named<WorkspaceTag>(id: WorkspaceID("work")!, name: "Work")
    private static let workKey = SessionKey(workspace: work.id, session: T.session)

    /// A host `laptop` with session `s1`, and a client `phone` that watches it all, in each.
    private struct Two {
        let t = RelayTranscript()
        let hosts: [PeerID]
        let clients: [PeerID]

        init() {
            let all = [T.home, WorkspaceTests.work]
            let t = t
            hosts = all.map { t.host(in: $0.id, capabilities: [.steer, .hold]) }
            for host in hosts { t.send([T.started, T.takesPrompts, T.request()], first: 1, by: host) }
            t.commit()
            clients = all.map { t.client(in: $0) }
            for client in clients {
                t.command(.subscribe(nil, after: nil), id: "w", by: client)
                t.command(.subscribe(T.session, after: nil), id: "s", by: client)
                t.read()
            }
            t.settle()
            forget()
        }

        func forget() { for peer in hosts + clients { _ = t.take(peer) } }
    }

    @Test func `what happens in one workspace is told to nobody in the other, also under the same names`() {
        let two = Two()
        let t = two.t
        t.send([.statusChanged(.running, reason: nil)], first: 4, by: two.hosts[0])
        t.handle(.hostSent(two.hosts[0], .deltas(Delta(session: T.session, message: "m1", text: "hello"))))
        t.commit()
        t.command(T.decide(.deny(message: nil)), id: "d1", by: two.clients[0])
        t.command(.steer(T.session, .prompt(.init(text: "go on"))), id: "p1", by: two.clients[0])
        t.command(.budget(Budget(scope: .workspace, microUSD: 1_000_000)), id: "b1", by: two.clients[0])
        t.settle()
        #expect(!t.take(two.hosts[0]).isEmpty && !t.take(two.clients[0]).isEmpty)
        #expect(t.take(two.hosts[1]).isEmpty && t.take(two.clients[1]).isEmpty)
        // The approval of the same name is as open as it was, and is decided by its own people.
        #expect(t.relay.committed.first { $0.key == Self.workKey }?.approvals.values.map(\.decision) == [nil])
        t.command(T.decide(.allow), id: "d1", by: two.clients[1])
        t.settle()
        #expect(t.take(two.clients[1]).contains { $0 == #"{"type":"reply","id":"d1","stage":"decided"}"# })
        #expect(t.take(two.hosts[0]).isEmpty && t.take(two.clients[0]).isEmpty)
    }

    @Test func `a position of one workspace is none in another`() throws {
        let t = RelayTranscript()
        let epochs = Epochs(ofLog: T.epoch, first: T.home.id)
        #expect(epochs[T.home.id] == T.epoch)
        #expect(epochs[Self.work.id] != T.epoch && epochs[Self.work.id] == epochs[Self.work.id])
        #expect(epochs[Self.work.id] != epochs[WorkspaceID("third")!])
        #expect(Epochs(ofLog: Epoch("e2")!, first: T.home.id)[Self.work.id] != epochs[Self.work.id])
        #expect(
            Epochs(ofLog: Epoch(String(repeating: "e", count: 64))!, first: T.home.id)[Self.work.id].rawValue.utf8.count <= 64)

        let host = t.host(in: Self.work.id)
        t.send([T.started], first: 1, by: host)
        t.commit()
        let client = t.client(in: Self.work)
        #expect(t.take(client).first?.contains(#""epoch":"\#(epochs[Self.work.id])""#) == true)
        t.command(.subscribe(T.session, after: Position(epoch: T.epoch, seq: 1)), id: "1", by: client)
        #expect(t.take(client).contains(#"{"type":"reset","session":"s1","reason":"epochChanged"}"#))
        t.read()
        t.command(.subscribe(T.session, after: Position(epoch: epochs[Self.work.id], seq: 1)), id: "2", by: client)
        #expect(!t.take(client).contains { $0.contains(#""type":"reset""#) })
    }

    @Test func `a workspace that is removed goes whole, and the other notices nothing`() throws {
        let two = Two()
        let t = two.t
        t.command(.budget(Budget(scope: .workspace, microUSD: 1_000_000)), id: "b", by: two.clients[1])
        t.command(.budget(Budget(scope: .workspace, microUSD: 2_000_000)), id: "b", by: two.clients[0])
        t.settle()
        two.forget()
        // Events staged at the removal are dropped with the rest.
        t.send([.statusChanged(.running, reason: nil)], first: 4, by: two.hosts[1])
        t.command(.budget(Budget(scope: .day, microUSD: 1_000_000)), id: "b2", by: two.clients[1])
        t.handle(.workspaceRemoved(Self.work.id))
        #expect(t.left == [Self.work.id])
        #expect([two.hosts[1], two.clients[1]].map { t.closed[$0] } == [.revoked, .revoked])
        t.handle(.tickEnded)
        #expect(t.pendingBatch?.appends.isEmpty ?? true)
        #expect(t.pendingBatch?.records.contains { $0.workspace == Self.work.id && $0.kind == .budget } != true)
        t.settle()

        #expect(t.relay.committed.map(\.key) == [T.key])
        #expect(t.relay.census.peers == 2 && t.relay.census.subscriptions == 1 && t.relay.census.breach == nil)
        #expect(t.deadlines.keys.allSatisfy { if case .approvalExpiry(let key, _) = $0 { key == T.key } else { true } })
        #expect([two.hosts[0], two.clients[0]].allSatisfy { t.take($0).isEmpty && t.closed[$0] == nil })
        // The peers may still send something, which is ignored.
        t.send([.statusChanged(.idle, reason: nil)], first: 5, by: two.hosts[1])
        t.command(T.decide(.allow), id: "late", by: two.clients[1])
        for peer in [two.hosts[1], two.clients[1]] { t.handle(.disconnected(peer)) }
        t.settle()
        #expect(t.relay.committed.map(\.key) == [T.key])
        t.command(T.decide(.allow), id: "d1", by: two.clients[0])
        t.command(.budgets, id: "b3", by: two.clients[0])
        t.settle()
        #expect(t.take(two.clients[0]).contains { $0 == #"{"type":"reply","id":"d1","stage":"decided"}"# })
    }

    @Test(arguments: [true, false])
    func `one that has something in a batch under way goes when that has ended`(_ succeeds: Bool) {
        let two = Two()
        let t = two.t
        t.send([.statusChanged(.running, reason: nil)], first: 4, by: two.hosts[1])
        t.handle(.tickEnded)
        #expect(t.pendingBatch != nil)
        t.handle(.workspaceRemoved(Self.work.id))
        #expect(t.left.isEmpty, "its data would come after it was taken away")
        #expect(t.closed[two.clients[1]] == .revoked)
        if succeeds { t.finishCommit() } else { t.failCommit() }
        #expect(t.left == [Self.work.id])
        #expect(t.relay.committed.map(\.key) == [T.key])
        t.send([.statusChanged(.idle, reason: nil)], first: 4, by: two.hosts[0])
        t.settle()
        #expect(t.take(two.clients[0]).contains { $0.contains(#""status":"idle""#) })
    }

    @Test func `devices of a removed workspace are pushed nothing more`() throws {
        let rig = try PlannerRig()
        let t = rig.transcript
        let phone = t.client("other", in: Self.work)
        let host = t.host("tower", in: Self.work.id)
        var device = Device(
            id: DeviceID("d2")!, name: "x", profile: "heliograph", address: .apns(APNsTokens(.sandbox)), system: "18")
        device.address.alerts = "ee"
        rig.command(.device(device), by: phone)
        t.send([T.started, T.request("a1")], first: 1, by: host)
        t.commit()
        t.handle(.workspaceRemoved(Self.work.id))
        rig.pass(120_000)
        #expect(!rig.take().contains { $0.device == DeviceID("d2")! && $0.purpose == .alert })
        #expect(!t.records.keys.contains("device d2"))
        // Nothing of it is left to be written once its data has been deleted.
        #expect(t.records.values.allSatisfy { $0.workspace != Self.work.id })
        #expect(t.relay.census.breach == nil && t.relay.census.devices == 1)
    }

    /// Ways in which a workspace is removed: while the relay runs, or before it starts with the rest.
    enum Removal: CaseIterable {
        case whileItRuns, whileNoneRuns
    }

    @Test(arguments: Removal.allCases, [true, false])
    func `a push's number is not given again when its workspace is gone, whoever is left`(
        _ removal: Removal, _ isAnyDeviceLeft: Bool
    ) throws {
        let rig = try PlannerRig()
        let t = rig.transcript
        let (phone, host) = (t.client("other", in: Self.work), t.host("tower", in: Self.work.id))
        var device = Device(
            id: DeviceID("d2")!, name: "x", profile: "heliograph", address: .apns(APNsTokens(.sandbox)), system: "18")
        device.address.alerts = "ee"
        rig.command(.device(device), by: phone)
        t.send([T.started, T.request("a1")], first: 1, by: host)
        t.commit()
        rig.pass(120_000)
        let last = try #require(rig.take().map(\.id).max())
        if !isAnyDeviceLeft { rig.command(.forget(PlannerRig.device)) }
        if removal == .whileItRuns {
            t.handle(.workspaceRemoved(Self.work.id))
            t.commit()
        }
        var left = t.state
        left.records.removeAll { $0.workspace == Self.work.id }
        left.sessions.removeAll { $0.key.workspace == Self.work.id }
        left.approvals = []
        let again = RelayTranscript(state: left, push: PlannerRig.configuration, now: t.now)
        again.resume(t)
        let home = again.host("laptop")
        if !isAnyDeviceLeft {
            device.address.alerts = "ff"
            again.command(.device(device), id: "c1", by: again.client("new"))
        }
        again.send([T.started, T.request("a2")], first: 1, by: home)
        again.commit()
        again.pass(120_000)
        let next = again.takePushes().map(\.id)
        #expect(!next.isEmpty && next.allSatisfy { $0 > last })
    }
}
