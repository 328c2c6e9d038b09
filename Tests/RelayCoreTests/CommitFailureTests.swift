import RelayProtocol
import Testing

/// Replies to hosts if the disk accepts nothing.
@Suite struct CommitFailureTests {
    typealias T = RelayTranscript

    @Test func `a host whose events were dropped hears why before it is asked to come back, and no other is`() {
        let t = T()
        let (laptop, desktop) = (t.host("laptop"), t.host("desktop"))
        t.send([T.started], to: SessionID("s1")!, first: 1, by: laptop)
        t.send([T.started], to: SessionID("s2")!, first: 1, by: desktop)
        t.commit()
        _ = t.take(laptop)
        _ = t.take(desktop)
        t.send([.sessionRenamed(title: "more")], to: SessionID("s1")!, first: 2, by: laptop)
        t.failCommit()
        #expect(t.take(laptop).last?.contains(#""code":"unavailable""#) == true)
        #expect(t.closed == [laptop: .restarting])
        #expect(t.take(desktop) == [])
        // The host sends its events again, as if for the first time.
        t.send([.sessionRenamed(title: "more")], to: SessionID("s2")!, first: 2, by: desktop)
        t.commit()
        #expect(t.take(desktop).last?.contains(#""through":2"#) == true)
    }

    @Test func `a decision that is not taken asks no host to come back`() {
        let (t, host, client) = T.withPendingApproval()
        t.command(T.decide(.allow), id: "d1", by: client)
        t.failCommit()
        #expect(t.take(client).last?.contains(#""code":"unavailable""#) == true)
        #expect(t.closed == [:])
        t.command(T.decide(.allow), id: "d1", by: client)
        t.commit()
        #expect(t.take(host).last?.contains(#""decision":"allow""#) == true)
    }
}
