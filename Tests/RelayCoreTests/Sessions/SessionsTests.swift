import RelayModel
import RelayProtocol
import Testing

@testable import RelayCore

@Suite("Sessions")
struct SessionsTests {
    typealias P = PartTranscript
    typealias T = RelayTranscript
    private let key = P.key("s1")
    private let laptop = HostPeer(identity: P.host(), number: 1)
    private let now = Instant(wall: 1_000, uptime: 10)
    private let phone = ClientIdentity(
        workspace: Named(id: P.home, name: "home"), client: Named(id: ClientID("phone")!, name: "phone"),
        scope: Scope(of: .client))

    /// A part with the outputs that it writes to, as in the relay.
    private struct Desk {
        var sessions: Sessions
        var batch = Staging()
        var orders = Orders()

        init(_ quotas: Quotas = Quotas()) { sessions = Sessions(restoring: LogState(), quotas) }

        mutating func put() {
            for staged in batch.appends {
                sessions.cut(staged.key)
                _ = sessions.committed(staged.key)
            }
            batch = Staging()
        }
    }

    @discardableResult
    private func say(_ desk: inout Desk, _ heads: [EventHead], first: Int64, to session: String = "s1") -> Sessions.Taking {
        let events = HostEvents(session: SessionID(session)!, first: first, events: heads.map { Event($0, at: now.wall) })
        return desk.sessions.take(
            events, in: SessionKey(workspace: laptop.identity.workspace, session: events.session), of: laptop, P.peer(1),
            after: nil,
            isNewOtherwise: true, at: now, aged: now.wall, &desk.batch, &desk.orders)
    }

    private func decide(_ desk: inout Desk, _ verdict: Decision.Verdict, by id: String, hasRoom: Bool = true) -> Deciding {
        let command = DecideCommand(session: key.session, approval: ApprovalID("a1")!, digest: T.digest, verdict: verdict)
        return desk.sessions.decide(
            command, CommandID(id)!, in: key, by: phone, hasRoom: hasRoom, at: now, aged: now.wall, &desk.batch,
            &desk.orders)
    }

    @Test("what is staged is not shown before it is on disk, and is gone where the disk did not take it")
    func shown() throws {
        var desk = Desk()
        say(&desk, [T.started], first: 1)
        #expect(desk.sessions.shown[key] == nil && desk.sessions.staged(key)?.hostSeq == 1)
        desk.put()
        #expect(desk.sessions.shown[key]?.hostSeq == 1)
        say(&desk, [.sessionEnded(reason: nil, failed: false)], first: 2)
        #expect(desk.sessions.shown[key]?.endedAt == nil)
        #expect(desk.sessions.lost(key, at: now, &desk.orders) == laptop.key, "its host sends it again")
        #expect(desk.sessions.staged(key)?.hostSeq == 1)
        #expect(try desk.orders.said() == [])
    }

    @Test("a gap is asked for, and what comes twice is taken once")
    func numbering() throws {
        var desk = Desk()
        say(&desk, [T.started], first: 1)
        desk.put()
        say(&desk, [T.started], first: 3)
        say(&desk, [T.started], first: 1)
        #expect(try desk.orders.said() == ["1: resend", "1: ack"])
        #expect(desk.batch.isEmpty)
    }

    @Test("the first decision wins, and a later one waits to hear of it")
    func decisions() throws {
        var desk = Desk()
        say(&desk, [T.started, T.request(expiresAt: 6_000)], first: 1)
        #expect(try desk.orders.said() == ["arm a1 \(5_000 + SessionLimits.expiryGrace)"])
        guard case .refused = decide(&desk, .allow, by: "k0") else { return #expect(Bool(false), "nobody has been shown it") }
        desk.put()
        guard case .refused = decide(&desk, .allow, by: "k1", hasRoom: false) else { return #expect(Bool(false)) }
        guard case .isStaged = decide(&desk, .allow, by: "k2") else { return #expect(Bool(false)) }
        guard case .wasDecided = decide(&desk, .deny(message: nil), by: "k3") else { return #expect(Bool(false)) }
        #expect(desk.sessions.waitingDecisions(of: laptop.key).isEmpty, "it is not on disk")
        desk.put()
        #expect(desk.sessions.waitingDecisions(of: laptop.key).map(\.decision?.command) == [CommandID("k2")!])
    }

    @Test("timers that slept with the machine are made up for")
    func overdue() throws {
        var desk = Desk()
        say(&desk, [T.started, T.request(expiresAt: 6_000)], first: 1)
        desk.put()
        _ = try desk.orders.said()
        let end = try #require(desk.sessions.deadlines.values.first)
        desk.sessions.expireOverdue(at: Instant(wall: 0, uptime: end - 1), aged: 0, &desk.batch, &desk.orders)
        #expect(desk.batch.isEmpty)
        desk.sessions.expireOverdue(at: Instant(wall: 0, uptime: end), aged: 0, &desk.batch, &desk.orders)
        desk.put()
        #expect(try desk.orders.said() == ["cancel a1"])
        #expect(desk.sessions.deadlines.isEmpty && desk.sessions.openApprovalCount == 0)
    }

    @Test("a host has no room for one session more, and says the others all the same")
    func quota() throws {
        var quotas = Quotas()
        quotas.sessionsPerHost = 1
        var desk = Desk(quotas)
        #expect(say(&desk, [T.started], first: 1) == .taken)
        #expect(say(&desk, [T.started], first: 1, to: "s2") == .noRoom(.sessionsPerHost))
        #expect(say(&desk, [.sessionEnded(reason: nil, failed: false)], first: 2) == .taken)
        #expect(try desk.orders.said() == ["quota sessionsPerHost", "1: notice tooMany"])
        #expect(desk.sessions.count == 1)
    }
}
