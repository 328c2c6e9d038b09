import RelayCore
import RelayModel
import RelayProtocol
import Testing

@Suite("Approvals")
struct ApprovalTests {
    typealias T = RelayTranscript

    @Test("an allow is on disk before anybody hears of it, then goes to the client, the others and the host")
    func allow() {
        let (t, host, client) = T.withPendingApproval()
        t.command(T.decide(.allow), id: "k1", by: client)
        t.handle(.tickEnded)
        #expect(t.take(client).isEmpty)
        #expect(t.take(host).isEmpty)
        t.finishCommit()
        #expect(t.types(host) == ["decision"])
        let messages = t.take(client)
        #expect(messages.count == 3)
        #expect(messages[1].contains(#""stage":"decided""#))
        #expect(messages[2] == #"{"type":"reply","id":"k1","stage":"decided"}"#)
    }

    @Test("the first decision wins; the same again gets the same answer; another gets a conflict that names the winner")
    func firstWins() {
        let (t, _, phone) = T.withPendingApproval()
        let laptop = t.client("laptop")
        t.command(T.decide(.deny(message: "no")), id: "k1", by: phone)
        t.command(T.decide(.allow), id: "k2", by: laptop)
        t.command(T.decide(.deny(message: "no")), id: "k1", by: phone)
        _ = (t.take(phone), t.take(laptop))
        t.commit()
        #expect(
            t.take(phone).filter { $0.contains("reply") }
                == Array(repeating: #"{"type":"reply","id":"k1","stage":"decided"}"#, count: 2))
        let conflict = t.take(laptop).last ?? ""
        #expect(conflict.contains(#""code":"alreadyDecided""#))
        #expect(conflict.contains(#""winner":{"decision":"deny","message":"no","by":{"client":"phone","name":"phone"}"#))
        t.command(T.decide(.deny(message: "no")), id: "k9", by: laptop)
        #expect(t.take(laptop) == [#"{"type":"reply","id":"k9","stage":"decided"}"#])
        t.commit()
        #expect(t.log[T.key]?.count == 3, "one decision is one event")
    }

    @Test("a decision for another input is refused")
    func digestMismatch() {
        let (t, _, client) = T.withPendingApproval()
        t.command(T.decide(.allow, digest: InputDigest(String(repeating: "cd", count: 32))!), id: "k1", by: client)
        t.commit()
        #expect(t.take(client).first?.contains(#""code":"digestMismatch""#) == true)
        #expect(t.log[T.key]?.count == 2)
    }

    @Test("what is cut can be denied, never allowed or answered", arguments: [ApprovalKind.tool, .question])
    func cut(_ kind: ApprovalKind) {
        let (t, host, client) = T.withPendingApproval(kind: kind, cut: true)
        t.command(T.decide(kind == .tool ? .allow : .answer([Answer(question: "q0", choices: ["x"])])), id: "k1", by: client)
        t.commit()
        #expect(t.take(client).first?.contains(#""code":"notWhole""#) == true)
        t.command(T.decide(.deny(message: nil)), id: "k2", by: client)
        t.commit()
        #expect(t.types(host).first == "decision")
    }

    @Test(
        "an answer that leaves out a question, or takes what is not offered, is refused, and the card stays open",
        arguments: [
            [], [Answer(question: "q0", choices: [])], [Answer(question: "q1", choices: ["Red"])],
            [Answer(question: "q0", choices: ["Green"])], [Answer(question: "q0", choices: ["Red", "Blue"])],
            [Answer(question: "q0", choices: ["Red"]), Answer(question: "q0", choices: ["Red"])],
            [Answer(question: "q0", choices: ["Red"], indexes: [1])],
            [Answer(question: "q0", choices: [], text: "Green")],
            [Answer(question: "q0", choices: ["Red"], indexes: [2])], [Answer(question: "q0", choices: ["Red"], indexes: [])],
        ])
    func badAnswer(_ answers: [Answer]) {
        let t = T()
        let (host, client) = (t.host(), t.client())
        t.command(.subscribe(nil, after: nil), id: "sub", by: client)
        guard case .approvalRequested(var request) = T.request(kind: .question) else { preconditionFailure("it is a request") }
        request.questions = [QuestionOffer(id: "q0", choices: ["Red", "Blue"], isMultiple: false, isChoicesOnly: true)]
        t.send([T.started, .approvalRequested(request)], first: 1, by: host)
        t.commit()
        _ = (t.take(client), t.take(host))
        t.command(T.decide(.answer(answers)), id: "k1", by: client)
        t.commit()
        #expect(t.take(client).first?.contains(#""code":"badAnswer""#) == true)
        t.command(T.decide(.answer([Answer(question: "q0", choices: ["Red"])])), id: "k2", by: client)
        t.commit()
        #expect(t.types(host).first == "decision")
    }

    @Test("a mode that is not offered is refused, and the card stays open", arguments: [nil, true])
    func mode(_ isCut: Bool?) {
        let t = T()
        let (host, client) = (t.host(), t.client())
        t.command(.subscribe(nil, after: nil), id: "sub", by: client)
        guard case .approvalRequested(var request) = T.request(kind: .tool) else { preconditionFailure("it is a request") }
        request.modes = ["default", "acceptEdits"]
        request.isCut = isCut == true
        t.send([T.started, .approvalRequested(request)], first: 1, by: host)
        t.commit()
        _ = (t.take(client), t.take(host))
        t.command(T.decide(.allowIn(mode: "bypassPermissions")), id: "k1", by: client)
        t.commit()
        let code = request.isCut ? "notWhole" : "badAnswer"
        #expect(t.take(client).first?.contains(#""code":"\#(code)""#) == true)
        t.command(T.decide(.allowIn(mode: "acceptEdits")), id: "k2", by: client)
        t.commit()
        #expect(t.take(host).contains { $0.contains(#""mode":"acceptEdits""#) } == !request.isCut)
    }

    @Test("a tool is not answered and a question is not allowed")
    func wrongKind() {
        let (t, _, client) = T.withPendingApproval()
        t.command(T.decide(.answer([])), id: "k1", by: client)
        #expect(t.take(client).first?.contains(#""code":"wrongKind""#) == true)
        let (u, _, other) = T.withPendingApproval(kind: .question)
        u.command(T.decide(.allow), id: "k1", by: other)
        #expect(u.take(other).first?.contains(#""code":"wrongKind""#) == true)
    }

    @Test("a decision taken while the host is away waits for it, and is sent until the host confirms")
    func hostAway() {
        let (t, host, client) = T.withPendingApproval()
        t.handle(.disconnected(host))
        t.command(T.decide(.allow), id: "k1", by: client)
        t.commit()
        let again = t.host(sessions: [T.session])
        #expect(t.types(again) == ["welcome", "decision"])
        t.handle(.disconnected(again))
        let third = t.host(sessions: [T.session])
        #expect(t.types(third) == ["welcome", "decision"])
        t.send([.approvalDelivered(ApprovalID("a1")!)], first: 3, by: third)
        t.commit()
        t.handle(.disconnected(third))
        #expect(t.types(t.host(sessions: [T.session])) == ["welcome"])
    }

    @Test("stages go forward only, and the first end stands")
    func stages() {
        let (t, host, client) = T.withPendingApproval()
        t.send([.approvalCancelled(ApprovalID("a1")!, reason: "allowedLocally")], first: 3, by: host)
        t.commit()
        t.send([.approvalApplied(ApprovalID("a1")!, outcome: .ran)], first: 4, by: host)
        t.commit()
        let approvals = t.take(client).filter { $0.hasPrefix(#"{"type":"approval""#) }
        #expect(approvals.last?.contains(#""stage":"cancelled""#) == true)
        t.command(T.decide(.allow), id: "k1", by: client)
        #expect(t.take(client).last?.contains(#""code":"closed""#) == true)
    }

    @Test("what a host tells of an approval after its end is in no log, is acknowledged, and is not said to be missing")
    func afterEnd() throws {
        let (t, host, client) = T.withPendingApproval()
        let id = ApprovalID("a1")!
        t.command(.subscribe(T.session, after: Position(epoch: T.epoch, seq: 2)), id: "s", by: client)
        t.command(T.decide(.allow), id: "k1", by: client)
        t.commit()
        t.send([.approvalDelivered(id), .approvalApplied(id, outcome: .ran)], first: 3, by: host)
        t.commit()
        (_, _) = (t.take(host), t.take(client))
        t.send([.approvalStale(id, reason: "unknownApproval")], first: 5, by: host)
        t.commit()
        #expect(t.take(host) == [#"{"type":"ack","acks":[{"session":"s1","through":5}]}"#])
        #expect(t.take(client) == [], "nothing has changed for anybody")
        t.send([.approvalCancelled(id, reason: "hostRestarted"), .sessionRenamed(title: "x")], first: 6, by: host)
        t.commit()
        #expect(t.take(host) == [#"{"type":"ack","acks":[{"session":"s1","through":7}]}"#])
        let kinds = try (t.log[T.key] ?? []).map { try Event(stored: $0).head.kind }
        #expect(
            kinds == [
                "session.started", "approval.requested", "approval.decided", "approval.delivered", "approval.applied",
                "session.renamed",
            ])
        #expect(t.approvals[id]?.stage.word == .applied)
        // A restarted relay knows its host's position.
        #expect(t.types(t.host(sessions: [T.session])) == ["welcome"])
        #expect(t.states[T.key]?.hostSeq == 7)
    }

    @Test("expiry closes what nobody decided, by the host's own measure of time, and never what was delivered")
    func expiry() {
        let (t, host, client) = T.withPendingApproval(expiresAt: 1_060_000)
        let timer = RelayTimer.approvalExpiry(T.key, ApprovalID("a1")!)
        #expect(t.timers[timer] == 65_000)
        t.handle(.timerFired(timer))
        t.commit()
        #expect(t.take(client).contains { $0.contains(#""stage":"expired""#) })
        #expect(t.take(host).isEmpty, "the host knows by its own clock")
        t.command(T.decide(.allow), id: "k1", by: client)
        #expect(t.take(client).last?.contains("nobody decided in time") == true)

        let (u, other, phone) = T.withPendingApproval(expiresAt: 1_060_000)
        u.command(T.decide(.allow), id: "k1", by: phone)
        u.commit()
        u.send([.approvalDelivered(ApprovalID("a1")!)], first: 3, by: other)
        u.handle(.timerFired(timer))
        u.commit()
        #expect(!u.take(phone).contains { $0.contains(#""stage":"expired""#) })
    }

    @Test("a decision that the disk did not take is refused, and can be taken again")
    func commitFails() {
        let (t, host, client) = T.withPendingApproval()
        t.command(T.decide(.allow), id: "k1", by: client)
        t.failCommit()
        #expect(t.take(client).contains { $0.contains(#""code":"unavailable""#) })
        #expect(t.take(host).isEmpty)
        t.command(T.decide(.deny(message: nil)), id: "k2", by: client)
        t.commit()
        #expect(t.take(client).last == #"{"type":"reply","id":"k2","stage":"decided"}"#)
    }

    @Test("after a restart an open approval is there, decidable, and its decision is delivered")
    func restart() throws {
        let (t, _, _) = T.withPendingApproval(expiresAt: 1_060_000)
        let approval = try Approval(from: JSONDocument(parsing: approvalBytes(t)).root)
        let restored = T(
            state: LogState(
                sessions: [(T.key, try SessionState(stored: t.states[T.key]!.bytes))], approvals: [(T.home.id, approval)]))
        #expect(restored.timers[.approvalExpiry(T.key, ApprovalID("a1")!)] == 65_000)
        let client = restored.client()
        restored.command(.subscribe(nil, after: nil), id: "1", by: client)
        #expect(restored.take(client).last?.contains(#""stage":"pending""#) == true)
        restored.command(T.decide(.allow), id: "k1", by: client)
        let host = restored.host(sessions: [T.session])
        #expect(restored.types(host) == ["welcome"], "a decision that is not on disk is not delivered")
        restored.handle(.tickEnded)
        #expect(restored.pendingBatch?.appends.first?.firstSeq == 3)
    }

    private func approvalBytes(_ t: RelayTranscript) -> [UInt8] {
        let client = t.client("reader")
        t.command(.subscribe(nil, after: nil), id: "r", by: client)
        let snapshot = t.take(client).last!
        return Array(try! JSONDocument(parsing: snapshot).root.array("approvals")[0].bytes)
    }

    @Test("a flood of approvals is stopped at the limit")
    func flood() {
        let t = T()
        let (host, client) = (t.host(), t.client())
        t.command(.subscribe(nil, after: nil), id: "1", by: client)
        t.send([T.started] + (0..<70).map { T.request("a\($0)") }, first: 1, by: host)
        t.commit()
        #expect(t.states[T.key]?.summary.approvals == 64)
        #expect(t.take(client).count { $0.contains(#""stage":"stale""#) && $0.contains("tooMany") } == 6)
    }

    @Test("another workspace's approval does not exist")
    func wall() {
        let (t, _, _) = T.withPendingApproval()
        let stranger = t.client("stranger", in: Named(id: WorkspaceID("other")!, name: "other"))
        t.command(.subscribe(nil, after: nil), id: "1", by: stranger)
        #expect(t.take(stranger).last == #"{"type":"snapshot","sessions":[],"approvals":[]}"#)
        t.command(T.decide(.allow), id: "k1", by: stranger)
        let unknown = t.take(stranger)
        t.command(T.decide(.allow, "never"), id: "k1", by: stranger)
        #expect(t.take(stranger) == unknown)
        t.command(.subscribe(T.session, after: nil), id: "k2", by: stranger)
        #expect(t.take(stranger).last?.contains(#""code":"notFound""#) == true)
    }

    @Test("one command id used for two approvals gets an answer for each")
    func reusedCommandID() {
        let (t, host, client) = T.withPendingApproval()
        t.send([T.request("a2")], first: 3, by: host)
        t.commit()
        t.command(T.decide(.allow), id: "k", by: client)
        t.handle(.tickEnded)
        t.command(T.decide(.allow, "a2"), id: "k", by: client)
        t.finishCommit()
        t.commit()
        #expect(t.take(client).count { $0 == #"{"type":"reply","id":"k","stage":"decided"}"# } == 2)
    }

    @Test("an expiry that the disk refused is tried again")
    func expiryAfterFailure() {
        let (t, _, client) = T.withPendingApproval(expiresAt: 1_060_000)
        let timer = RelayTimer.approvalExpiry(T.key, ApprovalID("a1")!)
        t.fire(timer)
        t.failCommit()
        #expect(t.timers[timer] != nil)
        t.fire(timer)
        t.commit()
        #expect(t.take(client).contains { $0.contains(#""stage":"expired""#) })
    }

    @Test("a host's open approvals are bounded in bytes over all its sessions")
    func floodOfBytes() {
        let t = T()
        let host = t.host()
        for number in 0..<30 {
            let session = SessionID("s\(number)")!
            let large = Event(T.request("a\(number)"), at: t.now) { $0.field("input", String(repeating: "x", count: 200_000)) }
            t.handle(
                .hostSent(host, .events(HostEvents(session: session, first: 1, events: [Event(T.started, at: t.now), large]))))
        }
        t.commit()
        #expect(t.states.values.reduce(0) { $0 + $1.summary.approvals } == 20)
    }

    @Test(
        "whatever text a client may send survives the store", arguments: ["\u{7F}", "\u{8}", "\u{C}", "\"", "\\", "\u{1}", "é"])
    func escapes(_ character: String) throws {
        let text = String(repeating: character, count: WireLimits.textBytesMax / character.utf8.count)
        let sent = ClientMessage.command(CommandID("k")!, T.decide(.deny(message: text), "a1")).bytes
        guard case .command(_, let command) = try ClientMessage(parsing: sent) else { return }
        let (t, host, client) = T.withPendingApproval()
        t.command(command, id: "k", by: client)
        t.commit()
        let decided = try Event(stored: t.log[T.key]![2])
        guard case .approvalDecided(_, let decision) = decided.head else {
            Issue.record("not decided")
            return
        }
        #expect(decision.verdict == .deny(message: text))
        #expect(t.types(host) == ["decision"])
    }

    @Test("a machine that slept expires what is overdue, though its timers are late")
    func afterSleep() {
        let (t, _, client) = T.withPendingApproval(expiresAt: 1_060_000)
        t.now += 10 * 60 * 1000
        t.fire(.housekeeping)
        t.commit()
        #expect(t.take(client).contains { $0.contains(#""stage":"expired""#) })
        #expect(t.timers[.approvalExpiry(T.key, ApprovalID("a1")!)] == nil)
    }

    @Test("a relay that starts with its clock set back waits no longer than was asked at first")
    func clockSetBack() throws {
        let t = T()
        t.clockOffset = 60 * 60 * 1000
        let host = t.host()
        let wall = t.now + t.clockOffset
        var request = ApprovalRequest(approval: ApprovalID("a1")!, kind: .tool, tool: "Bash", title: "ls", digest: T.digest)
        request.expiresAt = wall + 60_000
        let heads = [T.started, .approvalRequested(request)].map { Event($0, at: wall) }
        t.handle(.hostSent(host, .events(HostEvents(session: T.session, first: 1, isAfterGap: false, events: heads))))
        t.commit()
        let bytes = try #require(t.approvals[ApprovalID("a1")!]).bytes
        var state = t.state
        state.approvals = [(T.home.id, try Approval(from: JSONDocument(parsing: bytes).root))]
        #expect(T(state: state).timers[.approvalExpiry(T.key, ApprovalID("a1")!)] == 65_000)
    }

    @Test("a host whose clock is wrong waits as long as it says, also over a restart of the relay", arguments: [-1, 1])
    func skewedHost(direction: Int64) throws {
        let t = T()
        let host = t.host()
        let skew = direction * 10 * 60 * 1000
        var request = ApprovalRequest(approval: ApprovalID("a1")!, kind: .tool, tool: "Bash", title: "ls", digest: T.digest)
        request.expiresAt = t.now + skew + 60_000
        let heads = [T.started, .approvalRequested(request)].map { Event($0, at: t.now + skew) }
        t.handle(.hostSent(host, .events(HostEvents(session: T.session, first: 1, isAfterGap: false, events: heads))))
        t.commit()
        let timer = RelayTimer.approvalExpiry(T.key, ApprovalID("a1")!)
        #expect(t.timers[timer] == 65_000)
        let bytes = try #require(t.approvals[ApprovalID("a1")!]).bytes
        var state = t.state
        state.approvals = [(T.home.id, try Approval(from: JSONDocument(parsing: bytes).root))]
        #expect(T(state: state).timers[timer] == 65_000)
    }

    @Test("however many a host asks and takes back, few are held, and all are on disk")
    func manyResolved() throws {
        let (t, host, client) = T.withPendingApproval()
        t.command(T.decide(.allow), id: "d1", by: client)
        var first: Int64 = 3
        for number in 1...300 {
            let id = ApprovalID("b\(number)")!
            t.send([T.request(id.rawValue), .approvalCancelled(id, reason: "turnEnded")], first: first, by: host)
            first += 2
            if number % 50 == 0 { t.commit() }
        }
        t.send(
            [.approvalDelivered(ApprovalID("a1")!), .approvalApplied(ApprovalID("a1")!, outcome: .ran)], first: first, by: host)
        t.commit()
        #expect(t.approvals.count == 301)
        #expect(t.take(client).contains(#"{"type":"reply","id":"d1","stage":"decided"}"#))
        t.command(.subscribe(nil, after: nil), id: "2", by: client)
        let snapshot = try #require(t.take(client).last)
        #expect(try JSONDocument(parsing: snapshot).root.array("approvals").count <= 100)
        t.command(T.decide(.allow, "b1"), id: "d2", by: client)
        t.read()
        #expect(t.take(client).last?.contains(#""code":"closed""#) == true)
    }
}
