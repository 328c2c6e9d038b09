import RelayCore
import RelayModel
import RelayProtocol
import Testing

@Suite("Retention")
struct RetentionTests {
    typealias T = RelayTranscript

    private static let day: Int64 = 24 * 60 * 60 * 1000

    private func keep(house t: RelayTranscript) {
        t.fire(.housekeeping)
        t.commit()
        while t.timers[.trim] != nil {
            t.fire(.trim)
            t.commit()
        }
    }

    /// A session of `count` events of about a hundred bytes each.
    private func fill(_ t: RelayTranscript, _ name: String, _ count: Int, by host: PeerID, ended: Bool) {
        var heads = [T.started] + (1..<count).map { _ in .sessionRenamed(title: String(repeating: "x", count: 40)) }
        if ended { heads[count - 1] = .sessionEnded(reason: nil, failed: false) }
        var first: Int64 = 1
        while !heads.isEmpty {
            t.send(Array(heads.prefix(200)), to: SessionID(name)!, first: first, by: host)
            first += Int64(min(200, heads.count))
            heads.removeFirst(min(200, heads.count))
        }
        t.commit()
        t.now += 1000
    }

    private func key(_ name: String) -> SessionKey { SessionKey(workspace: T.home.id, session: SessionID(name)!) }

    @Test("an old session is removed, a young one stays, and who watches is told")
    func byAge() {
        let t = T(retention: Retention(ageMax: 30 * Self.day))
        let host = t.host()
        fill(t, "old", 3, by: host, ended: true)
        t.now += 29 * Self.day
        fill(t, "young", 3, by: host, ended: true)
        let client = t.client()
        t.command(.subscribe(nil, after: nil), id: "1", by: client)
        _ = t.take(client)
        t.now += 2 * Self.day
        keep(house: t)
        #expect(t.take(client) == [#"{"type":"removed","session":"old"}"#])
        #expect(t.removed[key("old")] == RemovedSession(host: HostID("laptop")!, seq: 3, hostSeq: 3))
        #expect(t.removed[key("young")] == nil)
        #expect(t.log[key("old")] == [])
    }

    @Test("what is open, watched or being written to stays", arguments: ["approval", "watched", "connected"])
    func stays(_ why: String) {
        let t = T(retention: Retention(ageMax: Self.day))
        let host = t.host()
        fill(t, "s1", 3, by: host, ended: why != "connected")
        if why == "approval" {
            t.send([T.request()], first: 4, by: host)
            t.commit()
        }
        if why == "watched" {
            t.command(.subscribe(T.session, after: nil), id: "1", by: t.client())
            t.read()
        }
        t.now += 10 * Self.day
        keep(house: t)
        #expect(t.removed.isEmpty)
        if why == "connected" {
            t.handle(.disconnected(host))
            keep(house: t)
            #expect(t.removed.count == 1)
        }
    }

    @Test("a wall clock that was set removes nothing")
    func clockJump() {
        let t = T(retention: Retention(ageMax: Self.day))
        fill(t, "s1", 3, by: t.host(), ended: true)
        t.clockOffset = 3650 * Self.day
        keep(house: t)
        #expect(t.removed.isEmpty)
        t.clockOffset = 0
        t.now += 2 * Self.day
        keep(house: t)
        #expect(t.removed.count == 1)
    }

    @Test("above its bytes a workspace loses the sessions that ended longest ago")
    func byBytes() {
        let t = T(retention: Retention(bytesMax: 60_000))
        let host = t.host()
        for number in 1...5 { fill(t, "s\(number)", 200, by: host, ended: true) }
        let all = t.states.values.reduce(0) { $0 + $1.eventBytes }
        #expect(all > 60_000)
        keep(house: t)
        let left = t.states.keys.map(\.session.rawValue).sorted()
        #expect(left == ["s1", "s2", "s3", "s4", "s5"].suffix(left.count))
        #expect(!left.isEmpty && left.count < 5)
        #expect(t.states.values.reduce(0) { $0 + $1.eventBytes } <= 60_000)
    }

