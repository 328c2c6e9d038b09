import PushTestSupport
import RelayProtocol
import Testing

@testable import PushPlanner

@Suite("The words of alerts") struct AlertTextTests {
    private func compose(
        _ approval: Approval?, _ kind: AlertKind = .approval, text: PushText = .full, textMax: PushText = .full,
        bytesMax: Int = Payload.alertTextBytesMax, change: (inout Summary) -> Void = { _ in }
    ) -> AlertText {
        let subject = PushSubjects.subject(PushSubjects.summary(change), approval: approval, text: text)
        return AlertText.compose(kind: kind, subject: subject, textMax: textMax, bytesMax: bytesMax)
    }

    // MARK: - Approvals

    @Test("full shows the whole input")
    func full() {
        let alert = compose(PushSubjects.approval())
        #expect(alert.title == "claude wants to run Bash")
        #expect(alert.subtitle == "relay · Fix APNs client")
        #expect(alert.body == "command: swift test")
        #expect(alert.isWhole)
    }

    @Test("what to look at twice comes before the request, in the host's words, wherever texts are shown")
    func risks() {
        let approval = PushSubjects.approval(risks: ["Deletes files.", "Ends other processes.\u{202E}"])
        let words = "Look twice: Deletes files. Ends other processes.⟨U+202E⟩\n"
        let full = compose(approval)
        #expect(full.body == words + "command: swift test" && full.isWhole)
        #expect(compose(approval, text: .summary).body == words + "Run: swift test")
        let untold = PushSubjects.approval(risks: ["Deletes files."], alert: nil)
        #expect(compose(untold).body == "Look twice: Deletes files.\nRun: swift test")
        #expect(!compose(approval, text: .generic).body.contains("Look twice"))
    }

    @Test(
        "summary shows what the host wrote, and is never whole",
        arguments: [(PushText.summary, PushText.full), (.full, .summary)])
    func summary(text: PushText, textMax: PushText) {
        let alert = compose(PushSubjects.approval(), text: text, textMax: textMax)
        #expect(alert.body == "Run: swift test")
        #expect(!alert.isWhole)
    }

    @Test("with summaries a command stands there whole where it fits, and is not whole enough to allow")
    func command() {
        let long = "swift test --filter " + String(repeating: "a", count: 400)
        let alert = compose(
            PushSubjects.approval(alert: .command(long)), text: .summary)
        #expect(alert.body == "Run: " + long && !alert.isWhole)
        let many = RequestWords(summary: "Run:" + String(repeating: "\n│ a", count: 40))
        #expect(compose(PushSubjects.approval(alert: many), text: .summary).body == "Run: swift test")
    }

