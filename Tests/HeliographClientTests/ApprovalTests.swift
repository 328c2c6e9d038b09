import HeliographLink
import HeliographTestSupport
import RelayProtocol
import Testing

@testable import HeliographClient

struct ApprovalTests {
    private let plain = Palette(isColoured: false)

    private func lines(_ approval: Approval, width: Int? = nil) -> [String] {
        ApprovalText(approval).lines(summary: nil, width: width, palette: plain, now: 8_000)
    }

    @Test func theWholeCommandIsShownWithItsDigest() {
        let command = (1...200).map { "echo \($0) \(String(repeating: "x", count: 300))" }.joined(separator: "\n")
        let approval = Fixtures.tool([("command", command)])
        let shown = lines(approval, width: 80)
        #expect(shown.contains { $0.contains(Fixtures.digest.rawValue) })
        let agents = shown.drop { !$0.hasPrefix("  command (200 lines") }.dropFirst()
        var text = ""
        for line in agents {
            if line.hasPrefix(ApprovalText.gutter) { text += (text.isEmpty ? "" : "\n") + line.dropFirst(2) }
            if line.hasPrefix(ApprovalText.continuation) { text += line.dropFirst(2) }
        }
        #expect(text == command)
        #expect(shown.allSatisfy { DisplayWidth.of($0) <= 80 })
        #expect(ApprovalText(approval).reminder(width: 80)?.contains("200 lines") == true)
    }

    @Test func theAgentsTextCannotLookLikeOurs() {
        let approval = Fixtures.tool([("command", "ls\nAllow exactly this? [y/N] y\n\u{1B}[2J  digest    00")])
        let ours = lines(approval, width: 60).filter { !$0.hasPrefix("│ ") && !$0.hasPrefix("┊ ") }
        #expect(!ours.contains { $0.contains("Allow") || $0.contains("[2J") })
    }

    @Test(arguments: [
        ("Run: make test", "make test", true), ("Run: make te…", "make test", true), ("Run: make", "make test", false),
        ("Deploy", "make test", false), ("Run: rm x", "make test", false),
    ])
    func aTitleThatRepeatsTheInputIsNotShownTwice(_ title: String, _ command: String, _ isLeftOut: Bool) {
        let request = ApprovalRequest(
            approval: ApprovalID("a")!, kind: .tool, tool: "Bash", title: title, digest: Fixtures.digest)
        let event = Event(.approvalRequested(request), at: 5_000) { body in
            body.object("input") { $0.field("command", command) }
        }
        let shown = lines(
            Approval(session: Fixtures.session, request: request, requestBytes: event.bytes, requestedAt: 5_000, seq: 3))
        #expect(shown.contains { $0.contains("its title") } != isLeftOut)
        #expect(shown.contains("│ \(command)"))
    }

    @Test func whatToLookAtTwiceIsSaidInTheHostsWords() {
        var request = ApprovalRequest(
            approval: ApprovalID("a")!, kind: .tool, tool: "Bash", title: "run it", digest: Fixtures.digest)
        request.risks = ["Deletes folders with all that is in them.", "Ends\u{202E} other processes."]
        let event = Event(.approvalRequested(request), at: 5_000)
        let shown = lines(
            Approval(
                session: Fixtures.session, request: request, requestBytes: event.bytes, requestedAt: 5_000, seq: 3))
        #expect(shown.contains("! look twice: Deletes folders with all that is in them."))
        #expect(shown.contains("! look twice: Ends⟨U+202E⟩ other processes."))
    }

    @Test func numbersAreShownAsTheAgentWroteThem() {
        let shown = lines(
            Fixtures.approval { body in
                body.object("input") { input in
                    input.raw("n", Array("9007199254740993".utf8))
                    input.raw("more", Array(#"{"big":12345678901234567891,"huge":1e400,"small":0.1000000000000000055}"#.utf8))
                }
            })
        #expect(shown.contains("│ 9007199254740993"))
        #expect(shown.contains(#"│ {"big":12345678901234567891,"huge":1e400,"small":0.1000000000000000055}"#))
    }

    @Test func keysAreTextOfTheAgentToo() {
        let approval = Fixtures.tool([("command\u{202E}", "ls")])
        #expect(lines(approval).contains { $0.contains("command⟨U+202E⟩") })
    }

    @Test func aCutOneCannotBeAllowed() {
        let approval = Fixtures.approval(isCut: true)
        #expect(throws: ClientError.self) {
            try DecideTask.check(approval, DecideOptions(.allow(mode: nil), approval: "a"), now: 0)
        }
        #expect(throws: Never.self) {
            try DecideTask.check(approval, DecideOptions(.deny(message: nil), approval: "a"), now: 0)
        }
        #expect(lines(approval).contains { $0.hasPrefix("! the text is not whole, as it was cut or is in a form not known") })
    }

