import HostRules
import RelayProtocol
import Testing

@testable import HostCore

/// The owner's rules at the host: the calls that they answer before a person is asked, and those that they do not.
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
    private func stored(_ bench: HostBench) throws -> AppliedRule? { try request(bench).rule }

    private func request(_ bench: HostBench) throws -> ApprovalRequest {
        let batch = try #require(bench.spool.index.batch(Self.session, after: 0, countMax: 256, bytesMax: 4 << 20))
        for bytes in try bench.spool.read(batch).reversed() {
            if case .approvalRequested(let request) = try Event(stored: bytes).head { return request }
        }
        throw WireError(.badValue, at: "$", "nothing was asked")
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

    private static let guarding = """
        [[rule]]
        name = "tests"
        answer = "allow"
        for = "Bash(npm test)"

        [[rule]]
        name = "guarded"
        answer = "passkey"
        for = ["Bash(npm test)", "AskUserQuestion"]
        """

    @Test func whatAPasskeyGuardsIsAllowedByNoOtherRule() throws {
        var bench = try bench(MemoryRules(Self.guarding))
        #expect(!ask(&bench, command("npm test")).contains(decided))
        #expect(try request(bench).needsPasskey && request(bench).rule == nil)
    }

    @Test(arguments: [true, false], [true, false])
    func aFileThatCannotBeReadGuardsAllWherePasskeysAreTaken(isUnreadable: Bool, hasPasskeys: Bool) throws {
        let rules = try MemoryRules(Self.guarding)
        (rules.rules, rules.isUnreadable) = (nil, isUnreadable)
        var desk = RuleDesk(rules, home: "/home/me")
        let request = ApprovalRequest(
            approval: HostBench.approval, kind: .tool, tool: "Bash", title: "Bash", digest: HostBench.digest)
        let event = Event(.approvalRequested(request), at: 1) { _ in }
        var effects: [AgentEffect<any Sendable>] = [.emit(Self.session, event.bytes, isKept: true)]
        let answered = desk.answering(
            &effects, of: "one", at: HostInstant(wall: 1, monotonic: 1), hasPasskeys: hasPasskeys
        ) { _ in false }
        #expect(answered.isEmpty)
        #expect(desk.needsPasskey(HostBench.approval) == (isUnreadable && hasPasskeys))
        #expect(desk.guards(hasPasskeys: hasPasskeys) == (isUnreadable && hasPasskeys))
    }

    @Test func aGuardedRequestThatIsTooLongCanOnlyBeDenied() throws {
        var bench = try bench(MemoryRules(Self.guarding))
        var request = ApprovalRequest(
            approval: HostBench.approval, kind: .tool, tool: "Bash", title: "Bash", digest: HostBench.digest)
        request.isRedacted = true
        let empty = Event(.approvalRequested(request), at: 1) { $0.field("more", "") }
        let event = Event(.approvalRequested(request), at: 1) {
            $0.field("more", String(repeating: "x", count: WireLimits.eventBytesMax - empty.bytes.count))
        }
        #expect(event.bytes.count == WireLimits.eventBytesMax)
        _ = bench.tell("one", [.remember("a1", Array("{}".utf8)), .emit(Self.session, event.bytes, isKept: true)])
        #expect(try self.request(bench).needsPasskey && self.request(bench).isCut)
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
        // The file has changed since, but given answers stand.
        let later = try HostBench(on: disk, rules: MemoryRules(Self.text, isAccepted: false))
        #expect(later.begun.contains(decided))
        var third = try HostBench(on: disk, rules: MemoryRules(Self.text))
        _ = third.tell("one", [.remember("a1", nil)])
        let last = try HostBench(on: disk, rules: MemoryRules(Self.text))
        #expect(!last.begun.contains(decided))
        #expect(last.spool.index.notes.keys.filter { $0.contains("a1") }.isEmpty)
    }

    private static let twice = """
        [[rule]]
        name = "tests"
        answer = "allow"
        for = "Bash(npm test)"
        times = 2
        """

    @Test func aRuleAllowsAsOftenAsItSaysAlsoOverRestartsAndEdits() throws {
        func isAllowed(_ text: String) throws -> Bool {
            var bench = try bench(MemoryRules(text))
            defer { _ = bench.tell("one", [.remember("a1", nil)]) }
            return ask(&bench, command("npm test")).contains(decided)
        }
        #expect(try isAllowed(Self.twice))
        #expect(try !isAllowed(""), "the rule is cut out, and comes back as its owner accepted it")
        #expect(try isAllowed(Self.twice))
        #expect(try !isAllowed(Self.twice))
        #expect(try !isAllowed(Self.twice))
        #expect(try isAllowed(Self.twice.replacing("= 2", with: "= 3")))
        #expect(try !isAllowed(Self.twice.replacing("= 2", with: "= 3")))
    }

    @Test func aDaemonThatAnswersTwiceAllowsNoMoreThanARuleSays() throws {
        var bench = try bench(MemoryRules(Self.twice))
        let answers = (0..<4).map { _ in ask(&bench, command("npm test")).contains(decided) }
        #expect(answers == [true, true, false, false])
        let kept = try #require(try MemoryRules(Self.twice).rules)
        #expect([0, 1, 2, Int.max].map { RulesOffer(kept, uses: RuleUses(["tests": $0])).rules[0].left } == [2, 1, 0, 0])
        let full = RuleUses(Dictionary(uniqueKeysWithValues: (0..<RuleUses.namesMax).map { ("r\($0)", 1) }))
        #expect(full.left(of: kept.book.rules[0]) == 0, "what has no room to be counted allows nothing")
    }

    // MARK: Taken back from afar

    private static let desk = "heliograph-f00"
    private static let client = Named<ClientTag>(id: ClientID("c1")!, name: "Ada's phone")

    /// A host with a session of its own, connected.
    private func open(_ rules: MemoryRules) throws -> HostBench {
        var bench = try HostBench(on: disk, steering: .everyone, starts: true, rules: rules)
        bench.diary.keepsDecisions = true
        begin(&bench)
        _ = bench.tell(.told(agent: LaunchAdapter.name, LaunchFact.read([], [])))
        _ = bench.connect()
        return bench
    }

    private func off(_ bench: inout HostBench, _ rule: String, id: String = "k1") -> [String] {
        let request = SteeringRequest(
            command: CommandID(id)!, session: SessionID(Self.desk)!, by: Self.client, action: .ruleOff(rule))
        return bench.tell(.received(.steer(request)))
    }

    private func heads(_ bench: HostBench, of session: String = desk) throws -> [EventHead] {
        let batch = try #require(
            bench.spool.index.batch(SessionID(session)!, after: 0, countMax: 256, bytesMax: 1 << 20))
        return try bench.spool.read(batch).map { try Event(stored: $0).head }
    }

    private func offers(_ bench: HostBench) throws -> [SteeringOffer] {
        try heads(bench).compactMap { if case .steeringOffered(let offer) = $0 { offer } else { nil } }
    }

    private func changes(_ bench: HostBench) throws -> [SteeringChange] {
        try heads(bench).compactMap { if case .steeringChanged(let change) = $0 { change } else { nil } }
    }

    @Test func theHostsSessionShowsItsRules() throws {
        let rules = try MemoryRules(Self.text)
        var bench = try open(rules)
        let offer = try #require(try offers(bench).last)
        #expect(offer.actions == [.ruleOff, .ruleTry])
        let shown = try #require(offer.rules)
        #expect(shown.isAccepted && shown.more == 0 && shown.rules.map(\.name) == ["tests", "looks", "no-push"])
        #expect(shown.rules[0].patterns == ["Bash(npm test)", "Edit(src/**)"] && shown.rules[2].words == "Ask Ada first.")
        // A file that has changed is seen with the next question.
        rules.rules?.isAccepted = false
        _ = ask(&bench, command("npm test"))
        #expect(try offers(bench).last?.rules?.isAccepted == false)
    }

    @Test func aRuleThatIsTakenBackAllowsNothing() throws {
        let rules = try MemoryRules(Self.text)
        var bench = try open(rules)
        #expect(off(&bench, "tests").contains("log"))
        #expect(rules.rules?.off == ["tests"])
        #expect(try changes(bench).map(\.stage) == [.taken])
        // Whoever reads the outcome has read that it is off.
        #expect(try heads(bench).suffix(2).map(\.kind) == ["steering.offered", "steering.changed"])
        #expect(try offers(bench).last?.rules?.rules.map(\.isOff) == [true, false, false])
        #expect(!ask(&bench, command("npm test")).contains(decided))
        #expect(!ask(&bench, command("npm test && ls")).contains(decided), "one that covers a part does not do for all")
        #expect(ask(&bench, command("ls")).contains(decided))
        #expect(ask(&bench, command("git push")).contains(decided), "what is denied stays denied")
    }

    @Test func noRuleThatKeepsAgentsBackIsTakenBackFromAfar() throws {
        let rules = try MemoryRules(Self.text)
        var bench = try open(rules)
        _ = off(&bench, "no-push")
        _ = off(&bench, "unheard-of", id: "k2")
        #expect(try changes(bench).map(\.stage) == [.refused, .refused])
        #expect(rules.rules?.off == [])
        // A file beside the rules that says so is not believed either.
        rules.rules?.off = ["no-push"]
        #expect(ask(&bench, command("git push")).contains(decided))
    }

    @Test func aRuleIsTakenBackOnceAndOnlyWhenItIsOnDisk() throws {
        let rules = try MemoryRules(Self.text)
        var bench = try open(rules)
        rules.failure = SpoolError(.full, "full")
        _ = off(&bench, "tests")
        #expect(try changes(bench).last?.stage == .refused && rules.rules?.off == [])
        rules.failure = nil
        _ = off(&bench, "tests", id: "k2")
        _ = off(&bench, "tests", id: "k3")
        #expect(try changes(bench).map(\.stage) == [.refused, .taken, .taken])
        rules.rules = nil
        _ = off(&bench, "tests", id: "k4")
        // Without rules nothing of the kind is offered.
        #expect(try changes(bench).last?.stage == .refused && offers(bench).last?.actions == [.ruleTry])
    }

    @Test func anOpenHostTakesNoRuleFromAfar() throws {
        let rules = try MemoryRules(Self.text)
        var bench = try open(rules)
        let request = SteeringRequest(
            command: CommandID("k1")!, session: SessionID(Self.desk)!, by: Self.client,
            action: .ruleAdd("[[rule]]\nname = \"x\"\nanswer = \"allow\"\nfor = \"Bash(id)\""))
        _ = bench.tell(.received(.steer(request)))
        #expect(try changes(bench).map(\.stage) == [.refused])
        #expect(rules.rules?.book.rules.count == 3)
    }

    private func send(_ bench: inout HostBench, _ action: SteeringAction, id: String = "k1") -> [String] {
        bench.tell(
            .received(
                .steer(
                    SteeringRequest(command: CommandID(id)!, session: SessionID(Self.desk)!, by: Self.client, action: action))))
    }

    @Test func anOpenHostChangesNoRuleFromAfar() throws {
        let rules = try MemoryRules(Self.text)
        var bench = try open(rules)
        _ = send(&bench, .ruleChange("tests", to: "[[rule]]\nname = \"x\"\nanswer = \"allow\"\nfor = \"Bash(id)\""))
        #expect(try changes(bench).map(\.stage) == [.refused])
        #expect(rules.rules?.book.rules.map(\.name) == ["tests", "looks", "no-push"])
    }

    @Test func rulesAreTriedAndNothingChanges() throws {
        let rules = try MemoryRules(Self.text)
        var bench = try open(rules)
        #expect(send(&bench, .ruleTry("[[rule]]")).contains("try [[rule]] for k1"))
        #expect(send(&bench, .ruleTry(""), id: "k2").contains("try  for k2"))
        _ = send(&bench, .ruleTry(""), id: "k3")
        #expect(try changes(bench).map(\.stage) == [.refused], "two at a time")
        func name(_ id: String) -> SteeringName { SteeringName(client: Self.client.id, command: CommandID(id)!) }
        _ = bench.tell(.rulesTried(name("k2"), .refused("the relay is away")))
        _ = bench.tell(.rulesTried(name("k1"), .tried(Array(#"{"requests":7}"#.utf8))))
        _ = bench.tell(.rulesTried(name("k1"), .tried([])))
        #expect(try changes(bench).map(\.stage) == [.refused, .refused, .taken])
        #expect(try changes(bench)[1].reason == "the relay is away")
        let batch = try #require(bench.spool.index.batch(SessionID(Self.desk)!, after: 0, countMax: 256, bytesMax: 1 << 20))
        let last = try #require(try bench.spool.read(batch).last)
        #expect(String(decoding: last, as: UTF8.self).contains(#""body":{"tried":{"requests":7}}"#))
        #expect(rules.rules?.book.rules.count == 3 && rules.rules?.off == [])
        #expect(send(&bench, .ruleTry(""), id: "k4").contains("try  for k4"), "there is room again")
    }

    // MARK: What an agent allows itself

    private func heed(_ bench: inout HostBench, _ command: String, session: SessionID? = session) -> String? {
        let call = UnaskedCall(session: session, tool: "Bash", input: Array(self.command(command).utf8))
        return bench.tell("one", [.heed(HookToken(rawValue: 9), call, demand: Array("ask".utf8), denial: Array("deny".utf8))])
            .first {
                $0.hasPrefix("respond")
            }
    }

    @Test func whatARuleDeniesDoesNotRunThoughTheAgentWouldRunIt() throws {
        var bench = try bench(MemoryRules(Self.text, isAccepted: false))
        #expect(heed(&bench, "git push origin") == "respond 9 deny")
        #expect(heed(&bench, "true; git push origin", session: nil) == "respond 9 deny", "whoever asks")
        #expect(heed(&bench, "eval $(x") == "respond 9 ask", "what cannot be read may be it")
        #expect(heed(&bench, "git status") == "respond 9 nothing", "rules that allow have no say here")
        #expect(heed(&bench, "npm test") == "respond 9 nothing")
        var open = try HostBench(on: disk)
        #expect(heed(&open, "git push") == "respond 9 nothing", "no rules")
    }

    @Test func whileTheFileCannotBeReadEachCallIsAsked() throws {
        let rules = try MemoryRules(Self.text)
        var bench = try bench(rules)
        (rules.rules, rules.isUnreadable) = (nil, true)
        #expect(heed(&bench, "git status") == "respond 9 ask", "a rule that nobody can read may be about it")
        rules.isUnreadable = false
        #expect(heed(&bench, "git status") == "respond 9 nothing", "there is no file")
    }

    @Test func whatKeptAgentsBackDoesSoUntilTheOwnerHasLookedAtTheChange() throws {
        let rules = try MemoryRules(Self.text)
        var bench = try bench(rules)
        let accepted = try #require(rules.rules).book
        let now = try RuleBook(parsing: "[[rule]]\nname = 'no-rm'\nanswer = 'deny'\nfor = 'Bash(rm:*)'")
        rules.rules = KeptRules(now, digest: MemoryRules.digest, isAccepted: false, accepted: accepted)
        #expect(rules.rules?.standing.rules.map(\.name) == ["no-rm", "no-push"], "what allowed does not")
        #expect(heed(&bench, "git push origin") == "respond 9 deny")
        #expect(heed(&bench, "rm x") == "respond 9 deny", "the new rule holds, too")
        #expect(ask(&bench, command("git push origin")).contains(decided))
        #expect(bench.diary.decisions.first?.decision.verdict == .deny(message: "Ask Ada first."))
        #expect(RulesOffer(try #require(rules.rules)).rules.map(\.name) == ["no-rm", "no-push"])
        rules.rules = KeptRules(now, digest: MemoryRules.digest, isAccepted: true, accepted: accepted)
        #expect(heed(&bench, "git push origin") == "respond 9 nothing")
    }

    @Test func theFolderInWhichTheAgentIsNowCounts() throws {
        var desk = RuleDesk(
            try MemoryRules("[[rule]]\nname = 'no'\nanswer = 'deny'\nfor = 'Read(config/**)'"), home: "/home/me")
        var facts = SessionFacts(agentName: "one")
        facts.workingDirectory = "/home/me/site"
        var started: [AgentEffect<any Sendable>] = [
            .emit(Self.session, Event(.sessionStarted(facts), at: 1).bytes, isKept: true)
        ]
        _ = desk.answering(&started, of: "one", at: HostInstant(wall: 1, monotonic: 1)) { _ in false }
        func isAsked(in folder: String) -> Bool {
            let call = UnaskedCall(session: Self.session, tool: "Bash", input: Array(command("cat prod.env").utf8))
            var effects: [AgentEffect<any Sendable>] = [.heed(HookToken(rawValue: 9), call, demand: [], denial: [])]
            _ = desk.answering(
                &effects, of: "one", at: HostInstant(wall: 1, monotonic: 1), present: { _ in folder }
            ) { _ in false }
            if case .restrict = effects.first { return true }
            return false
        }
        #expect(isAsked(in: "/home/me/site/config") && !isAsked(in: "/home/me/site"))
    }

    @Test func aRestartShowsWhatIsOff() throws {
        let rules = try MemoryRules(Self.text)
        var first = try open(rules)
        _ = off(&first, "tests")
        var later = try open(rules)
        #expect(try offers(later).last?.rules?.rules.map(\.isOff) == [true, false, false])
        #expect(!ask(&later, command("npm test")).contains(decided))
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
