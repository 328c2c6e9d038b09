import PushPlanner
import RelayModel
import RelayProtocol
import Testing

@testable import RelayCore

/// The relay's work on a session that it cannot read.
@Suite("A sealed session")
struct SealedSessionTests {
    private typealias T = RelayTranscript

    private static let key = HostKeyID("c2l4dGVlbi1rZXktYnl0ZQ")!
    private static let alias = "~alias"

    private static func sealed(_ heads: [EventHead], line: String? = "bGluZQ", at now: Int64) throws -> [Event] {
        try heads.map { head in
            let event = Event(head, at: now) { $0.field("text", "content") }
            return try Event(stored: SealedEvent("c2VhbGVk", line: line).bytes(of: event) { _ in alias })
        }
    }

    // MARK: - The same as of any other

    private static var offer: EventHead {
        var offer = SteeringOffer(actions: [.prompt, .interrupt], modes: ["plan"], commands: ["/deploy"])
        offer.consent = key
        return .steeringOffered(offer)
    }

    private static var question: EventHead {
        guard case .approvalRequested(var request) = T.request("q1", kind: .question) else { preconditionFailure("it is one") }
        request.questions = [QuestionOffer(id: "q0", choices: ["Red", "Blue"], isMultiple: false, isChoicesOnly: true)]
        return .approvalRequested(request)
    }

    private static var tool: EventHead {
        guard case .approvalRequested(var request) = T.request("a1") else { preconditionFailure("it is one") }
        request.offers = [Offer(id: "always", label: "Always allow ls", rule: "Bash(ls)", scope: .session)]
        return .approvalRequested(request)
    }

    private static func life() -> [[EventHead]] {
        var facts = SessionFacts(agentName: "claude-code")
        (facts.title, facts.project, facts.workingDirectory, facts.model) = ("Fix it", "site", "/work/site", "opus")
        var usage = Usage()
        (usage.costMicroUSD, usage.tokens) = (6_000_000, Tokens(input: 5, output: 7))
        let done = ToolFinish(call: "1", tool: "Bash", succeeded: true)
        return [
            [
                .sessionStarted(facts), offer, .statusChanged(.running, reason: nil), .message(.user, summary: "fix it"),
                .toolStarted(ToolStart(call: "1", tool: "Bash", operation: "Running: ls")), .usage(usage),
                .todoChanged(TodoProgress(completed: 1, total: 3, current: "tests")),
                .subagentStarted(agent: "s", name: "tests"),
            ],
            [tool], [.approvalDelivered(ApprovalID("a1")!), .approvalApplied(ApprovalID("a1")!, outcome: .ran)],
            [question], [.approvalDelivered(ApprovalID("q1")!), .approvalApplied(ApprovalID("q1")!, outcome: .answered)],
            [
                .toolFinished(done), .fileChanged(path: "a.swift", added: 3, removed: 1), .subagentFinished(agent: "s"),
                .error(message: "overloaded", recoverable: false), .sessionEnded(reason: "agentGone", failed: true),
            ],
        ]
    }

    /// Plays a session with a spent budget, decisions and a prompt.
    private func play(_ events: ([EventHead], Int64) throws -> [Event], choice: String, command: String) throws -> (
        T, host: [String], client: [String]
    ) {
        let t = T()
        let host = t.host(capabilities: [.steer])
        let client = t.client()
        t.command(.subscribe(nil, after: nil), id: "sub", by: client)
        t.command(.budget(Budget(scope: .session(T.session), microUSD: 5_000_000)), id: "b1", by: client)
        var first: Int64 = 1
        func say(_ heads: [EventHead]) throws {
            t.send(events: try events(heads, t.now), first: first, by: host)
            first += Int64(heads.count)
            t.commit()
        }
        let life = Self.life()
        try say(life[0])
        t.command(.budget(Budget(scope: .session(T.session), microUSD: 5_000_000)), id: "b2", by: client)
        t.command(
            .steer(T.session, .prompt(.init(text: command, whenBusy: .queue, isCommand: true)), signature: "s"), id: "p1",
            by: client)
        try say(life[1])
        t.command(T.decide(.allowWith(offer: "always")), id: "d1", by: client)
        t.commit()
        try say(life[2])
        try say(life[3])
        let wrong = Answer(question: "q0", choices: ["neither"], indexes: [1])
        t.command(T.decide(.answer([wrong]), "q1"), id: "d2", by: client)
        t.command(
            T.decide(.answer([Answer(question: "q0", choices: [choice], indexes: [1])]), "q1"), id: "d3", by: client)
        t.commit()
        try say(life[4])
        try say(life[5])
        return (t, t.types(host), t.types(client))
    }