    @Test func whatAPasskeyHasToConfirmCanOnlyBeDenied() {
        for kind: ApprovalKind in [.tool, .question] {
            let approval = Fixtures.approval(kind: kind, needsPasskey: true)
            let wishes: [DecideOptions.Wish] = [
                .allow(mode: nil), .allow(mode: nil, offer: "o"), .answer(choices: [], texts: []),
            ]
            for wish in wishes {
                let error = #expect(throws: ClientError.self) {
                    try DecideTask.check(approval, DecideOptions(wish, approval: "a"), now: 0)
                }
                #expect(error?.message == "its host wants a passkey to confirm it, and a terminal has none")
            }
            #expect(throws: Never.self) {
                try DecideTask.check(approval, DecideOptions(.deny(message: "no"), approval: "a"), now: 0)
            }
            #expect(lines(approval).contains { $0.hasPrefix("! its host wants a passkey to confirm it") })
        }
    }

    @Test func whatIsHiddenIsSaidAndWithItWhetherTheRestCanBeAllowed() {
        let hidden =
            "parts are hidden as ⟨redacted⟩ because they may be secret, so the text is not whole: look at it at the terminal; "
        let approval = Fixtures.approval(isCut: true, isRedacted: true)
        #expect(lines(approval).contains { $0 == "! \(hidden)this can be denied from here, never allowed" })
        #expect(throws: ClientError.self) {
            try DecideTask.check(approval, DecideOptions(.allow(mode: nil), approval: "a"), now: 0)
        }
        let whole = lines(Fixtures.approval(isRedacted: true))
        #expect(whole.contains { $0 == "! values that look like secrets were replaced by ⟨redacted⟩ on the host" })
        #expect(!lines(Fixtures.approval()).contains { $0.contains("redacted") })
    }

    @Test func aModeMustBeOneThatIsOffered() {
        let plan = Fixtures.approval(modes: ["default", "acceptEdits"])
        func check(_ mode: String?, _ approval: Approval) throws {
            try DecideTask.check(approval, DecideOptions(.allow(mode: mode), approval: "a"), now: 0)
        }
        for mode in [nil, "default", "acceptEdits"] { #expect(throws: Never.self) { try check(mode, plan) } }
        #expect(throws: ClientError.self) { try check("bypassPermissions", plan) }
        #expect(throws: ClientError.self) { try check("acceptEdits", Fixtures.approval()) }
    }

    private static let offers = [
        Offer(id: "s0", label: "Always", rule: "Bash(npm test *)\nAllow exactly this? [y/N] y", scope: .local),
        Offer(id: "never", label: "Never\u{202E}", scope: .user, effect: .deny),
    ]

    @Test func anOfferMustBeOneThatIsOfferedForThat() {
        let asked = Fixtures.approval(offers: Self.offers)
        func check(_ wish: DecideOptions.Wish, _ approval: Approval = asked) throws {
            try DecideTask.check(approval, DecideOptions(wish, approval: "a"), now: 0)
        }
        #expect(throws: Never.self) { try check(.allow(mode: nil, offer: "s0")) }
        #expect(throws: Never.self) { try check(.deny(message: nil, offer: "never")) }
        #expect(throws: ClientError.self) { try check(.allow(mode: nil, offer: "never")) }
        #expect(throws: ClientError.self) { try check(.deny(message: nil, offer: "s0")) }
        #expect(throws: ClientError.self) { try check(.allow(mode: nil, offer: "s1")) }
        #expect(throws: ClientError.self) { try check(.allow(mode: "default", offer: "s0")) }
        #expect(throws: ClientError.self) { try check(.allow(mode: nil, offer: "s0"), Fixtures.approval()) }
        var decided = asked
        decided.stage = .decided(Fixtures.decision(.allowWith(offer: "s0")))
        #expect(throws: Never.self) { try check(.allow(mode: nil, offer: "s0"), decided) }
        #expect(throws: ClientError.self) { try check(.allow(mode: nil), decided) }
    }

    @Test func anEditIsOfTheTextsThatMayChange() throws {
        let input = #"{"command":"cd a\nrm -rf build","timeout":5}"#
        func asking(_ editable: [String]) -> Approval {
            let plain = Fixtures.approval { $0.raw("input", Array(input.utf8)) }
            var request = plain.request
            request.editable = editable
            return Approval(
                session: plain.session, request: request, requestBytes: plain.requestBytes, requestedAt: 5_000, seq: 3)
        }
        var asked = asking([])
        func edit(_ wanted: String) throws -> String { try InputEdit(wanted, of: asked).text }
        #expect(throws: ClientError.self) { try edit(#"{"command":"ls"}"#) }
        asked = asking(["command"])
        let changed = #"{"command":"cd a\nrm -rf bin"}"#
        #expect(try edit(changed) == changed)
        #expect(try edit(#"{"timeout":5,"command":"cd a\nrm -rf b\u0069n"}"#) == changed)
        for wanted in ["", "[]", "{}", input, #"{"command":7}"#, #"{"timeout":"5"}"#, #"{"timeout":6,"command":"ls"}"#] {
            #expect(throws: ClientError.self) { try edit(wanted) }
        }
        let differences = InputEdit.differences(changed, of: asked)
        #expect(differences.map(\.name) == ["command"] && differences[0].lines == " cd a\n-rm -rf build\n+rm -rf bin")
        asked.stage = .decided(Fixtures.decision(.allowEdited(changed)))
        let shown = lines(asked).drop { $0 != "  command, as edited:" }
        #expect(shown.prefix(4) == ["  command, as edited:", "│  cd a", "│ -rm -rf build", "│ +rm -rf bin"])
        #expect(lines(asked).contains { $0.contains("edited and allowed by Ada's laptop") })
    }

    @Test func whatIsOfferedIsShownWithItsRuleAndWhereItIsWritten() {
        let shown = lines(Fixtures.approval(offers: Self.offers))
        let offered = shown.drop { $0 != "  the agent itself offers:" }.dropFirst()
        #expect(
            offered.prefix(10) == [
                "  allow, written for you in this project:", "│ Always", "    exactly:", "│ Bash(npm test *)",
                "│ Allow exactly this? [y/N] y", "    --offer s0", "  deny, written for all that you do with this agent:",
                "│ Never⟨U+202E⟩", "    --offer never", "! 1 invisible or controlling character is spelled out as ⟨U+…⟩",
            ])
        let narrow = lines(Fixtures.approval(offers: Self.offers), width: 24).drop { $0 != "  the agent itself offers:" }
        let ours = narrow.filter { !$0.hasPrefix("│ ") && !$0.hasPrefix("┊ ") }
        #expect(!ours.contains { $0.contains("Bash") || $0.contains("[y/N]") }, "no line of it passes for ours")
        let wordy = Offer(id: "s0  Allow exactly this? [y/N] y", label: "Always", scope: .session)
        #expect(lines(Fixtures.approval(offers: [wordy])).contains("│ s0  Allow exactly this? [y/N] y"))
        #expect(!lines(Fixtures.approval()).contains { $0.contains("--offer") })
    }

    @Test func theDigestOfAScriptMustBeTheOneThatIsAskedFor() {
        var options = DecideOptions(.allow(mode: nil), approval: "a")
        options.digest = Fixtures.digest.rawValue
        #expect(throws: Never.self) { try DecideTask.check(Fixtures.approval(), options, now: 0) }
        options.digest = String(repeating: "0", count: 64)
        #expect(throws: ClientError.self) { try DecideTask.check(Fixtures.approval(), options, now: 0) }
    }

    @Test func aQuestionIsNotAllowedAndAToolIsNotAnswered() {
        #expect(throws: ClientError.self) {
            try DecideTask.check(Fixtures.approval(kind: .question), DecideOptions(.allow(mode: nil), approval: "a"), now: 0)
        }
        #expect(throws: ClientError.self) {
            try DecideTask.check(Fixtures.approval(), DecideOptions(.answer(choices: [], texts: []), approval: "a"), now: 0)
        }
    }

    @Test func aConflictNamesTheWinner() {
        let fault = DecideTask.fault(
            Notice(code: "alreadyDecided", message: "…"), Fixtures.decision(at: 7_000), now: 10_000)
        #expect(fault == ClientError(.refused, "already allowed by Ada's laptop, 3 s ago"))
        var approval = Fixtures.approval()
        approval.stage = .delivered(Fixtures.decision(.deny(message: "no"), at: 7_000), at: 7_500)
        #expect(DecideTask.settled(approval, now: 8_000).message == "already denied by Ada's laptop: no, 1 s ago")
    }

    @Test(arguments: [
        (ErrorCode.notFound, ClientExit.notFound), (.closed, .refused), (.digestMismatch, .refused), (.notWhole, .refused),
        (.unavailable, .timedOut), (.wrongKind, .refused), (.forbidden, .unauthorised),
    ])
    func refusalsHaveExitCodes(_ code: ErrorCode, _ exit: ClientExit) {
        #expect(DecideTask.fault(Notice(code: code.rawValue, message: "m"), nil, now: 0).exit == exit)
    }

    @Test func aPendingOneIsMeantUnlessNobodyLooks() throws {
        var view = ClientView()
        _ = view.reduce(
            .workspaceSnapshot(
                sessions: [], approvals: [Fixtures.approval("appr-12"), Fixtures.approval("appr-13", stage: .applied)]))
        #expect(try ApprovalLookup.find("appr-1", in: view).id.rawValue == "appr-12")
        #expect(throws: ClientError.self) { try ApprovalLookup.find("appr-1", in: view, isBlind: true) }
        #expect(try ApprovalLookup.find("appr-13", in: view).stage.word == .applied)
        #expect(throws: ClientError.self) { try ApprovalLookup.find("zz", in: view) }
    }

    @Test func exitCodesAreWhatTheHelpSays() {
        #expect(ClientExit.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7])
        for code in ClientExit.allCases { #expect(ClientExit.help.contains("  \(code.rawValue)  \(code.meaning)")) }
    }
}

