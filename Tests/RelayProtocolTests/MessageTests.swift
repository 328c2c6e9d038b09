import RelayProtocol
import Testing

/// A sample of every message on the wire.
enum Sample {
    static let digest = InputDigest(String(repeating: "ab", count: 32))!
    static let decision = Decision(
        .deny(message: "not on my machine"), client: ClientID("c_1")!, clientName: "Ada's phone", at: 5,
        command: CommandID("k1")!)

    static let heads: [EventHead] = [
        .sessionStarted(SessionFacts(agentName: "claude-code")), .sessionRenamed(title: "t"),
        .sessionEnded(reason: "exit", failed: true), .statusChanged(.waitingAnswer, reason: "r"),
        .message(.assistant, summary: "s", message: "m", agent: "x"),
        .toolStarted(ToolStart(call: "c", tool: "Bash", operation: "Running: ls")),
        .toolFinished(ToolFinish(call: "c", tool: "Bash", succeeded: false)),
        .fileChanged(path: "a.swift", added: 1, removed: 2, call: "c"),
        .todoChanged(TodoProgress(completed: 1, total: 2, current: "x")),
        .usage(
            {
                var usage = Usage()
                usage.run = "r1"
                usage.tokens = Tokens(input: 1, output: 2, cacheRead: 3, cacheWrite: 4)
                usage.costMicroUSD = 413_200
                usage.contextUsed = 10
                usage.contextLimit = 100
                return usage
            }()),
        .approvalRequested(
            ApprovalRequest(approval: ApprovalID("a1")!, kind: .tool, tool: "Bash", title: "Run: ls", digest: digest)),
        .approvalDecided(ApprovalID("a1")!, decision), .approvalDelivered(ApprovalID("a1")!),
        .approvalApplied(ApprovalID("a1")!, outcome: .ran), .approvalExpired(ApprovalID("a1")!),
        .approvalCancelled(ApprovalID("a1")!, reason: "allowedLocally"), .approvalStale(ApprovalID("a1")!, reason: "digest"),
        .subagentStarted(agent: "x", name: "explorer", call: "c"), .subagentFinished(agent: "x"),
        .budgetCrossed(
            BudgetCrossing(level: 80, scope: .day, limitMicroUSD: 10_000_000, spentMicroUSD: 8_000_001)),
        .steeringOffered(
            SteeringOffer(
                actions: [.prompt, .mode], steersWhileBusy: true, reason: "no interrupt", mode: "plan",
                modes: ["plan", "default"],
                models: ["m1"], commands: ["/compact"])),
        .steeringRequested(SteeringCall(request(.prompt(.init(text: "go on"))))),
        .steeringRequested(SteeringCall(request(.mode("plan")))), .steeringRequested(SteeringCall(request(.askAll(false)))),
        .steeringOffered(
            {
                var offer = SteeringOffer(actions: [.askAll])
                offer.asksAll = true
                offer.hold = .most
                return offer
            }()),
        .steeringRequested(SteeringCall(request(actions[actions.count - 2]))),
        .steeringTyped(by: Named(id: ClientID("c1")!, name: "phone"), bytes: 12),
        .steeringOffered(
            {
                var offer = SteeringOffer(actions: [.start, .past], projects: [ProjectOffer(name: "site", folder: "~/site")])
                offer.agents = [
                    StartableAgent(
                        name: "claude", title: "Claude Code", modes: ["plan"], models: ["m1"], takesPictures: true)
                ]
                return offer
            }()),
        .steeringOffered(SteeringOffer(projects: [])), .steeringOffered(ruled),
        .steeringChanged(SteeringChange(request(.stop).name, .taken, started: SessionID("claude-1"))),
        .steeringChanged(SteeringChange(request(.stop).name, .taken, reason: "seen")),
        .error(message: "m", recoverable: true), .truncated(count: 3), .rewound(to: 4),
    ]

    private static var ruled: SteeringOffer {
        var (allow, deny) = (
            RuleOffer(name: "tests", answer: "allow", patterns: ["Bash(npm test)", "Edit(src/**)"]),
            RuleOffer(name: "no-push", answer: "deny", patterns: ["Bash(git push:*)"])
        )
        (allow.folder, allow.agent, allow.hours, allow.until) = ("~/work", "claude", "09:00-18:00", "2026-12-24")
        (allow.isOff, deny.words) = (true, "Ask first.")
        var offer = SteeringOffer(actions: [.ruleOff], projects: [])
        offer.rules = RulesOffer([allow, deny], isAccepted: true)
        offer.rules?.more = 3
        return offer
    }

