import RelayProtocol
import Testing

@testable import HostCore

@Suite("New sessions")
struct LaunchAdapterTests {
    private static let desk = SessionID("heliograph-f00")!
    private static let other = SessionID("claude-1")!
    private static let projects = [ProjectOffer(name: "site", folder: "~/site")]
    private static let agents = [StartableAgent(name: "claude", title: "Claude Code", modes: ["ask", "plan"], models: ["m1"])]

    private var adapter = LaunchAdapter(fresh: "f00", at: HostInstant(wall: 0, monotonic: 0))
    private var at: Int64 = 0

    init() {
        _ = handle(.daemonStarted(notes: [:]))
        _ = handle(.own(.read(Self.projects, Self.agents)))
    }

    // MARK: What happens

    @discardableResult
    private mutating func handle(_ input: AgentInput<LaunchFact>) -> [String] {
        adapter.handle(input, at: HostInstant(wall: at, monotonic: at)).map(Self.words)
    }

    private static func name(_ command: String) -> SteeringName {
        SteeringName(client: ClientID("c1")!, command: CommandID(command)!)
    }

    private mutating func ask(_ command: String, _ launch: Launch) -> [String] {
        handle(
            .steer(
                SteeringRequest(
                    command: CommandID(command)!, session: Self.desk, by: Named(id: ClientID("c1")!, name: "phone"),
                    action: .launch(launch))))
    }

    private mutating func start(_ command: String, text: String? = nil) -> [String] {
        ask(command, Launch(.start, project: "site", agent: "claude", text: text))
    }

    private mutating func resolve(_ command: String, _ folder: String? = "/home/a/site") -> [String] {
        handle(.own(.resolved(Self.name(command), folder: folder, reason: "gone")))
    }

    private mutating func outcome(_ command: String, _ outcome: LaunchOutcome) -> [String] {
        handle(.own(.outcome(Self.name(command), outcome)))
    }

    private static func words(_ effect: AgentEffect<LaunchReading>) -> String {
        switch effect {
        case .emit(_, let bytes, _): (try? Event(stored: bytes).head.kind) ?? "no event"
        case .offer(_, let offer):
            "offer \(SteeringAction.Kind.allCases.filter((offer?.actions ?? []).contains).map(\.rawValue).joined(separator: " "))"
        case .stands(_, let standing): standing.rawValue
        case .remember(let key, let note): note == nil ? "forget \(key)" : "remember \(key)"
        case .launch(let order): "launch \(order.launch.kind.rawValue) in \(order.folder)"
        case .begin(let request): "prompt \(request.session) \(request.action.text ?? "")"
        case .steered(_, let change):
            ["\(change.name.command) \(change.stage.rawValue)", change.started?.rawValue, change.reason].compactMap { $0 }
                .joined(separator: ": ")
        case .own(.readProjects): "read"
        case .own(.resolve(_, let project)): "resolve \(project)"
        case .checkAgents(let processes): "check \(processes.map(\.id))"
        default: "something else"
        }
    }

    // MARK: Tests