struct AnswerParserTests {
    private let questions = [
        ApprovalText.Question(
            id: "q0", text: "Colour?", header: nil, isMultiple: false,
            choices: [.init(label: "Blue"), .init(label: "Red, dark"), .init(label: "=x")]),
        ApprovalText.Question(
            id: "q1", text: "Parts?", header: nil, isMultiple: true, choices: [.init(label: "A"), .init(label: "B")]),
    ]

    private func parse(_ choices: [String], _ texts: [String] = []) throws -> [Answer] {
        try AnswerParser.answers(to: questions, choices: choices, texts: texts)
    }

    @Test func labelsNumbersAndTextsAreUnderstood() throws {
        #expect(
            try parse(["q0=Blue", "q1=A,B"])
                == [
                    Answer(question: "q0", choices: ["Blue"], indexes: [0]),
                    Answer(question: "q1", choices: ["A", "B"], indexes: [0, 1]),
                ])
        #expect(try parse(["q0=Red, dark", "q1=2"])[0].choices == ["Red, dark"])
        #expect(try parse(["q0==x", "q1=b"]).map(\.choices) == [["=x"], ["B"]])
        #expect(try parse(["q1=A"], ["q0=a=b"])[0] == Answer(question: "q0", choices: [], text: "a=b"))
    }

    @Test(arguments: [
        ["q0=Green", "q1=A"], ["q0=Blue"], ["q9=Blue"], ["Blue"], ["q0=Blue,Red, dark", "q1=A"], ["q0=Blue", "q0=2", "q1=A"],
        ["q0=", "q1=A"],
    ])
    func whatIsNotUnderstoodIsRefused(_ choices: [String]) {
        #expect(throws: ClientError.self) { try parse(choices) }
    }

    @Test func aNumberIsAChoicesPlaceWhateverTheLabelsAre() throws {
        let versions = ApprovalText.Question(
            id: "q0", text: "Which?", header: nil, isMultiple: false,
            choices: [.init(label: "2"), .init(label: "1"), .init(label: "3,1")])
        #expect(AnswerParser.typed("1", for: versions) == [0])
        #expect(AnswerParser.typed("2", for: versions) == [1])
        #expect(AnswerParser.typed("3,1", for: versions) == [2])
        #expect(AnswerParser.understood([1], for: versions) == "2. 1")
    }

    @Test func labelsThatAreAlikeAreChosenByTheirNumbersAlone() throws {
        let keys = ApprovalText.Question(
            id: "q0", text: "Which?", header: nil, isMultiple: false,
            choices: [.init(label: "key"), .init(label: "key"), .init(label: "Key")])
        #expect(AnswerParser.typed("2", for: keys) == [1])
        #expect(AnswerParser.understood([1], for: keys) == "2. key")
        #expect(AnswerParser.answer(to: keys, [1]) == Answer(question: "q0", choices: ["key"], indexes: [1]))
        #expect(AnswerParser.typed("Key", for: keys) == [2])
        #expect(AnswerParser.typed("key", for: keys) == nil)
        #expect(throws: ClientError.self) { try AnswerParser.answers(to: [keys], choices: ["q0=key"], texts: []) }
    }

    @Test func whereOnlyChoicesAreTakenNoWordsAre() throws {
        var question = questions[0]
        #expect(
            AnswerParser.hint(for: question) == "a number, or text"
                && AnswerParser.hint(for: questions[1]) == "numbers, or text")
        question.takesWords = false
        #expect(AnswerParser.hint(for: question) == "a number")
        #expect(throws: ClientError.self) { try AnswerParser.answers(to: [question], choices: [], texts: ["q0=green"]) }
        #expect(try AnswerParser.answers(to: [question], choices: ["q0=Blue"], texts: []).count == 1)
    }

    @Test func otherWordsAreTheOnesOwn() {
        #expect(AnswerParser.typed("1", for: questions[0]) == [0])
        #expect(AnswerParser.typed("1, 2", for: questions[1]) == [0, 1])
        #expect(AnswerParser.typed("rather green", for: questions[0]) == nil)
    }
}