    static func request(_ action: SteeringAction) -> SteeringRequest {
        SteeringRequest(
            command: CommandID("k1")!, session: SessionID("s")!, by: Named(id: ClientID("c1")!, name: "phone"), action: action,
            signature: "abc")
    }

    static let actions: [SteeringAction] = [
        .prompt(.init(text: "go\n/on", whenBusy: .steer, isCommand: true)), .prompt(.init(text: "")), .interrupt, .stop,
        .mode("plan"), .model("m1"), .ruleOff("tests"), .ruleAdd("[[rule]]\nname"),
        .ruleChange("tests", to: "[[rule]]\nname"), .ruleTry(""), .askAll(true), .askAll(false),
        .launch(Launch(.start, project: "site", agent: "claude")),
        .launch(Launch(.past, project: "site", agent: "claude")),
        .launch(Launch(.resume("p1"), project: "site", agent: "claude", mode: "plan", model: "m1", text: "go on")),
        .launch(
            Launch(
                .start, project: "site", agent: "claude", text: "look",
                pictures: [Picture(digest: PictureDigest(String(repeating: "ab", count: 32))!, type: .png, bytes: 70)])),
    ]
}

@Suite("Messages")
struct MessageTests {
    @Test("every event head reads back as it was written", arguments: Sample.heads)
    func heads(_ head: EventHead) throws {
        let event = Event(head, at: 7) { $0.field("text", "body") }
        let read = try Event(stored: event.bytes)
        #expect(read.head == head)
        #expect(read.at == 7)
        #expect(read.bytes == event.bytes)
    }