    @Test("a host that writes much loses its own history, and none of the others'", arguments: [true, false])
    func fairShare(hasEnded: Bool) {
        let t = T(retention: Retention(bytesMax: 200_000))
        let (quiet, busy) = (t.host("quiet"), t.host("busy"))
        for number in 1...3 { fill(t, "quiet\(number)", 200, by: quiet, ended: true) }
        let kept = t.states.values.reduce(0) { $0 + $1.eventBytes }
        #expect(kept < 100_000)
        for number in 1...10 { fill(t, "busy\(number)", 600, by: busy, ended: hasEnded) }
        keep(house: t)
        #expect(!t.removed.keys.contains { $0.session.rawValue.hasPrefix("quiet") })
        #expect((1...3).allSatisfy { t.states[key("quiet\($0)")]?.summary.first == 1 })
        let left = t.states.values.reduce(0) { $0 + $1.eventBytes }
        // A running session keeps some events, whatever their size.
        #expect(hasEnded ? left <= 200_000 && t.removed.count > 5 : t.states[key("busy1")]?.summary.first == 101)
    }

    @Test("where a workspace has no room for another session, a host with few loses none")
    func fairShareOfSessions() {
        var quotas = Quotas()
        quotas.sessionsPerWorkspace = 20
        let t = T(quotas: quotas)
        let (quiet, busy) = (t.host("quiet"), t.host("busy"))
        for number in 1...4 { fill(t, "quiet\(number)", 2, by: quiet, ended: true) }
        for number in 1...16 { fill(t, "busy\(number)", 2, by: busy, ended: true) }
        t.send([T.started], to: SessionID("new")!, first: 1, by: quiet)
        t.settle()
        #expect(Set(t.removed.keys.map(\.session.rawValue)) == ["busy1", "busy2"])
        t.send([T.started], to: SessionID("new")!, first: 1, by: quiet)
        t.commit()
        #expect(t.states[key("new")] != nil)
    }

    @Test("a session that goes on loses its oldest events, step by step, and says from where it holds them")
    func trimmed() throws {
        let t = T(retention: Retention(bytesMax: 100_000))
        let host = t.host()
        fill(t, "s1", 10_000, by: host, ended: false)
        keep(house: t)
        let state = try #require(t.states[T.key])
        #expect(state.eventBytes <= 101_000)
        #expect(state.summary.first > 8000 && state.summary.first <= 9501)
        #expect(Int64(t.log[T.key]?.count ?? 0) == 10_000 - state.summary.first + 1)

        let client = t.client()
        t.command(.subscribe(T.session, after: Position(epoch: T.epoch, seq: state.summary.first - 2)), id: "1", by: client)
        t.command(.subscribe(T.session, after: Position(epoch: T.epoch, seq: state.summary.first - 1)), id: "2", by: client)
        t.read()
        let messages = t.take(client)
        #expect(messages.count { $0 == #"{"type":"reset","session":"s1","reason":"trimmed"}"# } == 1)
        #expect(try T.numbers(messages).last == 10_000)
        #expect(messages.contains { $0.contains(#""first":\#(state.summary.first),"host""#) })

        t.command(.history(T.session, before: state.summary.first + 2, limit: 100), id: "3", by: client)
        t.command(.history(T.session, before: state.summary.first, limit: 100), id: "4", by: client)
        t.read()
        #expect(try T.numbers(t.take(client)) == [state.summary.first, state.summary.first + 1])
    }

    @Test("a removed session goes on where it was when its host goes on with it", arguments: [false, true])
    func revived(afterRestart: Bool) throws {
        var t = T(retention: Retention(ageMax: Self.day))
        var host = t.host()
        fill(t, "s1", 5, by: host, ended: true)
        t.now += 3 * Self.day
        keep(house: t)
        #expect(t.removed.count == 1)
        if afterRestart {
            let log = t
            t = T(state: log.state)
            t.resume(log)
        }
        host = t.host(sessions: [T.session])
        #expect(t.take(host).first?.contains(#""through":5"#) == true)
        t.send([T.started], first: 5, by: host)
        t.commit()
        #expect(t.take(host).last?.contains(#""through":5"#) == true, "a repeat is still a repeat")
        let other = t.host("stranger")
        t.send([T.started], first: 6, by: other)
        #expect(t.take(other).last?.contains("notFound") == true)
        t.send([T.started], first: 6, by: host)
        t.commit()
        #expect(t.states[T.key]?.seq == 6)
        let client = t.client()
        t.command(.subscribe(T.session, after: Position(epoch: T.epoch, seq: 3)), id: "1", by: client)
        t.read()
        let messages = t.take(client)
        #expect(messages.contains(#"{"type":"reset","session":"s1","reason":"trimmed"}"#))
        #expect(try T.numbers(messages) == [6])
    }

