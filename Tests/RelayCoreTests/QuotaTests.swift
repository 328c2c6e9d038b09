import RelayCore
import RelayModel
import RelayProtocol
import Testing

@Suite("Quotas")
struct QuotaTests {
    typealias T = RelayTranscript

    private func ask(_ t: T, _ session: String, _ approval: String, by host: PeerID) {
        t.send([T.started, T.request(approval)], to: SessionID(session)!, first: 1, by: host)
        t.commit()
    }

    private func quotas(_ change: (inout Quotas) -> Void) -> Quotas {
        var quotas = Quotas()
        change(&quotas)
        return quotas
    }

    private func stage(_ t: T, _ approval: String) -> ApprovalStage.Word? {
        t.approvals[ApprovalID(approval)!]?.stage.word
    }

    @Test(
        "open approvals are bounded on a host and in a workspace; each that ends makes room, and another workspace has its own")
    func openApprovals() {
        let t = T(
            quotas: quotas {
                $0.openApprovalsPerHost = 2
                $0.openApprovalsPerWorkspace = 3
            })
        let (laptop, desk) = (t.host("laptop"), t.host("desk"))
        for number in 1...3 { ask(t, "l\(number)", "l\(number)", by: laptop) }
        #expect(stage(t, "l2") == .pending && stage(t, "l3") == .stale)
        #expect(t.quotas == [.openApprovalsPerHost])
        ask(t, "d1", "d1", by: desk)
        ask(t, "d2", "d2", by: desk)
        #expect(stage(t, "d1") == .pending && stage(t, "d2") == .stale)
        #expect(t.quotas == [.openApprovalsPerHost, .openApprovalsPerWorkspace])
        ask(t, "o1", "o1", by: t.host("other", in: WorkspaceID("other")!))
        #expect(stage(t, "o1") == .pending)
        t.send([.approvalCancelled(ApprovalID("l1")!, reason: "turnEnded")], to: SessionID("l1")!, first: 3, by: laptop)
        t.commit()
        ask(t, "d3", "d3", by: desk)
        #expect(stage(t, "d3") == .pending && t.quotas.count == 2)
    }

    @Test("what was open before a restart, or before the disk refused its end, still counts")
    func afterRestartAndFailure() {
        let quotas = quotas { $0.openApprovalsPerHost = 1 }
        let t = T(quotas: quotas)
        var host = t.host()
        ask(t, "s1", "a1", by: host)
        t.send([.approvalCancelled(ApprovalID("a1")!, reason: "turnEnded")], first: 3, by: host)
        t.send([T.started, T.request("a2")], to: SessionID("s2")!, first: 1, by: host)
        t.failCommit()
        host = t.host()
        ask(t, "s3", "a3", by: host)
        #expect(stage(t, "a1") == .pending && stage(t, "a3") == .stale)
        let again = T(state: t.state, quotas: quotas)
        again.resume(t)
        ask(again, "s4", "a4", by: again.host())
        #expect(stage(again, "a4") == .stale)
    }

    @Test("a session too many is not taken in; its host is told, and those that it has go on")
    func sessions() {
        let t = T(quotas: quotas { $0.sessionsPerHost = 2 })
        let host = t.host()
        for name in ["s1", "s2", "s3"] { t.send([T.started], to: SessionID(name)!, first: 1, by: host) }
        #expect(t.take(host).last?.contains(#""code":"tooMany""#) == true)
        t.send([.sessionRenamed(title: "on")], to: SessionID("s2")!, first: 2, by: host)
        t.commit()
        #expect(t.quotas == [.sessionsPerHost])
        #expect(t.states.keys.map(\.session.rawValue).sorted() == ["s1", "s2"])
        #expect(t.states[SessionKey(workspace: T.home.id, session: SessionID("s2")!)]?.hostSeq == 2)
        t.send([T.started], to: SessionID("s3")!, first: 1, by: t.host("desk"))
        t.commit()
        #expect(t.states.count == 3)
    }

    @Test("a workspace's sessions are bounded over its hosts")
    func sessionsOfWorkspace() {
        let t = T(quotas: quotas { $0.sessionsPerWorkspace = 2 })
        for name in ["a", "b", "c"] { t.send([T.started], to: SessionID(name)!, first: 1, by: t.host(name)) }
        t.send([T.started], to: SessionID("d")!, first: 1, by: t.host("d", in: WorkspaceID("other")!))
        t.commit()
        #expect(t.states.keys.map(\.session.rawValue).sorted() == ["a", "b", "d"])
        #expect(t.quotas == [.sessionsPerWorkspace])
    }

