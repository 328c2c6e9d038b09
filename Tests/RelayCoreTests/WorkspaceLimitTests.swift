import PushPlanner
import RelayModel
import RelayProtocol
import Testing

@testable import RelayCore

/// Limits of single workspaces, and who is told when one is reached.
@Suite struct WorkspaceLimitTests {
    typealias T = RelayTranscript
    private static let work = Named<WorkspaceTag>(id: WorkspaceID("work")!, name: "Work")
    private static let day: Int64 = 24 * 60 * 60 * 1000
    private static let megabyte = 1 << 20

    private func session(_ name: String) -> SessionID { SessionID(name)! }

    private func watcher(_ t: T, _ name: String = "phone", in workspace: Named<WorkspaceTag> = T.home) -> PeerID {
        let client = t.client(name, in: workspace)
        t.command(.subscribe(nil, after: nil), id: "w", by: client)
        return client
    }

    private func limits(_ t: T, _ limits: WorkspaceLimits, of workspace: WorkspaceID = T.home.id) {
        t.handle(.limitsListed([workspace: limits]))
    }

    /// Events of a quarter of a megabyte, sent one by one.
    private func large(_ t: T, _ count: Int, to name: String, first: Int64, by host: PeerID, ended: Bool = false) {
        let text = String(repeating: "x", count: 1 << 18 - 1_000)
        for place in 0..<Int64(count) {
            let isLast = ended && place == Int64(count) - 1
            let goesOn = EventHead.statusChanged(.running, reason: nil)
            let head = first + place == 1 ? T.started : isLast ? .sessionEnded(reason: nil, failed: false) : goesOn
            let event = Event(head, at: t.now) { $0.field("text", text) }
            t.send(events: [event], to: session(name), first: first + place, by: host)
        }
        t.commit()
        t.now += 1_000
    }

    private func bytes(_ t: T, in workspace: WorkspaceID = T.home.id) -> Int64 {
        t.states.filter { $0.key.workspace == workspace }.values.reduce(0) { $0 + $1.eventBytes }
    }