    @Test("a host that goes on with a session while it is being removed loses nothing")
    func revivedMeanwhile() throws {
        let t = T(retention: Retention(ageMax: Self.day))
        let host = t.host()
        fill(t, "s1", 5, by: host, ended: true)
        t.now += 3 * Self.day
        t.fire(.housekeeping)
        t.handle(.tickEnded)
        t.send([T.started, .sessionRenamed(title: "again")], first: 6, by: host)
        t.handle(.tickEnded)
        t.finishCommit()
        #expect(t.removed.count == 1)
        t.commit()
        #expect(t.removed.isEmpty)
        let state = try #require(t.states[T.key])
        #expect(state.seq == 7 && state.summary.first == 6 && state.hostSeq == 7)
        #expect(state.eventBytes == t.log[T.key]?.reduce(0) { $0 + Int64($1.count) })
    }

    @Test("a failed commit takes nothing away, and the next step tries again")
    func failed() {
        let t = T(retention: Retention(ageMax: Self.day))
        fill(t, "s1", 5, by: t.host(), ended: true)
        t.now += 3 * Self.day
        t.fire(.housekeeping)
        t.failCommit()
        #expect(t.removed.isEmpty && t.log[T.key]?.count == 5)
        keep(house: t)
        #expect(t.removed.count == 1)
    }

    // MARK: - RemovedSessions

    /// Five sessions of five events were removed, and the places of few of them are at hand.
    private func removedFive() -> RelayTranscript {
        let t = T(retention: Retention(ageMax: Self.day), removedSessionsMax: 2)
        let host = t.host()
        for number in 1...5 { fill(t, "s\(number)", 5, by: host, ended: true) }
        t.now += 3 * Self.day
        keep(house: t)
        #expect(t.removed.count == 5)
        t.handle(.disconnected(host))
        return t
    }

    @Test("however many sessions are removed, few places are at hand, and all of them count", arguments: [false, true])
    func placesAreBounded(afterRestart: Bool) {
        var t = removedFive()
        if afterRestart {
            let log = t
            t = T(state: log.state, removedSessionsMax: 2)
            t.resume(log)
        }
        #expect((1...2).contains(t.relay.census.places))
        #expect(t.relay.census.total == t.relay.census.places)
        #expect(t.relay.census.breach == nil)
    }

    @Test("a host that names a session whose place is not at hand is welcomed when it has been read")
    func placeForHello() {
        let t = removedFive()
        let host = t.host(sessions: ["s1", "s5", "new"].map { SessionID($0)! })
        #expect(t.take(host) == [])
        t.read()
        let welcome = t.take(host).first ?? ""
        #expect(welcome.contains(#"{"session":"s1","through":5},{"session":"s5","through":5},{"session":"new","through":0}"#))
        #expect(t.relay.census.reads == 0)
    }

    @Test("events of a session whose place is not at hand are asked for again, and take effect once")
    func placeForEvents() {
        let t = removedFive()
        let host = t.host()
        _ = t.take(host)
        let session = SessionID("s1")!
        for first in 3...6 as ClosedRange<Int64> { t.send([T.started], to: session, first: first, by: host) }
        t.commit()
        #expect(t.pendingRemovedSessionsReads.count == 1, "one look is enough for all of them")
        #expect(t.take(host) == [])
        t.read()
        #expect(t.take(host) == [#"{"type":"resend","session":"s1","from":6}"#])
        for first in 3...6 as ClosedRange<Int64> { t.send([T.started], to: session, first: first, by: host) }
        t.commit()
        #expect(t.take(host).last?.contains(#""through":6"#) == true)
        #expect(t.states[key("s1")]?.seq == 6 && t.states[key("s1")]?.summary.first == 6)

        let stranger = t.host("stranger")
        t.send([T.started], to: SessionID("s2")!, first: 6, by: stranger)
        t.read()
        _ = t.take(stranger)
        t.send([T.started], to: SessionID("s2")!, first: 6, by: stranger)
        #expect(t.take(stranger).last?.contains("notFound") == true)
    }