    @Test("what a batch writes is counted while it is gathered: an approval by its record too, and a session that is new")
    func stagedCost() {
        let t = T()
        let host = t.host()
        func cost(_ events: [EventHead], first: Int64, of session: String) -> Int {
            let before = t.relay.backlog().stagedCost
            t.send(events, to: SessionID(session)!, first: first, by: host)
            return t.relay.backlog().stagedCost - before
        }
        let opened = cost([T.started], first: 1, of: "s1")
        let renamed = cost([.sessionRenamed(title: "on")], first: 2, of: "s1")
        let asked = cost([T.request("a1")], first: 3, of: "s1")
        #expect(opened > renamed && renamed > 256, "the smallest event is a row, too")
        #expect(asked > 2 * renamed)
        t.handle(.tickEnded)
        #expect(t.relay.backlog().stagedCost == 0)
        let goesOn = cost([.sessionRenamed(title: "on")], first: 4, of: "s1")
        t.finishCommit()
        #expect(goesOn == renamed && t.relay.backlog().stagedCost == goesOn)
        #expect(cost([.sessionRenamed(title: "on")], first: 2, of: "s1") == 0)
    }

    @Test("the events of a batch are counted while it is gathered, and whether somebody waits for it is told")
    func staged() {
        let t = T()
        let host = t.host()
        t.send([T.started, .sessionRenamed(title: "on")], first: 1, by: host)
        #expect(t.relay.backlog().stagedEvents == 2 && !t.relay.backlog().isAwaited)
        t.send([T.request("a1")], first: 3, by: host)
        #expect(t.relay.backlog().stagedEvents == 3 && t.relay.backlog().isAwaited)
        t.handle(.tickEnded)
        #expect(t.relay.backlog().stagedEvents == 0 && !t.relay.backlog().isAwaited)
    }

    @Test("what a tool prints leaves half of a session's pace to events, and nobody is told of what is left out")
    func paceOfOutput() {
        let t = T(quotas: quotas { $0.messagesPerSecondPerSession = 1 })
        let (host, client) = (t.host(), t.client())
        t.send([T.started], first: 1, by: host)
        t.commit()
        t.command(.subscribe(T.session, after: nil), id: "1", by: client)
        t.read()
        _ = (t.take(host), t.take(client))
        for number in 0..<50 {
            t.handle(.hostSent(host, .output(ToolOutput(session: T.session, call: "c", text: "\(number)\n"))))
        }
        #expect((4...5).contains(t.take(client).count { $0.contains("output") }))
        for number in 2...6 { t.send([.sessionRenamed(title: "\(number)")], first: Int64(number), by: host) }
        t.commit()
        #expect(t.log[T.key]?.count == 6 && t.quotas.isEmpty)
        #expect(t.take(host).contains { $0.contains("notice") } == false)
    }

    @Test("a session that says more than it may waits, and says all of it later; its host's others go on")
    func paceOfSession() {
        let t = T(quotas: quotas { $0.messagesPerSecondPerSession = 1 })
        let host = t.host()
        let (busy, quiet) = (SessionID("busy")!, SessionID("quiet")!)
        func hostSeq(_ session: SessionID) -> Int64? { t.states[SessionKey(workspace: T.home.id, session: session)]?.hostSeq }
        for number in 1...13 { t.send([.sessionRenamed(title: "\(number)")], to: busy, first: Int64(number), by: host) }
        t.send([T.started], to: quiet, first: 1, by: host)
        t.commit()
        #expect(hostSeq(busy) == 11 && hostSeq(quiet) == 1)
        #expect(t.quotas == [.messagesPerSecondPerSession])
        let told = t.take(host)
        #expect(told.contains { $0.contains(#""path":"$.session","session":"busy""#) && $0.contains("limits.messages") })
        #expect(told.contains { $0.contains(#""type":"resend","session":"busy","from":12"#) })
        // A repeated event does not count as a message.
        t.send([.sessionRenamed(title: "10")], to: busy, first: 10, by: host)
        #expect(t.quotas.count == 1)
        t.now += 1_000
        t.send([.sessionRenamed(title: "12"), .sessionRenamed(title: "13")], to: busy, first: 12, by: host)
        t.commit()
        #expect(hostSeq(busy) == 13 && t.quotas.count == 1)
    }