    @Test("lives, costs, asks and ends as one that the relay can read")
    func life() throws {
        let plain = try play({ heads, now in heads.map { Event($0, at: now) } }, choice: "Blue", command: "/deploy")
        let sealed = try play({ try Self.sealed($0, at: $1) }, choice: "2", command: Self.alias)
        #expect(sealed.host == plain.host && sealed.client == plain.client)
        let kinds = { (t: T) in try t.log[T.key]!.map { try JSONDocument(parsing: $0).root.string("kind") } }
        #expect(try kinds(sealed.0) == kinds(plain.0))
        #expect(sealed.0.approvals.mapValues(\.stage.word) == plain.0.approvals.mapValues(\.stage.word))
        #expect(sealed.0.approvals.values.allSatisfy { $0.stage.word == .applied })

        let mine = try #require(sealed.0.states[T.key]?.summary)
        var expected = try #require(plain.0.states[T.key]?.summary)
        (expected.title, expected.project, expected.workingDirectory) = (nil, nil, nil)
        (expected.file, expected.error, expected.line) = ("sealed", "A sealed error", "bGluZQ")
        expected.todo?.current = nil
        #expect(mine == expected)
    }

    // MARK: - The line

    @Test("its latest line is in the summary, is kept and counted, and goes with no restart of the agent")
    func line() throws {
        let t = T()
        let host = t.host()
        t.send(events: try Self.sealed([T.started], line: "b25l", at: t.now), first: 1, by: host)
        t.send(events: try Self.sealed([.statusChanged(.running, reason: nil)], line: nil, at: t.now), first: 2, by: host)
        t.commit()
        #expect(t.states[T.key]?.summary.line == "b25l")
        let long = String(repeating: "A", count: WireLimits.sealedLineBytesMax)
        let before = SessionView(state: try #require(t.states[T.key])).keptBytes
        t.send(events: try Self.sealed([.statusChanged(.idle, reason: nil)], line: long, at: t.now), first: 3, by: host)
        t.send(events: try Self.sealed([T.started], line: nil, at: t.now), first: 4, by: host)
        t.commit()
        let state = try #require(t.states[T.key])
        #expect(state.summary.line == long)
        #expect(try SessionState(stored: state.bytes) == state)
        #expect(SessionView(state: state).keptBytes - before > 2_000)
    }

    @Test("the keys of a host's devices count as what it keeps")
    func wraps() throws {
        var offer = SteeringOffer(projects: [])
        let wrap = try #require(KeyWrap(epoch: 1, device: Self.key, wrap: String(repeating: "wrap", count: 20)))
        let before = offer.memoryBytes
        offer.wraps = Array(repeating: wrap, count: WireLimits.wrapsMax)
        offer.sealed = String(repeating: "A", count: 1_000)
        #expect(offer.memoryBytes - before > WireLimits.wrapsMax * 100 + 1_000)
    }

    // MARK: - Numbers

    @Test("a report that comes too late is in its log, where it changes nothing: its number would be missed")
    func lateReports() throws {
        let t = T()
        let host = t.host()
        t.send(events: try Self.sealed([T.started, T.request(expiresAt: t.now + 1_000)], at: t.now), first: 1, by: host)
        t.commit()
        t.pass(600_000)
        let approval = try #require(ApprovalID("a1"))
        #expect(t.approvals[approval]?.stage.word == .expired)
        t.send(events: try Self.sealed([.approvalCancelled(approval, reason: "turnEnded")], at: t.now), first: 3, by: host)
        t.commit()
        #expect(t.approvals[approval]?.stage.word == .expired)
        let change = SteeringChange(
            SteeringName(client: ClientID("phone")!, command: CommandID("p9")!), .taken)
        t.send(events: try Self.sealed([.steeringChanged(change)], at: t.now), first: 4, by: host)
        t.commit()
        let kinds = try t.log[T.key]?.suffix(2).map { try JSONDocument(parsing: $0).root.string("kind") }
        #expect(kinds == ["approval.cancelled", "truncated"])
        #expect(t.states[T.key]?.hostSeq == 4)
    }

    // MARK: - Pushes

    @Test("a push says that something waits, and brings the line for the device")
    func pushes() throws {
        let rig = try PlannerRig()
        let events = try Self.sealed([T.started, Self.tool], at: rig.transcript.now)
        rig.transcript.send(events: events, first: 1, by: rig.host)
        rig.transcript.commit()
        rig.pass(100)
        let alert = try #require(rig.take().first)
        #expect(alert.text.contains("An agent needs approval"))
        #expect(!alert.text.contains("sealed"))
        #expect(try alert.json.required("heliograph").string("line") == "bGluZQ")
        #expect(try alert.json.required("aps").integer("mutable-content") == 1)
    }

    @Test("a device whose person wants no words gets no line either")
    func pushesWithoutWords() throws {
        let rig = try PlannerRig { $0.text = .generic }
        rig.transcript.send(events: try Self.sealed([T.started, Self.tool], at: rig.transcript.now), first: 1, by: rig.host)
        rig.transcript.commit()
        rig.pass(100)
        #expect(try rig.take().first?.json.required("heliograph").optional("line") == nil)
    }
}