    @Test("a host that has events of more sessions than places are at hand brings them all, each after one look")
    func placesForManyEvents() {
        let t = removedFive()
        let host = t.host()
        let sessions = (1...5).map { SessionID("s\($0)")! }
        var looks = 0
        for _ in 0..<3 {
            for session in sessions where t.states[key(session.rawValue)]?.hostSeq != 6 {
                t.send([T.started], to: session, first: 6, by: host)
                looks += t.pendingRemovedSessionsReads.count
                t.read()
            }
            t.commit()
        }
        #expect(sessions.allSatisfy { t.states[key($0.rawValue)]?.hostSeq == 6 })
        #expect(looks == 5)
        #expect(t.relay.census.breach == nil)
    }

    @Test("places that a host does not come back to are let go of when it leaves")
    func placesOfOneWhoLeft() {
        let t = removedFive()
        let host = t.host()
        for number in 1...5 {
            t.send([T.started], to: SessionID("s\(number)")!, first: 6, by: host)
            t.read()
        }
        #expect(t.relay.census.places == 5 && t.relay.census.breach == nil)
        t.handle(.disconnected(host))
        let other = t.host(sessions: [SessionID("new")!])
        t.read()
        #expect(t.relay.census.places <= 2 && t.relay.census.breach == nil)
        t.handle(.disconnected(other))
    }

    @Test("a session that never was begins as ever, a moment later")
    func noPlace() {
        let t = removedFive()
        let host = t.host()
        for _ in 0..<2 {
            t.send([T.started], to: SessionID("new")!, first: 1, by: host)
            t.read()
        }
        t.commit()
        #expect(t.states[key("new")]?.seq == 1)
        #expect(t.relay.census.breach == nil)
    }

    @Test("what retention does while a place is being read is newer than the answer")
    func placeMeanwhile() {
        let t = removedFive()
        let host = t.host()
        let session = SessionID("new")!
        t.send([T.started], to: session, first: 1, by: host)
        let asked = t.host(sessions: [session])
        let (first, second) = (t.pendingRemovedSessionsReads[0].0, t.pendingRemovedSessionsReads[1].0)
        t.handle(.removedSessionsRead(first, [:]))
        fill(t, "new", 5, by: asked, ended: true)
        t.now += 3 * Self.day
        keep(house: t)
        #expect(t.removed[key("new")]?.hostSeq == 5)
        _ = t.take(asked)
        t.handle(.removedSessionsRead(second, [:]))
        #expect(t.take(asked).first?.contains(#"{"session":"new","through":5}"#) == true)
    }

    @Test("where the log cannot be read, who says hello comes back, and events are sent again")
    func placeUnreadable() {
        let t = removedFive()
        let host = t.host()
        _ = t.take(host)
        t.send([T.started], to: SessionID("s1")!, first: 6, by: host)
        t.failReads(isLasting: false)
        #expect(t.take(host).last?.contains(#""code":"unavailable""#) == true)
        #expect(t.closed[host] == nil)
        let other = t.host(sessions: [SessionID("s1")!])
        t.failReads(isLasting: false)
        #expect(t.closed[other] == .restarting)
        #expect(t.relay.census.breach == nil)
    }

    @Test("one host has a bounded number of looks under way")
    func boundedLooks() {
        let t = removedFive()
        let host = t.host()
        _ = t.take(host)
        for number in 1...100 { t.send([T.started], to: SessionID("n\(number)")!, first: 1, by: host) }
        #expect(t.pendingRemovedSessionsReads.count == 64)
        #expect(t.take(host).count { $0.contains(#""code":"unavailable""#) } == 36)
        #expect(t.relay.census.breach == nil)
    }
}
