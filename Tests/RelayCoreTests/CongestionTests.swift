import RelayCore
import RelayModel
import RelayProtocol
import Testing

@Suite("A client that does not keep up")
struct CongestionTests {
    typealias T = RelayTranscript

    /// A session of three events, and a client that is live on it and on the workspace. Nothing is left unread.
    private func live() -> (RelayTranscript, host: PeerID, client: PeerID) {
        let t = T()
        let host = t.host()
        t.send([T.started, .sessionRenamed(title: "2"), .sessionRenamed(title: "3")], first: 1, by: host)
        t.commit()
        let client = t.client()
        t.command(.subscribe(nil, after: nil), id: "1", by: client)
        t.command(.subscribe(T.session, after: nil), id: "2", by: client)
        t.read()
        _ = t.take(client)
        return (t, host, client)
    }

    private func rename(_ t: RelayTranscript, _ range: ClosedRange<Int64>, by host: PeerID) {
        for number in range {
            t.send([.sessionRenamed(title: "\(number)")], first: number, by: host)
            t.commit()
        }
    }

    @Test("nothing is sent to it, and others miss nothing")
    func paused() throws {
        let (t, host, slow) = live()
        let other = t.client("tablet")
        t.command(.subscribe(T.session, after: nil), id: "1", by: other)
        t.read()
        _ = t.take(other)
        t.handle(.congested(slow))
        rename(t, 4...6, by: host)
        t.handle(.hostSent(host, .deltas(Delta(session: T.session, message: "m", text: "x"))))
        t.handle(.hostSent(host, .output(ToolOutput(session: T.session, call: "c", text: "x\n"))))
        #expect(t.take(slow) == [])
        #expect(try T.numbers(t.take(other)) == [4, 5, 6])
    }

    @Test("a little behind, it goes on where it was, and hears the state afresh")
    func goesOn() throws {
        let (t, host, slow) = live()
        t.handle(.congested(slow))
        rename(t, 4...6, by: host)
        t.send([T.request()], first: 7, by: host)
        t.commit()
        t.handle(.drained(slow))
        t.read()
        rename(t, 8...8, by: host)
        let messages = t.take(slow)
        #expect(try T.numbers(messages) == [4, 5, 6, 7, 8])
        #expect(!messages.contains { $0.contains(#""type":"reset""#) })
        #expect(messages.contains { $0.hasPrefix(#"{"type":"snapshot","sessions""#) && $0.contains(#""approval":"a1""#) })
        #expect(t.timers[.congestion(slow)] == nil)
    }

    @Test("far behind, it is told so and gets a snapshot and what follows")
    func conflated() throws {
        let (t, host, slow) = live()
        t.handle(.congested(slow))
        for batch in 0..<3 {
            t.send((0..<200).map { .sessionRenamed(title: "\($0)") }, first: Int64(4 + batch * 200), by: host)
        }
        t.commit()
        t.handle(.drained(slow))
        t.read()
        rename(t, 604...604, by: host)
        let messages = t.take(slow)
        #expect(messages.contains(#"{"type":"reset","session":"s1","reason":"behind"}"#))
        #expect(try T.numbers(messages) == Array(404...604))
    }

    @Test("one that asked for all from its position gets all, however far behind it is")
    func catchesUp() throws {
        let t = T()
        let host = t.host()
        t.send([T.started], first: 1, by: host)
        for batch in 0..<8 {
            t.send((0..<200).map { .sessionRenamed(title: "\($0)") }, first: Int64(2 + batch * 200), by: host)
        }
        t.commit()
        let client = t.client()
        t.command(.subscribe(T.session, after: Position(epoch: T.epoch, seq: 0)), id: "1", by: client)
        t.handle(.congested(client))
        t.read()
        let before = try T.numbers(t.take(client))
        #expect(before == Array(1...500), "the page that was being read comes, the next is not asked for")
        t.handle(.drained(client))
        t.read()
        #expect(try T.numbers(t.take(client)) == Array(501...1601))
    }

    @Test("a summary that passed it by comes when it is drained, though there was no event")
    func summaryAlone() {
        let t = T()
        let host = t.host()
        t.send([T.started], first: 1, by: host)
        t.commit()
        let client = t.client()
        t.command(.subscribe(T.session, after: nil), id: "1", by: client)
        t.read()
        _ = t.take(client)
        t.handle(.congested(client))
        t.handle(.disconnected(host))
        #expect(t.take(client) == [])
        t.handle(.drained(client))
        #expect(t.take(client).contains { $0.contains(#""type":"summary""#) && $0.contains(#""connected":false"#) })
    }

    @Test("what it asks for meanwhile is answered when it can take it")
    func askedMeanwhile() throws {
        let (t, _, slow) = live()
        t.handle(.congested(slow))
        t.command(.unsubscribe(T.session), id: "3", by: slow)
        t.command(.subscribe(T.session, after: nil), id: "4", by: slow)
        t.command(.history(T.session, before: 3, limit: 1), id: "5", by: slow)
        t.read()
        let messages = t.take(slow)
        #expect(messages.count == 3 && messages.allSatisfy { $0.contains(#""type":"reply""#) })
        #expect(messages.last?.contains("tooMany") == true)
        t.handle(.drained(slow))
        t.read()
        #expect(try T.numbers(t.take(slow)) == [1, 2, 3])
    }

    @Test("one that takes nothing for too long may come back with its position")
    func tooLong() {
        let (t, _, slow) = live()
        t.handle(.congested(slow))
        t.fire(.congestion(slow))
        #expect(t.closed[slow] == .tooSlow)
        #expect(CloseCode.invitesReconnect(CloseCode.tooSlow.rawValue))
        t.handle(.disconnected(slow))
        t.handle(.drained(slow))
        #expect(t.take(slow) == [])
    }

    @Test("reads are bounded when many subscriptions go on at once")
    func boundedReads() {
        let t = T()
        let host = t.host()
        let sessions = (1...100).map { SessionID("s\($0)")! }
        for session in sessions { t.send([T.started, T.started], to: session, first: 1, by: host) }
        t.commit()
        let client = t.client()
        t.handle(.congested(client))
        for session in sessions { t.command(.subscribe(session, after: nil), id: session.rawValue, by: client) }
        t.handle(.drained(client))
        #expect(t.pendingReads.count == Limits.readsAtOnceMax && t.relay.census.waiters == 30)
        t.read()
        let snapshots = t.take(client).filter { $0.contains(#""type":"snapshot""#) }
        #expect(snapshots.count == 100)
    }
}
