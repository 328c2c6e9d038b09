import HeliographCrypto
import Foundation
import RelayCore
import RelayModel
import RelayProtocol
import RelayStore
import StoreSQLite
import StoreTestSupport
import Testing

/// Records of the audit log.
@Suite(.scratch) struct AuditTests {
    private let scratch = Scratch.current

    private func open() throws -> SQLiteStore {
        let store = try scratch.open()
        try store.credentials.addWorkspace(Named(id: .home, name: "Home"))
        try store.credentials.addWorkspace(Named(id: .other, name: "Other"))
        return store
    }

    @Test func `every stage of an approval has one record, in the transaction that brought it`() throws {
        let store = try open()
        var writer = Writer(.first)
        let decision = Decision(
            .deny(message: "not \"here\""), client: id("phone"), clientName: "Ada\u{2019}s phone", at: 1_002, command: id("c7"))
        let decided = writer.approval("a1", seq: 2, stage: .decided, decision: decision)
        // The last two within one batch; delivered twice over is delivered once.
        try store.log.commit(writer.batch(1, approvals: [writer.approval("a1", seq: 1)]))
        try store.log.commit(writer.batch(1, approvals: [decided]))
        for seq in 3...4 as ClosedRange<Int64> {
            try store.log.commit(
                writer.batch(1, approvals: [writer.approval("a1", seq: seq, stage: .delivered, decision: decision)]))
        }
        var applied = writer.approval("a1", seq: 6)
        applied.stage = .applied(ApprovalStage.Given(decision, deliveredAt: 1_003), .denied, at: 1_006)
        var stale = writer.approval("a2", seq: 6)
        stale.stage = .stale(nil, reason: "tooMany", at: 1_006)
        try store.log.commit(writer.batch(2, approvals: [writer.approval("a2", seq: 5), applied, stale]))

        let lines = try store.auditLines()
        let facts =
            #""session":"s1","approval":"a1","tool":"Bash","title":"rm -rf build","digest":""#
            + String(repeating: "ab", count: 32) + #"""#
        let starts = [
            #"{"n":1,"at":1001,"workspace":"home","what":"approval.requested",\#(facts),"previous":"\#(String(repeating: "0", count: 64))","#,
            #"{"n":2,"at":1002,"workspace":"home","what":"approval.decided",\#(facts),"decision":{"decision":"deny","message":"not \"here\"","by":{"client":"phone","name":"Ada’s phone"},"at":1002,"command":"c7"},"previous":""#,
            #"{"n":3,"at":1003,"workspace":"home","what":"approval.delivered",\#(facts),"previous":""#,
            #"{"n":4,"at":1005,"workspace":"home","what":"approval.requested","session":"s1","approval":"a2","#,
            #"{"n":5,"at":1006,"workspace":"home","what":"approval.applied",\#(facts),"outcome":"denied","previous":""#,
            #"{"n":6,"at":1006,"workspace":"home","what":"approval.stale","session":"s1","approval":"a2","#,
        ]
        #expect(lines.count == starts.count)
        for (line, start) in zip(lines, starts) { #expect(line.hasPrefix(start), "\(line)") }
        #expect(lines.last?.contains(#""reason":"tooMany""#) == true)
        #expect(try store.audit.verify(against: nil, heads: []).faults.isEmpty)
    }

    @Test func `what somebody told an agent is recorded with the digest of its text, and how it ended`() throws {
        let store = try open()
        var writer = Writer(.first)
        let request = SteeringRequest(
            command: id("k1"), session: SessionKey.first.session, by: Named(id: id("phone"), name: "Ada"),
            action: .prompt(.init(text: "go on")))
        let events = [
            Event(.steeringRequested(SteeringCall(request)), at: 2_001) { $0.field("text", "go on") },
            Event(.steeringChanged(SteeringChange(request.name, .queued)), at: 2_002),
            Event(.steeringChanged(SteeringChange(request.name, .refused, reason: "the session has ended")), at: 2_003),
        ]
        var batch = writer.batch(events.count)
        batch.appends[0].events = events.map { LogEvent(kind: $0.head.kind, at: $0.at, bytes: $0.bytes) }
        try store.log.commit(batch)

        let lines = try store.auditLines()
        let digest = Crypto.hex(Crypto.sha256("go on"))
        #expect(lines.count == 2)
        #expect(
            lines.first?.contains(
                #""at":2001,"workspace":"home","what":"steering.requested","session":"s1","command":"k1","by":{"id":"phone","name":"Ada"},"action":"prompt","digest":"\#(digest)","#
            )
                == true)
        #expect(
            lines.last?.contains(
                #""what":"steering.refused","session":"s1","client":"phone","command":"k1","reason":"the session has ended","#)
                == true)
        #expect(lines.first?.contains("go on") == false)
        #expect(try store.audit.verify(against: nil, heads: []).faults.isEmpty)
    }