    @Test("the heads above cover every kind that is known")
    func coverage() { #expect(Set(Sample.heads.map(\.kind)) == Set(EventKind.allCases.map(\.rawValue))) }

    @Test("an unknown kind is carried, byte for byte")
    func unknownKind() throws {
        let bytes = Array(#"{"kind":"teleported","at":1,"head":{"to": "mars"},"body":{"x":1.50}}"#.utf8)
        let event = try Event(stored: bytes)
        #expect(event.head == .unsupported(kind: "teleported"))
        #expect(event.bytes == bytes)
    }

    @Test("a host cannot state what only the relay may", arguments: ["approval.decided", "approval.expired", "budget.crossed"])
    func forgedDecision(_ kind: String) {
        let head = Sample.heads.first { $0.kind == kind }!
        let batch = HostMessage.events(HostEvents(session: SessionID("s")!, first: 1, events: [Event(head, at: 1)]))
        #expect(throws: WireError(.badValue, at: "$.events[0].kind", "only the relay states this")) {
            try HostMessage(parsing: batch.bytes)
        }
    }

    @Test(
        "a decision reads back as it was written",
        arguments: [
            Decision.Verdict.allow, .deny(message: nil), .deny(message: "no"),
            .answer([Answer(question: "q0", choices: ["Blue", "Red"], text: "or \"green\"")]),
        ])
    func decisions(_ verdict: Decision.Verdict) throws {
        var decision = Sample.decision
        decision.verdict = verdict
        let message = MessageToHost.decision(SessionID("s")!, ApprovalID("a")!, Sample.digest, decision)
        #expect(try MessageToHost(parsing: message.bytes) == message)
    }

    @Test(
        "what is held reads back as it was written",
        arguments: [Holds(), Holds(everySession: true), Holds(sessions: [SessionID("s1")!, SessionID("s2")!])])
    func holds(_ holds: Holds) throws {
        #expect(try MessageToHost(parsing: MessageToHost.hold(holds).bytes) == .hold(holds))
        #expect(holds.contains(SessionID("s1")!) == !holds.isEmpty)
    }

    @Test("a budget's report and a summary's mark read back as they were written")
    func budgetReport() throws {
        let report = BudgetReport(
            Budget(scope: .day, microUSD: 10_000_000, levels: [80], holds: true), spentMicroUSD: 8_000_000, crossed: 80,
            day: "2026-11-21", cannotHold: ["old laptop"])
        #expect(try BudgetReport(from: JSONDocument(parsing: report.bytes).root) == report)
        var summary = Summary(
            session: SessionID("s")!, host: Named(id: HostID("h")!, name: "laptop"), hostIsConnected: true, agentName: "a",
            startedAt: 1)
        for reach in [nil, HoldReach.most, .unchanged] {
            summary.budget = BudgetMark(level: 80, microUSD: 10_000_000, isHeld: true, reach: reach)
            #expect(try Summary(from: JSONDocument(parsing: summary.bytes).root) == summary)
        }
    }

    @Test("that every tool needs approval is said only of a session whose host can hold it as a whole")
    func heldInPart() {
        func bytes(_ mark: BudgetMark) -> String { String(decoding: JSONWriter.object { mark.write(to: &$0) }, as: UTF8.self) }
        #expect(bytes(BudgetMark(level: 100, microUSD: 5, isHeld: true)) == #"{"level":100,"microUSD":5,"held":true}"#)
        #expect(
            bytes(BudgetMark(level: 100, microUSD: 5, isHeld: true, reach: .unchanged))
                == #"{"level":100,"microUSD":5,"hold":"unchanged"}"#)
    }

    @Test("levels are exact at the largest numbers of the wire")
    func levels() {
        let budget = Budget(scope: .workspace, microUSD: JSONValue.integerMax, levels: [1, 99, 100, 1_000], holds: true)
        #expect(budget.level(at: JSONValue.integerMax) == 100 && budget.isHolding(at: JSONValue.integerMax))
        #expect(budget.level(at: JSONValue.integerMax - 1) == 99 && !budget.isHolding(at: JSONValue.integerMax - 1))
        #expect(Budget(scope: .workspace, microUSD: 3, levels: [50]).level(at: 1) == nil)
        #expect(Budget(scope: .workspace, microUSD: 3, levels: [50]).level(at: 2) == 50)
    }

    @Test(
        "every client command reads back as it was written",
        arguments: [
            ClientCommand.subscribe(nil, after: nil),
            .subscribe(SessionID("s")!, after: Position(epoch: Epoch("e")!, seq: 9)), .unsubscribe(SessionID("s")!),
            .olderSessions, .history(SessionID("s")!, before: 10, limit: 5),
            .decide(
                DecideCommand(session: SessionID("s")!, approval: ApprovalID("a")!, digest: Sample.digest, verdict: .allow)),
            .decide(
                DecideCommand(
                    session: SessionID("s")!, approval: ApprovalID("a")!, digest: Sample.digest,
                    verdict: .answer([Answer(question: "q0", choices: ["x"])]))),
            .withdraw(SessionID("s")!, SteeringName(client: ClientID("c")!, command: CommandID("k")!)), .ping, .pair(.host),
        ] + Sample.actions.map { .steer(SessionID("s")!, $0, signature: "abc") } + PushSample.commands)
    func commands(_ command: ClientCommand) throws {
        let id = CommandID("k")!
        guard case .command(id, let read) = try ClientMessage(parsing: ClientMessage.command(id, command).bytes) else {
            Issue.record("not a command")
            return
        }
        #expect(read == command)
    }

    @Test(
        "what steers a session reads back at its host as it was written",
        arguments: Sample.actions.map { MessageToHost.steer(Sample.request($0)) } + [
            .withdraw(SessionID("s")!, SteeringName(client: ClientID("c")!, command: CommandID("k")!)),
            .outstanding(SessionID("s")!, [SteeringName(client: ClientID("c")!, command: CommandID("k")!)]),
        ])
    func toHost(_ message: MessageToHost) throws { #expect(try MessageToHost(parsing: message.bytes) == message) }

    @Test("a refused command is answered by its id where that can be read")
    func refusedCommand() {
        #expect(
            throws: ClientMessageError(
                command: CommandID("k1")!, error: WireError(.missingField, at: "$.decision", "the field is missing"))
        ) {
            try ClientMessage(parsing: Array(#"{"type":"decide","id":"k1","session":"s"}"#.utf8))
        }
        #expect(
            throws: ClientMessageError(
                command: nil,
                error: WireError(.unknownType, at: "$.type", "this relay does not know messages of type \"dance\""))
        ) {
            try ClientMessage(parsing: Array(#"{"type":"dance","id":"k1"}"#.utf8))
        }
    }

    @Test("identifiers are narrow", arguments: ["", "a b", "é", "a/b", String(repeating: "x", count: 65), "a\u{0}"])
    func badIdentifiers(_ text: String) { #expect(SessionID(text) == nil) }

    @Test("close codes from 4400 to 4499 say: do not come back")
    func closeCodes() {
        for code in CloseCode.allCases {
            #expect(CloseCode.invitesReconnect(code.rawValue) == ![.revoked, .replaced, .unsupportedVersion].contains(code))
        }
    }

    @Test("a close says for how long to stay away, within bounds; other codes name nothing")
    func closeWaits() {
        #expect(CloseCode.wait(4000, CloseCode.restarting(inMilliseconds: 1_340)) == 1_340)
        #expect(CloseCode.wait(4000, CloseCode.restarting.reason) == nil)
        #expect(CloseCode.wait(4000, "in 99999999 ms") == 60_000)
        #expect(CloseCode.wait(4029, "too many: 17 s") == 17_000)
        #expect(CloseCode.wait(4029, "too many: 0 s") == 1_000)
        #expect(CloseCode.wait(4029, "too many: 99999 s") == 3_600_000)
        #expect(CloseCode.wait(4029, "too many: 99999999999999999999 s") == nil)
        #expect(CloseCode.wait(4008, "in 17 s") == nil && CloseCode.wait(1006, "5") == nil)
    }

    @Test("answers are bounded together, however many they are")
    func answersBound() {
        let long = Answer(question: "q0", choices: [], text: String(repeating: "x", count: 20_000))
        let command = ClientCommand.decide(
            DecideCommand(
                session: SessionID("s")!, approval: ApprovalID("a")!, digest: Sample.digest, verdict: .answer([long, long])))
        #expect(throws: ClientMessageError.self) {
            try ClientMessage(parsing: ClientMessage.command(CommandID("k")!, command).bytes)
        }
    }
}

@Suite("Kinds of events")
struct EventKindTests {
    private func read(_ kind: String) throws -> HostMessage {
        try HostMessage(
            parsing: Array(
                (#"{"type":"events","session":"s1","first":1,"events":[{"kind":""# + kind + #"","at":1,"head":{}}]}"#).utf8))
    }

    @Test("a kind of a newer version is carried", arguments: ["memory.kept", "x", "a-b_c.D9"])
    func unknown(_ kind: String) throws {
        guard case .events(let events) = try read(kind) else { throw WireError(.badValue, at: "$", "no events") }
        #expect(events.events.first?.head == .unsupported(kind: kind))
    }

    @Test("one that is no name is refused, with its place", arguments: [#"new\u0000kind"#, "", "two words", "ü", #"a\nb"#])
    func misspelled(_ kind: String) throws {
        #expect { try read(kind) } throws: {
            ($0 as? WireError)?.code == .badValue && ($0 as? WireError)?.path == "$.events[0].kind"
        }
    }
}

@Suite("Events nested deeply")
struct DeepEventTests {
    /// An approval's request of so many containers inside containers.
    private func event(_ depth: Int) throws -> [UInt8] {
        let request = ApprovalRequest(approval: ApprovalID("a1")!, kind: .tool, tool: "x", title: "x", digest: Sample.digest)
        let nested = String(repeating: "[", count: depth - 2) + String(repeating: "]", count: depth - 2)
        return Event(.approvalRequested(request), at: 1) { $0.raw("input", Array(nested.utf8)) }.bytes
    }

    @Test("an event as deep as the relay takes it is read in every message that carries it")
    func deepest() throws {
        let bytes = try event(WireLimits.eventDepthMax)
        let session = SessionID("s1")!
        let event = try Event(stored: bytes)
        guard case .approvalRequested(let request) = event.head else { throw WireError(.badValue, at: "$", "no request") }
        _ = try HostMessage(parsing: HostMessage.events(HostEvents(session: session, first: 1, events: [event])).bytes)
        let approval = Approval(session: session, request: request, requestBytes: bytes, requestedAt: 1, seq: 1)
        let run = SessionEvents(session: session, epoch: Epoch("e1")!, first: 1, events: [bytes])
        let messages: [MessageToClient] = [
            .workspaceSnapshot(sessions: [], approvals: [approval]), .approval(approval), .events(run),
            .reply(CommandID("c1")!, .history(first: 1, events: [bytes])),
        ]
        for message in messages { #expect(throws: Never.self) { try MessageToClient(parsing: message.bytes) } }
    }

    @Test("a deeper one is refused, by itself and in a message")
    func tooDeep() throws {
        let bytes = try event(WireLimits.eventDepthMax + 1)
        #expect { try Event(stored: bytes) } throws: { ($0 as? WireError)?.code == .tooDeep }
        let message = Array(#"{"type":"events","session":"s1","first":1,"events":["#.utf8) + bytes + Array("]}".utf8)
        #expect { try HostMessage(parsing: message) } throws: { ($0 as? WireError)?.path == "$.events[0]" }
    }
}