    @Test("generic and sealed name nothing", arguments: [PushText.generic, .sealed], AlertKind.allCases)
    func generic(text: PushText, kind: AlertKind) {
        let alert = compose(PushSubjects.approval(), kind, text: text) {
            $0.error = "no such file"
            $0.statusReason = "because"
        }
        let shown = alert.title + alert.body
        #expect(alert.subtitle == nil)
        #expect(!alert.isWhole)
        #expect(!alert.title.isEmpty && !alert.body.isEmpty)
        for word in ["relay", "APNs", "claude", "Bash", "swift", "file", "because", "build-server"] {
            #expect(!shown.contains(word), "\(shown)")
        }
        if kind == .approval { #expect(alert.title == "An agent needs approval") }
    }

    static let notPlain: [String] = [
        "command: rm \u{202E}-rf", "command: a\u{0}", "command: a\u{200B}b", "command: a\u{A0}b", "a\r\nb", "",
        "command:" + String(repeating: "\n│ x", count: 20),
    ]

    @Test("words that are not plain are not shown, and nothing is allowed from them", arguments: notPlain)
    func notShown(full: String) {
        let alert = compose(PushSubjects.approval(alert: RequestWords(full: full, summary: full, isWhole: true)))
        #expect(alert.body == "Run: swift test")
        #expect(!alert.isWhole)
    }

    @Test("what the host does not call whole is shown, and cannot be allowed")
    func notCalledWhole() {
        let alert = compose(PushSubjects.approval(alert: RequestWords(full: "command: ls", isWhole: false)))
        #expect(alert.body == "command: ls" && !alert.isWhole)
    }

    @Test("with a redacted value it is shown, but never offers Allow")
    func redacted() {
        let approval = PushSubjects.approval(isRedacted: true, alert: .command("curl -H ⟨redacted⟩"))
        #expect(compose(approval).body == "command: curl -H ⟨redacted⟩")
        #expect(!compose(approval).isWhole)
    }

    @Test("where parts are hidden that must be seen, the alert says so")
    func hidden() {
        let approval = PushSubjects.approval(isCut: true, isRedacted: true, alert: .command("rm ⟨redacted⟩"))
        let alert = compose(approval)
        #expect(alert.body.hasPrefix("Run: swift test\nParts are hidden because they may be secret.") && !alert.isWhole)
    }

    @Test("what a passkey has to confirm is shown whole, and cannot be allowed from there")
    func guarded() {
        let alert = compose(PushSubjects.approval(needsPasskey: true))
        #expect(alert.body == compose(PushSubjects.approval()).body && !alert.isWhole)
    }

    static let notWhole: [(String, Approval)] = [
        ("cut at the host", PushSubjects.approval(isCut: true)),
        ("an older host", PushSubjects.approval(alert: nil)),
        ("longer than fits", PushSubjects.approval(alert: .command(String(repeating: "x", count: 3_000)))),
    ]

    @Test("where it cannot be shown whole the summary stands, and it is not whole", arguments: notWhole)
    func fallback(why: String, approval: Approval) {
        let alert = compose(approval)
        #expect(alert.body == "Run: swift test", "\(why)")
        #expect(!alert.isWhole, "\(why)")
    }

    @Test("letters that may be read as others are shown, and are not whole", arguments: ["r\u{43C} -rf", "שלום"])
    func misleading(command: String) {
        let alert = compose(PushSubjects.approval(alert: .command(command)))
        #expect(alert.body == "command: \(command)")
        #expect(!alert.isWhole)
        #expect(!compose(PushSubjects.approval(tool: command)).isWhole)
    }

    @Test("a tool whose name was cut is not whole")
    func longTool() {
        let alert = compose(PushSubjects.approval(tool: String(repeating: "t", count: 256)))
        #expect(!alert.isWhole)
        #expect(alert.title.hasSuffix("…"))
    }

    @Test("the place makes room for the command")
    func placeMakesRoom() {
        let approval = PushSubjects.approval(alert: .command(String(repeating: "x", count: 60)))
        let alert = compose(approval, bytesMax: 100)
        #expect(alert.subtitle == nil)
        #expect(alert.isWhole)
        let long = compose(PushSubjects.approval()) { $0.title = String(repeating: "x", count: 4_096) }
        #expect(long.isWhole)
        #expect(long.subtitle?.hasSuffix("…") == true)
    }

    @Test("nothing known of the approval: its words say to open the app")
    func noApproval() {
        let alert = compose(nil)
        #expect(alert.title == "claude wants to run a tool")
        #expect(!alert.isWhole)
    }

    // MARK: - Others

    @Test(
        "a tool whose name tells nobody what it does is told in words",
        arguments: [
            ("ExitPlanMode", "claude wants to go ahead with a plan"),
            ("mcp__github__create_issue", "claude wants to use create_issue of github"),
        ])
    func words(tool: String, title: String) {
        #expect(compose(PushSubjects.approval(tool: tool)).title == title)
    }

    @Test("a question stands there with its choices")
    func question() {
        let approval = PushSubjects.approval(
            .question, tool: "AskUserQuestion", title: "Which branch?",
            alert: RequestWords(full: "Which branch?\n• main\n• dev — new", isWhole: true))
        let alert = compose(approval, .question)
        #expect(alert.title == "claude asks")
        #expect(alert.body == "Which branch?\n• main\n• dev — new")
        #expect(alert.isWhole)
        #expect(compose(approval, .question, text: .summary).body == "Which branch?")
        let empty = PushSubjects.approval(.question, title: "Which?", alert: nil)
        #expect(compose(empty, .question).body == "Which?")
    }

    @Test("an error, a finish and a budget say what happened and what it took")
    func others() {
        let failed = compose(nil, .error, text: .summary) {
            $0.status = .failed
            $0.error = "no such file\u{202E}"
        }
        #expect(failed.title == "claude failed")
        #expect(failed.body == "no such file⟨U+202E⟩")
        #expect(compose(nil, .error).body == "20 min · 12 tools · 3 of 7 tasks · $0.41")
        let finished = compose(nil, .finished) {
            $0.statusReason = "All 7 tasks done"
            ($0.linesAdded, $0.linesRemoved) = (120, 30)
            $0.operations = 1
        }
        #expect(finished.title == "claude finished")
        #expect(finished.body == "All 7 tasks done · 20 min · 1 tool · 3 of 7 tasks · +120 −30 lines · $0.41")
        var subject = PushSubjects.subject(PushSubjects.summary())
        subject.budgetLevel = 80
        let budget = AlertText.compose(kind: .budget, subject: subject, textMax: .full, bytesMax: 500)
        #expect(budget.title == "A budget has reached 80 %")
        #expect(budget.body == "This session has cost $0.41.")
    }

    @Test("a guess of the agent is not told as a cost, and a zero beside it is no cost either")
    func guessed() {
        func told(_ kind: AlertKind, cost: Int64?, guess: Int64) -> String {
            var subject = PushSubjects.subject(PushSubjects.summary())
            (subject.summary.costMicroUSD, subject.summary.estimateMicroUSD) = (cost, guess)
            return AlertText.compose(kind: kind, subject: subject, textMax: .full, bytesMax: 500).body
        }
        #expect(told(.finished, cost: 0, guess: 2_000_000) == "20 min · 12 tools · 3 of 7 tasks · ~$2.00 guessed")
        #expect(told(.finished, cost: 410_000, guess: 2_000_000).hasSuffix(" · $0.41 + ~$2.00 guessed"))
        #expect(told(.budget, cost: nil, guess: 2_000_000) == "Its agent guesses that this session has cost $2.00.")
        #expect(
            told(.budget, cost: 410_000, guess: 2_000_000)
                == "This session has cost $0.41, and its agent guesses $2.00 more.")
    }