    @Test func `the record of a decision has the rule that was chosen, and where it is written`() throws {
        let store = try open()
        var writer = Writer(.first)
        let decision = Decision(
            .allowWith(offer: "s0"), client: id("phone"), clientName: "Ada", at: 1_001, command: id("c1"))
        let plain = writer.approval("a1", seq: 1, stage: .decided, decision: decision)
        var request = plain.request
        request.offers = [
            Offer(id: "s0", label: "Always", rule: "Bash(rm *)", scope: .project),
            Offer(id: "s1", label: "Other", scope: .session),
        ]
        var decided = Approval(
            session: plain.session, request: request, requestBytes: plain.requestBytes, requestedAt: plain.requestedAt,
            seq: plain.seq)
        decided.stage = plain.stage
        try store.log.commit(writer.batch(1, approvals: [decided]))
        let line = try #require(try store.auditLines().last)
        let offer = #""offer":{"id":"s0","label":"Always","rule":"Bash(rm *)","scope":"project","effect":"allow"},"previous""#
        #expect(line.contains(offer), "\(line)")
        #expect(try store.audit.verify(against: nil, heads: []).faults.isEmpty)
    }

    @Test func `the hash of a line is as the page about it says`() throws {
        let store = try open()
        var writer = Writer(.first)
        try store.log.commit(writer.batch(2, approvals: [writer.approval("a1", seq: 1), writer.approval("a2", seq: 2)]))
        var previous = String(repeating: "0", count: 64)
        for line in try store.auditLines() {
            let parts = line.components(separatedBy: #","hash":""#)
            #expect(parts.count == 2)
            let hash = Crypto.hex(Crypto.sha256(previous + parts[0] + "}"))
            #expect(parts[1] == hash + #""}"#)
            #expect(parts[0].hasSuffix(#""previous":"\#(previous)""#))
            previous = hash
        }
        #expect(try store.audit.verify(against: nil, heads: []).heads.map(\.hash) == [previous])
    }

    @Test func `tokens are recorded when they are made, redeemed and revoked, by name and never by digest`() throws {
        let store = try open()
        func token(_ name: String, _ byte: UInt8) -> Token {
            Token(
                id: name, digest: Array(repeating: byte, count: 32), role: .host, subject: "h1", name: "Laptop",
                workspace: .other,
                createdAt: 1_000)
        }
        try store.credentials.addToken(token("t1", 0xa1))
        try store.credentials.addPairingCode(
            PairingCode(digest: Array(repeating: 7, count: 32), role: .host, workspace: .other, expiresAt: 9_000))
        for _ in 0..<2 {
            _ = try store.credentials.redeemPairingCode(digest: Array(repeating: 7, count: 32), now: 2_000) { _ in
                token("t2", 0xa2)
            }
        }
        for _ in 0..<2 { _ = try store.credentials.revoke(TokenRevocation(id: "t1", by: "t2", at: 3_000)) }
        #expect(throws: LogError.self) { try store.credentials.addToken(token("t1", 0xa3)) }
        let lines = try store.auditLines()
        let expected = [
            #"{"n":1,"at":1000,"workspace":"other","what":"token.created","token":"t1","role":"host","subject":"h1","name":"Laptop","#,
            #"{"n":2,"at":2000,"workspace":"other","what":"pairing.redeemed","token":"t2","#,
            #"{"n":3,"at":3000,"workspace":"other","what":"token.revoked","token":"t1","#,
        ]
        #expect(lines.count == expected.count)
        for (line, start) in zip(lines, expected) { #expect(line.hasPrefix(start), "\(line)") }
        #expect(!lines.joined().lowercased().contains("a1a1a1"))
    }

    @Test func `each workspace has a chain of its own`() throws {
        let store = try open()
        var (mine, theirs) = (Writer(.first), Writer(SessionKey(workspace: .other, session: id("s1"))))
        for name in ["a1", "a2"] {
            for seq in [mine.seq + 1] {
                try store.log.commit(
                    LogBatch(appends: [
                        mine.append(1, approvals: [mine.approval(name, seq: seq)]),
                        theirs.append(1, approvals: [theirs.approval(name, seq: seq)]),
                    ]))
            }
        }
        #expect(try store.auditLines(of: .other).count == 2)
        #expect(try store.auditLines().count == 4)
        let report = try store.audit.verify(against: nil, heads: [])
        #expect(report.faults.isEmpty)
        #expect(report.heads.map(\.workspace) == [.home, .other])
        #expect(report.heads.map(\.n) == [2, 2])
    }

    @Test func `retention passes the audit log by`() throws {
        let store = try open()
        var writer = Writer(.first)
        let decision = Decision(.allow, client: id("c"), clientName: "c", at: 1_001, command: id("c1"))
        try store.log.commit(writer.batch(1, approvals: [writer.approval("a1", seq: 1)]))
        try store.log.commit(writer.batch(1, approvals: [writer.approval("a1", seq: 2, stage: .decided, decision: decision)]))
        let before = try store.auditLines()
        try store.log.commit(LogBatch(trims: [SessionTrim(key: .first, through: 2, state: nil)]))
        #expect(try store.auditLines() == before)
        #expect(try store.audit.verify(against: nil, heads: []).faults.isEmpty)
    }

    @Test func `another connection's records come between, and the chain goes on behind them`() throws {
        let store = try open()
        let commandLine = try scratch.openAsCommandLine()
        var writer = Writer(.first)
        for number in 1...3 as ClosedRange<Int64> {
            try store.log.commit(writer.batch(1, approvals: [writer.approval("a\(number)", seq: number)]))
            try commandLine.credentials.addToken(
                Token(
                    id: "t\(number)", digest: Array(repeating: UInt8(number), count: 32), role: .host, subject: "h1",
                    name: "Laptop",
                    workspace: .home, createdAt: 1_000))
        }
        let report = try store.audit.verify(against: nil, heads: [])
        #expect(report.faults.isEmpty)
        #expect(report.heads.map(\.n) == [6])
        let kinds = try store.auditLines().map { $0.contains("token.created") }
        #expect(kinds == [false, true, false, true, false, true])
    }

    @Test func `a batch that is refused leaves nothing behind that the next one trips over`() throws {
        let store = try open()
        var (writer, second) = (Writer(.first), Writer(.second, seq: 5))
        try store.log.commit(writer.batch(1, approvals: [writer.approval("a1", seq: 1)]))
        var ahead = writer
        let bad = LogBatch(appends: [ahead.append(1, approvals: [ahead.approval("a2", seq: 2)]), second.append(1)])
        #expect(throws: LogError.self) { try store.log.commit(bad) }
        try store.log.commit(
            writer.batch(1, approvals: [writer.approval("a2", seq: 2), writer.approval("a1", seq: 2, stage: .cancelled)]))
        #expect(try store.audit.verify(against: nil, heads: []).faults.isEmpty)
        #expect(try store.auditLines().count == 3)
    }

    @Test func `a session that was removed and comes back has its approvals anew`() throws {
        let store = try open()
        var writer = Writer(.first)
        try store.log.commit(writer.batch(1, approvals: [writer.approval("a1", seq: 1)]))
        try store.log.commit(LogBatch(trims: [SessionTrim(key: .first, through: 1, state: nil)]))
        try store.log.commit(writer.batch(1, approvals: [writer.approval("a1", seq: 2)]))
        #expect(try store.log.load(resolvedSince: 0).approvals.map(\.approval.seq) == [2])
        #expect(try store.auditLines().count == 2)
        #expect(try store.audit.verify(against: nil, heads: []).faults.isEmpty)
    }

    @Test func `what is remembered of sessions and approvals is bounded, and what is not remembered is asked for`() throws {
        let store = try open()
        let keys = (0...CommitMemory.entriesMax).map { SessionKey(workspace: .home, session: id("s\($0)")) }
        var writers = keys.map { Writer($0) }
        func commit(_ seq: Int64, _ stage: ApprovalStage.Word) throws {
            var appends: [SessionAppend] = []
            for index in writers.indices {
                appends.append(writers[index].append(1, approvals: [writers[index].approval("a1", seq: seq, stage: stage)]))
            }
            try store.log.commit(LogBatch(appends: appends))
        }
        for (seq, stage) in [(1, .pending), (2, .decided)] as [(Int64, ApprovalStage.Word)] { try commit(seq, stage) }
        #expect(try store.auditLines().count == 2 * keys.count)
        #expect(try store.audit.verify(against: nil, heads: []).faults.isEmpty)
        #expect(
            try store.log.load(resolvedSince: 0).approvals.allSatisfy { $0.approval.stage.word == .decided })
    }

    @Test func `the log of the version before is taken along, with what is missing of it`() throws {
        let store = try open()
        var (mine, theirs) = (Writer(.first), Writer(SessionKey(workspace: .other, session: id("s1"))))
        for number in 1...3 as ClosedRange<Int64> {
            try store.log.commit(
                LogBatch(appends: [
                    mine.append(1, approvals: [mine.approval("a\(number)", seq: number)]),
                    theirs.append(1, approvals: [theirs.approval("a\(number)", seq: number)]),
                ]))
        }
        let lines = try store.auditLines()
        try store.close()
        try scratch.sql(OlderFile.version4)
        do {
            let store = try scratch.open()
            #expect(try store.auditLines() == lines)
            #expect(try store.audit.verify(against: nil, heads: []).faults.isEmpty)
            try store.log.commit(mine.batch(1, approvals: [mine.approval("a4", seq: 4)]))
            #expect(try store.audit.verify(against: nil, heads: []).faults.isEmpty)
            try store.close()
        }
        // Truncated before the upgrade to this version: still detected after it.
        try scratch.sql(OlderFile.version4 + "DROP TRIGGER audit_is_not_cut; DELETE FROM audit WHERE number > 5")
        try scratch.sql("CREATE TRIGGER audit_is_not_cut BEFORE DELETE ON audit BEGIN SELECT raise(ABORT, ''); END")
        let faults = try scratch.open().audit.verify(against: nil, heads: []).faults
        #expect(faults == ["row 3 of home is the last, but there were 5: the end was cut off"], "\(faults)")
    }

    @Test func `a batch that is refused leaves no record`() throws {
        let store = try open()
        var (writer, second) = (Writer(.first), Writer(.second, seq: 5))
        let bad = LogBatch(appends: [writer.append(1, approvals: [writer.approval("a1", seq: 1)]), second.append(1)])
        #expect(throws: LogError.self) { try store.log.commit(bad) }
        #expect(try store.auditLines().isEmpty)
        #expect(try store.audit.verify(against: nil, heads: []).recordCount == 0)
    }

    @Test func `decisions of a file that is older than the audit log are not missed`() throws {
        var writer = Writer(SessionKey(workspace: id("default"), session: id("s1")))
        let decision = Decision(.allow, client: id("c"), clientName: "c", at: 1_001, command: id("c1"))
        do {
            let store = try scratch.open()
            _ = try store.credentials.bootstrap(workspaceName: "Home")
            try store.log.commit(
                writer.batch(2, approvals: [writer.approval("a1", seq: 2, stage: .decided, decision: decision)]))
            try store.close()
        }
        try scratch.sql(OlderFile.version1)
        let store = try scratch.open()
        #expect(try store.log.load(resolvedSince: 0).approvals.count == 1)
        #expect(try store.audit.verify(against: nil, heads: []).faults.isEmpty)
        try store.log.commit(writer.batch(2, approvals: [writer.approval("a2", seq: 4, stage: .decided, decision: decision)]))
        #expect(try store.audit.verify(against: nil, heads: []).recordCount == 1)
        #expect(try store.audit.verify(against: nil, heads: []).faults.isEmpty)
    }
}

extension SQLiteStore {
    func auditLines(of workspace: WorkspaceID? = nil) throws -> [String] {
        var lines: [String] = []
        try audit.export(of: workspace) {
            lines.append(String(decoding: $0, as: UTF8.self))
            return true
        }
        return lines
    }
}