    private func isTold(_ messages: [String], _ limit: WorkspaceLimit) -> Bool {
        messages.contains { message in
            [#""type":"notice""#, #""code":"tooMany""#, #""limit":"\#(limit)""#].allSatisfy(message.contains)
        }
    }

    @Test func `a workspace has its own number of sessions, and another the relay's`() {
        let t = T()
        limits(t, WorkspaceLimits(sessions: 1))
        let (home, work) = (t.host(), t.host(in: Self.work.id))
        let (ours, theirs) = (watcher(t), watcher(t, in: Self.work))
        _ = (t.take(ours), t.take(theirs))
        for name in ["s1", "s2"] {
            t.send([T.started], to: session(name), first: 1, by: home)
            t.send([T.started], to: session(name), first: 1, by: work)
        }
        t.commit()
        #expect(t.states.keys.filter { $0.workspace == T.home.id }.map(\.session) == [session("s1")])
        #expect(t.states.keys.count { $0.workspace == Self.work.id } == 2)
        #expect(t.take(home).contains { $0.contains(#""code":"tooMany""#) && $0.contains(#""session":"s2""#) })
        #expect(isTold(t.take(ours), .sessions))
        #expect(!isTold(t.take(theirs), .sessions))
        // Back to the relay's own limits.
        t.handle(.limitsListed([:]))
        t.send([T.started], to: session("s2"), first: 1, by: home)
        t.commit()
        #expect(t.states.keys.count { $0.workspace == T.home.id } == 2)
    }

    @Test func `ended sessions make room for events, and nothing waits for it`() {
        let t = T()
        limits(t, WorkspaceLimits(megabytes: 2))
        let (host, client) = (t.host(), watcher(t))
        // The sweep is quiet until then: first everybody comes back.
        t.now += Limits.trimAfterStart
        for number in 1...16 {
            large(t, 3, to: "s\(number)", first: 1, by: host, ended: true)
            t.handle(.tickEnded)
            t.settle()
        }
        #expect(bytes(t) <= 3 * Int64(Self.megabyte))
        #expect(t.removed.count > 8 && t.quotas.isEmpty)
        #expect(!isTold(t.take(client), .megabytes))
        #expect(t.relay.census.breach == nil)
    }

    @Test func `where nothing can make room a host waits, and all who look hear why`() {
        let t = T()
        limits(t, WorkspaceLimits(megabytes: 1))
        let (host, desk, client) = (t.host(), t.host("desk"), watcher(t))
        let other = t.host(in: Self.work.id)
        _ = t.take(client)
        // A running session with few events keeps them all.
        large(t, 20, to: "s1", first: 1, by: host)
        t.settle()
        let held = bytes(t)
        #expect((3 * Int64(Self.megabyte)...4 * Int64(Self.megabyte)).contains(held))
        #expect(t.quotas.contains(.keepMegabytes))
        #expect(t.take(host).contains { $0.contains(#""code":"tooMany""#) && $0.contains(#""session":"s1""#) })
        #expect(isTold(t.take(client), .megabytes))
        // Told at intervals, not with each refusal; a client that connects in between is told, too.
        large(t, 2, to: "s1", first: Int64(t.log[T.key]!.count) + 1, by: host)
        #expect(!isTold(t.take(client), .megabytes))
        #expect(isTold(t.take(watcher(t, "late")), .megabytes))
        // Another workspace is not affected, and a host with little data continues for a while.
        large(t, 20, to: "s1", first: 1, by: other)
        #expect(bytes(t, in: Self.work.id) > 4 * Int64(Self.megabyte))
        t.send([T.started], to: session("s2"), first: 1, by: desk)
        t.settle()
        #expect(t.states.keys.contains(SessionKey(workspace: T.home.id, session: session("s2"))))
        #expect(t.relay.census.breach == nil)
        // A person removes the session: there is room again.
        t.command(.remove(T.session), id: "r1", by: client)
        t.settle()
        #expect(t.take(client).contains(#"{"type":"reply","id":"r1"}"#))
        large(t, 2, to: "s3", first: 1, by: host)
        #expect(t.states.keys.contains(SessionKey(workspace: T.home.id, session: session("s3"))))
        #expect(t.relay.census.breach == nil)
    }

    @Test func `a workspace has its own bound of memory, and another the relay's`() {
        let t = T()
        var newcomers = WorkspaceLimits()
        newcomers.sessionMegabytes = 1
        limits(t, newcomers)
        let (host, other) = (t.host(), t.host(in: Self.work.id))
        func offer(_ peer: PeerID) {
            let commands = (0..<160).map { "/\($0)" + String(repeating: "x", count: 250) }
            let offer = SteeringOffer(actions: [.prompt], commands: commands)
            for number in 1...30 {
                t.send([T.started, .steeringOffered(offer)], to: session("s\(number)"), first: 1, by: peer)
                t.commit()
            }
        }
        offer(host)
        #expect(t.quotas.last == .sessionMegabytesPerWorkspace)
        let kept = t.states.keys.count { $0.workspace == T.home.id }
        offer(other)
        #expect((5..<30).contains(kept) && t.states.keys.count { $0.workspace == Self.work.id } == 30)
        #expect(t.relay.workspaceSessionBytes[T.home.id]! < 2 << 20)
        #expect(t.relay.census.breach == nil)
    }

    /// Asks and withdraws until the relay refuses; returns how often.
    private func ask(_ t: T, _ count: Int, of name: String, first: Int64, by host: PeerID) -> Int {
        func refusals() -> Int { t.quotas.count { $0 == .recordMegabytesPerDayPerWorkspace } }
        let before = refusals()
        for place in 0..<count {
            let approval = ApprovalID("\(name)-a\(first)-\(place)")!
            let request = ApprovalRequest(
                approval: approval, kind: .tool, tool: "Bash", title: String(repeating: "x", count: 1_000), digest: T.digest)
            let heads = [EventHead.approvalRequested(request), .approvalCancelled(approval, reason: "answeredLocally")]
            t.send(heads, to: session(name), first: first + Int64(place) * 2, by: host)
            t.commit()
            if refusals() > before { return place }
        }
        return count
    }

    @Test func `what a workspace records in a day is limited, and only an event that records more is refused`() {
        let t = T()
        var own = WorkspaceLimits()
        own.recordMegabytesPerDay = 1
        limits(t, own)
        let (host, client, other) = (t.host(), watcher(t), t.host(in: Self.work.id))
        t.send([T.started, T.request()], first: 1, by: host)
        t.send([T.started], to: session("s2"), first: 1, by: host)
        t.send([T.started], to: session("s2"), first: 1, by: other)
        t.commit()
        let asked = ask(t, 1_000, of: "s2", first: 2, by: host)
        #expect((100...500).contains(asked))
        let refused = 2 + 2 * Int64(asked)
        let notices = t.take(host).filter { $0.contains(#""code":"tooMany""#) }
        #expect(notices.count == 1 && notices[0].contains(#""session":"s2","seq":\#(refused)"#))
        #expect(isTold(t.take(client), .recordsPerDay))
        // Without the refused event the session goes on, and people decide what is open.
        t.send([.statusChanged(.running, reason: nil)], to: session("s2"), first: refused + 2, gap: true, by: host)
        t.commit()
        #expect(t.states[SessionKey(workspace: T.home.id, session: session("s2"))]!.hostSeq == refused + 2)
        t.command(T.decide(.allow), id: "d1", by: client)
        t.settle()
        #expect(t.take(client).contains(#"{"type":"reply","id":"d1","stage":"decided"}"#))
        // A new session waits: its position would remain.
        t.send([T.started], to: session("s3"), first: 1, by: host)
        t.commit()
        #expect(!t.states.keys.contains(SessionKey(workspace: T.home.id, session: session("s3"))))
        #expect(ask(t, 1, of: "s2", first: 2, by: other) == 1, "another workspace is not affected")
        t.now += Self.day
        #expect(ask(t, 1, of: "s2", first: refused + 3, by: host) == 1, "the next day")
        #expect(t.relay.census.breach == nil)
    }

    @Test func `a workspace keeps sessions for its own time, and never longer than the relay`() {
        let t = T(retention: Retention(ageMax: 30 * Self.day))
        t.handle(
            .limitsListed([T.home.id: WorkspaceLimits(keepDays: 7), Self.work.id: WorkspaceLimits(keepDays: 3_650)]))
        let hosts = [t.host(), t.host(in: Self.work.id)]
        for host in hosts {
            t.send([T.started, .sessionEnded(reason: nil, failed: false)], first: 1, by: host)
        }
        t.commit()
        func gone() -> Set<WorkspaceID> { Set(t.removed.keys.map(\.workspace)) }
        t.pass(6 * Self.day)
        #expect(gone().isEmpty)
        t.pass(2 * Self.day)
        #expect(gone() == [T.home.id])
        t.pass(23 * Self.day)
        #expect(gone() == [T.home.id, Self.work.id])
    }

    @Test func `limits hold after a restart, as the relay is told them when it starts`() {
        let t = T()
        limits(t, WorkspaceLimits(sessions: 1))
        t.send([T.started], first: 1, by: t.host())
        t.commit()
        let again = T(state: t.state)
        again.resume(t)
        again.handle(.limitsListed([T.home.id: WorkspaceLimits(sessions: 1)]))
        again.send([T.started], to: session("s2"), first: 1, by: again.host())
        again.commit()
        #expect(again.states.count == 1 && again.quotas == [.sessionsPerWorkspace])
    }

    @Test func `above its pushes of a day none is sent, approvals have the last of them, and the next day has as many`() throws
    {
        let rig = try PlannerRig()
        let t = rig.transcript
        let client = watcher(t, "page")
        limits(t, WorkspaceLimits(pushesPerDay: 4))
        rig.agent(T.started)
        for number in 1...6 { rig.ask("a\(number)") }
        rig.pass(60_000)
        let sent = rig.take()
        #expect(sent.count == 4)
        #expect(t.quotas.contains(.pushesPerDayPerWorkspace))
        #expect(isTold(t.take(client), .pushesPerDay))
        // A push that is not sent has an outcome with the reason.
        let devices = rig.command(.devices(watches: false))
        #expect(devices.contains { $0.contains("4 pushes a day") })
        #expect(t.relay.census.breach == nil)
        rig.pass(Self.day)
        #expect(!rig.take().isEmpty)
    }

    @Test func `a refused connection is told to those who are connected`() {
        let t = T()
        let (ours, theirs) = (watcher(t), watcher(t, in: Self.work))
        _ = (t.take(ours), t.take(theirs))
        t.handle(.connectionRefused(T.home.id))
        #expect(isTold(t.take(ours), .connections))
        #expect(t.take(theirs).isEmpty)
    }
}