    @Test("who wants no money on a device is told no guess of it either")
    func guessHidden() {
        var subject = PushSubjects.subject(PushSubjects.summary())
        (subject.summary.costMicroUSD, subject.summary.estimateMicroUSD) = (410_000, 2_000_000)
        subject.hideCost()
        let bodies = [AlertKind.finished, .budget].map {
            AlertText.compose(kind: $0, subject: subject, textMax: .full, bytesMax: 500).body
        }
        #expect(bodies == ["20 min · 12 tools · 3 of 7 tasks", "Open this notification to see what it has cost."])
    }

    @Test("a card begins with what is asked, or with who is at work, and never says that anything is finished")
    func start() throws {
        func start(_ approval: Approval? = nil, text: PushText = .summary) -> AlertText {
            let subject = PushSubjects.subject(PushSubjects.summary(), approval: approval, text: text)
            return AlertText.start(subject, textMax: .full, bytesMax: Payload.startTextBytesMax)
        }
        #expect(start().title == "claude is working")
        #expect(start().body == "20 min · 12 tools · 3 of 7 tasks · $0.41")
        #expect(start(text: .generic).title == "An agent is working" && start(text: .sealed).title == "An agent is working")
        #expect(start(PushSubjects.approval()).title == "claude wants to run Bash")
        #expect(start(PushSubjects.approval(.question)).title == "claude asks")
    }

    @Test("durations and money as people read them")
    func figures() {
        #expect(
            [0, 59_999, 60_000, 3_599_999, 3_600_000, 3_660_000].map(EnglishWords().duration) == [
                "0 s", "59 s", "1 min", "59 min", "1 h", "1 h 1 min",
            ])
        #expect(
            [0, 1, 9_999, 10_000, 995_000, 1_004_999].map(EnglishWords().money) == [
                "$0.00", "<$0.01", "<$0.01", "$0.01", "$1.00", "$1.00",
            ])
        #expect(EnglishWords().money(Int64.max) == "$9223372036854.78")
    }

    @Test("whatever is asked, it fits, and what is whole was not cut", arguments: 0..<60)
    func alwaysFits(seed: UInt64) {
        var hostile = Hostile(seed: seed)
        for kind in AlertKind.allCases {
            var subject = hostile.subject(hostile.pick(SessionStatus.allCases))
            subject.language = PushLanguage(tag: seed.isMultiple(of: 2) ? "de" : nil)
            let bytesMax = hostile.pick([60, 200, 512, 2_800])
            let alert = AlertText.compose(kind: kind, subject: subject, textMax: .full, bytesMax: bytesMax)
            #expect(alert.bytesCount <= bytesMax)
            if alert.isWhole {
                #expect(subject.approval?.request.isCut == false)
                #expect(subject.text == .full)
                #expect(alert.body == subject.approval?.request.alert?.full)
            }
        }
    }
}