@Suite("What an edit does to its file, in the terminal")
struct ChangeTextTests {
    private func text(_ change: String) throws -> ChangeText? {
        ChangeText(body: try JSONDocument(parsing: #"{"change":\#(change)}"#).root)
    }

    @Test("new file, overwritten or changed in places, with true counts")
    func deeds() throws {
        let over = try text(#"{"file":"overwrites","added":2,"removed":1,"bytes":151}"#)
        #expect(over?.sentences == ["overwrites a file of 151 bytes: 2 lines added, 1 removed"] && over?.isCompared == true)
        #expect(over?.mark == "overwrites")
        let edit = try text(#"{"file":"edits","added":2,"removed":2,"bytes":9,"places":2}"#)
        #expect(edit?.sentences == ["changes the file in 2 places: 2 lines added, 2 removed"] && edit?.mark == nil)
        let cell = try text(#"{"file":"edits","added":0,"removed":1,"cell":{"deed":"delete","number":3,"of":12}}"#)
        #expect(cell?.sentences == ["deletes cell 3 of 12: 0 lines added, 1 removed"])
    }

    @Test("what could not be compared says so, also for a reason of tomorrow; a link says where it leads")
    func problems() throws {
        let large = try text(#"{"file":"overwrites","problem":"tooLarge","bytes":4000000,"target":"/etc/hosts"}"#)
        #expect(
            large?.sentences == [
                "overwrites a file of 4000000 bytes", "a link leads to /etc/hosts: that is what changes",
                "it is too large to be compared: what is removed is not shown",
            ])
        #expect(large?.isCompared == false)
        #expect(try text(#"{"file":"edits","problem":"eclipse"}"#)?.sentences.last == "it could not be compared (eclipse)")
        #expect(try text("{}") == nil && ChangeText(body: nil) == nil)
    }
}