    @Test("a host offers what can be started, by a session of its own that has one name for ever")
    func offered() {
        var fresh = LaunchAdapter(fresh: "a1", at: HostInstant(wall: 0, monotonic: 0))
        func say(_ input: AgentInput<LaunchFact>) -> [String] {
            fresh.handle(input, at: HostInstant(wall: 0, monotonic: 0)).map(Self.words)
        }
        #expect(say(.daemonStarted(notes: [:])) == ["read"])
        #expect(say(.own(.read([], Self.agents))) == [], "nothing is shown of a host that lets nothing be started")
        #expect(
            say(.own(.read(Self.projects, Self.agents))) == [
                "remember heliograph-desk", "session.started", "status.changed", "offer start resume past ruleTry", "idle",
            ])
        #expect(say(.own(.read([], Self.agents))) == ["offer ruleTry", "idle"])
        #expect(say(.own(.read(Self.projects, []))) == ["offer ruleTry", "idle"])
        fresh = LaunchAdapter(fresh: "b2", at: HostInstant(wall: 0, monotonic: 0))
        #expect(say(.daemonStarted(notes: ["heliograph-desk": Array(#"{"session":"heliograph-a1"}"#.utf8)])) == ["read"])
        #expect(say(.own(.read([], []))) == ["session.started", "status.changed", "offer ruleTry", "idle"])
        #expect(fresh.liveSessions.map(\.id) == [SessionID("heliograph-a1")!])
    }

    @Test(
        "a host that wants signatures is there by its session, whether anything can be started or not",
        arguments: [true, false])
    func signed(isFromItsStart: Bool) {
        var fresh = LaunchAdapter(fresh: "a1", at: HostInstant(wall: 0, monotonic: 0))
        func say(_ input: AgentInput<LaunchFact>) -> [String] {
            fresh.handle(input, at: HostInstant(wall: 0, monotonic: 0)).map(Self.words)
        }
        #expect(say(.daemonStarted(notes: [:])) == ["read"])
        if !isFromItsStart { #expect(say(.own(.read([], Self.agents))) == []) }
        #expect(say(.own(.becameSigned)) == (isFromItsStart ? [] : ["read"]))
        let shown = ["remember heliograph-desk", "session.started", "status.changed", "offer ruleAdd ruleTry", "idle"]
        #expect(say(.own(.read([], Self.agents))) == shown)
    }

    @Test("a start is taken when its agent says that what it began is there, and not before")
    mutating func started() {
        #expect(start("k1") == ["resolve site"])
        #expect(resolve("k1") == ["launch start in /home/a/site"])
        #expect(outcome("k1", .arrived) == [], "nothing has begun")
        #expect(outcome("k1", .began(Self.other, AgentProcess(id: 7, startedAt: 9))) == ["remember heliograph-run.claude-1"])
        #expect(outcome("k2", .arrived) == [], "what another command began")
        #expect(outcome("k1", .arrived) == ["k1 taken: claude-1"])
        #expect(outcome("k1", .ended(Self.other, words: nil)) == ["forget heliograph-run.claude-1"])
    }

    @Test(
        "with a first prompt the outcome is that of both",
        arguments: [
            (SteeringStage.taken, "k1 taken: claude-1"),
            (.refused, "k1 refused: claude-1: the session has begun, its first prompt is another matter: why"),
            (.unknown, "k1 unknown: claude-1: the session has begun, its first prompt is another matter: why"),
        ])
    mutating func prompted(_ stage: SteeringStage, _ end: String) {
        _ = start("k1", text: "begin")
        _ = resolve("k1")
        _ = outcome("k1", .began(Self.other, nil))
        #expect(outcome("k1", .arrived) == ["prompt claude-1 begin"])
        #expect(handle(.own(.prompted(SteeringChange(Self.name("k1"), .given)))) == [])
        let reason = stage == .taken ? nil : "why"
        #expect(handle(.own(.prompted(SteeringChange(Self.name("k1"), stage, reason: reason)))) == [end])
        #expect(handle(.own(.prompted(SteeringChange(Self.name("k1"), .taken)))) == [], "the first end stands")
    }

    @Test("what is not offered is refused before anything is looked at")
    mutating func refused() {
        #expect(ask("k1", Launch(.start, project: "else", agent: "claude")) == ["k1 refused: the host offers no such project"])
        #expect(ask("k2", Launch(.start, project: "site", agent: "bash")) == ["k2 refused: the host offers no such agent"])
        #expect(
            ask("k3", Launch(.start, project: "site", agent: "claude", mode: "free")) == [
                "k3 refused: that mode is not offered"
            ])
        #expect(
            ask("k4", Launch(.start, project: "site", agent: "claude", model: "m2")) == [
                "k4 refused: that model is not offered"
            ])
        #expect(start("k5") == ["resolve site"])
        #expect(resolve("k5", nil) == ["k5 refused: gone"])
    }

    @Test("an agent that ends at once says why, in its last words")
    mutating func endedAtOnce() {
        _ = start("k1")
        _ = resolve("k1")
        _ = outcome("k1", .began(Self.other, AgentProcess(id: 7, startedAt: 9)))
        #expect(outcome("k1", .ended(Self.other, words: "no key")) == ["forget heliograph-run.claude-1", "k1 refused: no key"])
    }

    @Test("so many under way, and so many that run, and no more")
    mutating func bounds() {
        let limits = LaunchLimits()
        for number in 1...limits.pendingMax { #expect(start("k\(number)") == ["resolve site"]) }
        #expect(start("k0").first?.contains("refused: 4 others") == true)
        for number in 1...limits.pendingMax { _ = resolve("k\(number)", nil) }
        for number in 1...limits.runningMax {
            let id = SessionID("claude-r\(number)")!
            _ = start("r\(number)")
            _ = resolve("r\(number)")
            _ = outcome("r\(number)", .began(id, AgentProcess(id: Int32(number + 10), startedAt: 1)))
            #expect(outcome("r\(number)", .arrived) == ["r\(number) taken: claude-r\(number)"])
        }
        #expect(start("r0").last?.contains("refused: 8 sessions") == true)
        #expect(handle(.agentGone(AgentProcess(id: 11, startedAt: 1))) == ["forget heliograph-run.claude-r1"])
        #expect(start("r0") == ["resolve site"])
    }

    @Test("one past session is resumed once at a time")
    mutating func resumedTwice() {
        let launch = Launch(.resume("p1"), project: "site", agent: "claude")
        #expect(ask("k1", launch) == ["resolve site"])
        #expect(ask("k2", launch) == ["k2 refused: it is being resumed already"])
        #expect(ask("k3", Launch(.resume("p2"), project: "site", agent: "claude")) == ["resolve site"])
    }

    @Test("what shows nothing in time is unknown, and what comes later changes nothing")
    mutating func overdue() {
        _ = start("k1")
        _ = resolve("k1")
        _ = start("k2")
        _ = outcome("k1", .began(Self.other, nil))
        at = LaunchLimits().showWithin.milliseconds
        #expect(adapter.nextDeadline == at)
        #expect(
            handle(.timerFired) == [
                "k1 unknown: claude-1: it was started, and has not shown that it is there",
                "k2 unknown: the agent has not said what came of it",
            ])
        #expect(resolve("k2") == [], "nothing is started for what is over")
        #expect(outcome("k1", .arrived) == [])
    }

    @Test("sessions that an earlier daemon started count, as long as they run")
    mutating func restored() {
        adapter = LaunchAdapter(fresh: "f00", at: HostInstant(wall: 0, monotonic: 0))
        let notes = [
            "heliograph-desk": Array(#"{"session":"heliograph-f00"}"#.utf8),
            "heliograph-run.claude-1": Array(#"{"pid":7,"startedAt":"9"}"#.utf8),
        ]
        #expect(handle(.daemonStarted(notes: notes)) == ["check [7]", "read"])
        #expect(handle(.agentGone(AgentProcess(id: 7, startedAt: 9))) == ["forget heliograph-run.claude-1"])
    }

    @Test("past sessions are the body of the event that tells of them")
    mutating func past() throws {
        #expect(ask("k1", Launch(.past, project: "site", agent: "claude")) == ["resolve site"])
        #expect(resolve("k1") == ["launch past in /home/a/site"])
        let sessions = (0..<WireLimits.pastSessionsMax + 5).map { PastSession(id: "p\($0)", title: "t", at: 1) }
        let effects = adapter.handle(
            .own(.outcome(Self.name("k1"), .listed(sessions))), at: HostInstant(wall: 0, monotonic: 0))
        guard case .steered(_, let change)? = effects.first else { throw Unexpected() }
        #expect(change.stage == .taken && change.past?.count == WireLimits.pastSessionsMax)
    }

    private struct Unexpected: Error {}
}