    @Test("a session's bytes are bounded too, and pieces of unfinished messages count as they do")
    func bytesOfSession() {
        let t = T(quotas: quotas { $0.kilobytesPerSecondPerSession = 1 })
        let (host, client) = (t.host(), t.client())
        t.send([T.started], first: 1, by: host)
        t.commit()
        t.command(.subscribe(T.session, after: nil), id: "1", by: client)
        t.read()
        _ = t.take(client)
        let delta = Delta(session: T.session, message: "m", text: String(repeating: "x", count: 4 << 10))
        for _ in 0..<4 { t.handle(.hostSent(host, .deltas(delta))) }
        #expect(t.take(client).count { $0.contains(#""type":"deltas""#) } == 3)
        #expect(t.quotas == [.kilobytesPerSecondPerSession])
        t.send([.sessionRenamed(title: "later")], first: 2, by: host)
        #expect(t.quotas == [.kilobytesPerSecondPerSession, .kilobytesPerSecondPerSession])
        t.now += 20_000
        t.send([.sessionRenamed(title: "later")], first: 2, by: host)
        t.commit()
        #expect(t.log.values.first?.count == 2)
    }

    @Test("what has ended makes room for another session, the longest ended first")
    func room() {
        let t = T(quotas: quotas { $0.sessionsPerHost = 3 })
        let host = t.host()
        for name in ["s1", "s2", "s3"] {
            let heads = name == "s1" ? [T.started] : [T.started, .sessionEnded(reason: nil, failed: false)]
            t.send(heads, to: SessionID(name)!, first: 1, by: host)
            t.commit()
            t.now += 1_000
        }
        t.send([T.started], to: SessionID("s4")!, first: 1, by: host)
        t.settle()
        #expect(t.removed.keys.map(\.session.rawValue) == ["s2"])
        t.send([T.started], to: SessionID("s4")!, first: 1, by: host)
        t.commit()
        #expect(t.states.keys.map(\.session.rawValue).sorted() == ["s1", "s3", "s4"])
    }

    @Test("sessions that there is no room for make retention look for some once in a while, not each time")
    func roomIsSoughtNowAndThen() {
        let t = T(quotas: quotas { $0.sessionsPerHost = 1 })
        let host = t.host()
        func refused(_ name: String) {
            t.send([T.started], to: SessionID(name)!, first: 1, by: host)
            t.settle()
        }
        t.send([T.started], to: SessionID("s1")!, first: 1, by: host)
        t.commit()
        refused("s2")
        t.send([.sessionEnded(reason: nil, failed: false)], to: SessionID("s1")!, first: 2, by: host)
        t.commit()
        refused("s3")
        #expect(t.removed.isEmpty)
        t.now += Limits.trimInterval
        refused("s4")
        #expect(t.removed.keys.map(\.session.rawValue) == ["s1"])
    }

    // MARK: - What sessions keep in memory

    /// An offer that takes about 50 kB.
    private static let largeOffer = SteeringOffer(
        actions: [.prompt], commands: (0..<160).map { "/\($0)" + String(repeating: "x", count: 250) })

    private func offers(_ t: T, _ count: Int, prefix: String, by host: PeerID) {
        for number in 0..<count {
            t.send([T.started, .steeringOffered(Self.largeOffer)], to: SessionID("\(prefix)\(number)")!, first: 1, by: host)
            t.commit()
        }
    }

    private func withOffers(_ t: T) -> Int { t.states.values.count { $0.summary.steering != nil } }

