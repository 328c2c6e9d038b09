import HostRules
import RelayProtocol
import Testing

@testable import HostCore

/// The owner's rules at the host: what they answer before anybody is asked, and when they do not.
@Suite struct HostRuleTests {
    private static let text = """
        [[rule]]
        name = "tests"
        answer = "allow"
        for = ["Bash(npm test)", "Edit(src/**)"]

        [[rule]]
        name = "looks"
        answer = "allow"
        for = "Bash(ls:*)"

        [[rule]]
        name = "no-push"
        answer = "deny"
        for = "Bash(git push:*)"
        words = "Ask Ada first."
        """

    private static let session = SessionID("one-s")!
    private let disk = MemoryDisk()

    private func bench(_ rules: MemoryRules, holds: Holds = Holds()) throws -> HostBench {
        var bench = try HostBench(on: disk, holds: holds, rules: rules)
        bench.diary.keepsDecisions = true
        begin(&bench)
        return bench
    }

    private func begin(_ bench: inout HostBench) {
        var facts = SessionFacts(agentName: "one")
        facts.workingDirectory = "/home/me/site"
        _ = bench.tell("one", [HostBench.emit(.sessionStarted(facts), in: "one-s", isKept: true)])
    }

    private func ask(
        _ bench: inout HostBench, _ input: String, tool: String = "Bash", _ change: (inout ApprovalRequest) -> Void = { _ in }
    ) -> [String] {
        var request = ApprovalRequest(
            approval: HostBench.approval, kind: .tool, tool: tool, title: tool, digest: HostBench.digest)
        change(&request)
        let event = Event(.approvalRequested(request), at: 1) { $0.raw("input", Array(input.utf8)) }
        return bench.tell(
            "one", [.remember("a1", Array(#"{"session":"one-s"}"#.utf8)), .emit(Self.session, event.bytes, isKept: true)])
    }

    private func command(_ text: String) -> String {
        String(decoding: JSONWriter.object { $0.field("command", text) }, as: UTF8.self)
    }

    /// The rule in the request that is on the disk.
    private func stored(_ bench: HostBench) throws -> AppliedRule? {
        let batch = try #require(bench.spool.index.batch(Self.session, after: 0, countMax: 256, bytesMax: 1 << 20))
        for bytes in try bench.spool.read(batch).reversed() {
            if case .approvalRequested(let request) = try Event(stored: bytes).head { return request.rule }
        }
        return nil
    }

    private let decided = "one hears decided one-s a1"

    @Test func whatARuleAllowsNobodyIsAskedAbout() throws {
        var bench = try bench(MemoryRules(Self.text))
        #expect(ask(&bench, command("npm test && ls")).contains(decided))
        let (digest, decision) = try #require(bench.diary.decisions.first)
        #expect(digest == HostBench.digest)
        #expect(decision.verdict == .allow && decision.clientName == "the rule tests, looks")
        #expect(
            try stored(bench) == AppliedRule(name: "tests, looks", digest: MemoryRules.digest, answer: .allow))
    }

    @Test func whatStandsBesideItIsAsked() throws {
        var bench = try bench(MemoryRules(Self.text))
        #expect(!ask(&bench, command("npm test && touch forbidden")).contains(decided))
        #expect(try stored(bench) == nil)
    }

    @Test func aDenialHasTheRulesWords() throws {
        var bench = try bench(MemoryRules(Self.text, isAccepted: false))
        #expect(ask(&bench, command("npm test; git push origin")).contains(decided))
        #expect(bench.diary.decisions.first?.decision.verdict == .deny(message: "Ask Ada first."))
    }

    @Test func nothingIsAllowedByAFileThatNobodyAccepted() throws {
        var bench = try bench(MemoryRules(Self.text, isAccepted: false))
        #expect(!ask(&bench, command("npm test")).contains(decided))
    }

    @Test func whatIsNotShownWholeIsAsked() throws {
        var bench = try bench(MemoryRules(Self.text))
        #expect(!ask(&bench, command("npm test")) { $0.isCut = true }.contains(decided))
        #expect(!ask(&bench, command("npm test")) { $0.isRedacted = true }.contains(decided))
        #expect(!ask(&bench, command("npm test")) { $0.kind = .question }.contains(decided))
    }

    @Test func nothingIsAllowedInAHeldSession() throws {
        var holds = Holds()
        holds.sessions = [Self.session]
        var held = try bench(MemoryRules(Self.text), holds: holds)
        #expect(!ask(&held, command("npm test")).contains(decided))
        #expect(ask(&held, command("git push")).contains(decided), "what a rule denies stays denied")
    }

    @Test func nothingIsAllowedWhileAPersonIsAskedForEverything() throws {
        var bench = try bench(MemoryRules(Self.text))
        _ = bench.tell("one", [.askAll(Self.session, true)])
        #expect(!ask(&bench, command("npm test")).contains(decided))
        _ = bench.tell("one", [.askAll(Self.session, false)])
        #expect(ask(&bench, command("npm test")).contains(decided))
    }

    @Test func aFileIsAllowedWhereItsPathLeads() throws {
        let rules = try MemoryRules(Self.text)
        var bench = try bench(rules)
        rules.target = { _ in "/home/me/.bashrc" }
        #expect(!ask(&bench, #"{"file_path":"/home/me/site/src/a"}"#, tool: "Edit").contains(decided))
        rules.target = { $0 }
        #expect(ask(&bench, #"{"file_path":"/home/me/site/src/a"}"#, tool: "Edit").contains(decided))
    }

    @Test func anAnswerThatIsNotOnDiskIsNone() throws {
        var bench = try bench(MemoryRules(Self.text))
        disk.failing[.append] = SpoolError(.full, "full")
        #expect(!ask(&bench, command("npm test")).contains(decided))
    }

    @Test func anAnswerOutlivesTheDaemonUntilItsApprovalIsOver() throws {
        var bench = try bench(MemoryRules(Self.text))
        _ = ask(&bench, command("npm test"))
        // The file changed meanwhile: what was answered stays answered.
        let later = try HostBench(on: disk, rules: MemoryRules(Self.text, isAccepted: false))
        #expect(later.begun.contains(decided))
        var third = try HostBench(on: disk, rules: MemoryRules(Self.text))
        _ = third.tell("one", [.remember("a1", nil)])
        let last = try HostBench(on: disk, rules: MemoryRules(Self.text))
        #expect(!last.begun.contains(decided))
        #expect(last.spool.index.notes.keys.filter { $0.contains("a1") }.isEmpty)
    }

    @Test func whereASessionWorksIsKnownAfterARestart() throws {
        var first = try bench(MemoryRules(Self.text))
        _ = first.tell("one", [.remember("one-s", [1])])
        var later = try HostBench(on: disk, rules: MemoryRules(Self.text))
        #expect(ask(&later, #"{"file_path":"src/a"}"#, tool: "Edit").contains(decided))
        _ = later.tell("one", [HostBench.emit(.sessionEnded(reason: nil, failed: false), in: "one-s", isKept: true)])
        #expect(!ask(&later, command("npm test")).contains(decided), "it is not known where it works")
    }
}