    @Test("what a host's sessions keep is bounded in bytes: it is told, others go on, and an end makes room")
    func keptBytesOfHost() throws {
        let t = T(quotas: quotas { $0.sessionMegabytesPerHost = 1 })
        let (host, desk) = (t.host(), t.host("desk"))
        offers(t, 40, prefix: "s", by: host)
        let kept = withOffers(t)
        #expect((18...22).contains(kept))
        #expect(t.quotas.last == .sessionMegabytesPerHost)
        #expect(
            t.take(host).contains { $0.contains(#""code":"tooMany""#) && $0.contains(#""path":"$.session","session":"s39""#) })
        // Messages that make no session larger are accepted, and so are ends.
        t.send([.sessionRenamed(title: "t")], to: SessionID("s0")!, first: 3, by: host)
        #expect(t.take(host).last?.contains("tooMany") == true)
        t.send([.message(.user, summary: nil)], to: SessionID("s0")!, first: 3, by: host)
        t.send([.sessionEnded(reason: nil, failed: false)], to: SessionID("s0")!, first: 4, by: host)
        t.commit()
        #expect(t.states[SessionKey(workspace: T.home.id, session: SessionID("s0")!)]?.hostSeq == 4)
        offers(t, 2, prefix: "d", by: desk)
        #expect(withOffers(t) == kept - 1 + 2)
        #expect(t.relay.census.breach == nil)
        // The end made room, and what waited comes again.
        t.send([T.started, .steeringOffered(Self.largeOffer)], to: SessionID("again")!, first: 1, by: host)
        t.commit()
        #expect(withOffers(t) == kept + 2)
    }

    @Test("in a full workspace a host with less than an equal share goes on, and another workspace has its own")
    func keptBytesOfWorkspace() {
        let t = T(
            quotas: quotas {
                $0.sessionMegabytesPerHost = 2
                $0.sessionMegabytesPerWorkspace = 1
            })
        offers(t, 30, prefix: "s", by: t.host())
        let kept = withOffers(t)
        #expect(kept < 25 && t.quotas.last == .sessionMegabytesPerWorkspace)
        offers(t, 5, prefix: "d", by: t.host("desk"))
        offers(t, 5, prefix: "o", by: t.host("other", in: WorkspaceID("other")!))
        #expect(withOffers(t) == kept + 10)
    }

    @Test(
        "what was kept before a restart, or falls back when the disk refuses a batch, is counted; more than there is room for is kept"
    )
    func keptBytesAfterRestart() {
        let t = T()
        offers(t, 30, prefix: "s", by: t.host())
        let again = T(state: t.state, quotas: quotas { $0.sessionMegabytesPerHost = 1 })
        again.resume(t)
        #expect(withOffers(again) == 30)
        var host = again.host()
        offers(again, 1, prefix: "new", by: host)
        #expect(withOffers(again) == 30 && again.quotas == [.sessionMegabytesPerHost])
        again.send([.sessionEnded(reason: nil, failed: false)], to: SessionID("s0")!, first: 3, by: host)
        again.failCommit()
        #expect(again.relay.census.breach == nil)
        host = again.host()
        for number in 0..<20 {
            again.send([.sessionEnded(reason: nil, failed: false)], to: SessionID("s\(number)")!, first: 3, by: host)
        }
        again.commit()
        offers(again, 1, prefix: "new", by: host)
        #expect(withOffers(again) == 11 && again.relay.census.breach == nil)
    }

    @Test("resolved approvals at hand are bounded in bytes on a host, the latest stay, and all were shown as resolved")
    func resolvedApprovals() throws {
        let t = T()
        let (host, client) = (t.host(), t.client())
        t.command(.subscribe(nil, after: nil), id: "1", by: client)
        t.commit()
        _ = t.take(client)
        func held() -> Set<String> { Set(t.relay.committed.flatMap { $0.approvals.keys.map(\.rawValue) }) }
        for number in 0..<30 {
            let session = SessionID("s\(number)")!
            t.send(
                events: [Event(T.started, at: t.now), t.largeRequest("a\(number)", bytes: 100_000)], to: session, first: 1,
                by: host)
            t.send([.approvalCancelled(ApprovalID("a\(number)")!, reason: "turnEnded")], to: session, first: 3, by: host)
            if number % 3 == 2 { t.commit() }
        }
        t.commit()
        #expect((8...10).contains(held().count))
        #expect(held().contains("a29") && !held().contains("a0"))
        #expect(t.take(client).count { $0.contains(#""stage":"cancelled""#) } == 30)
        // The log still has those that are not at hand.
        let decide = DecideCommand(
            session: SessionID("s0")!, approval: ApprovalID("a0")!, digest: T.digest, verdict: .deny(message: nil))
        t.command(.decide(decide), id: "2", by: client)
        #expect(t.pendingApprovalReads.map(\.1) == [ApprovalID("a0")!])
        // A restarted relay does not hold more, either.
        let again = T(state: t.state)
        #expect((8...10).contains(again.relay.census.approvals))
    }
}
