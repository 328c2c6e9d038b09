import HeliographLink
import RelayProtocol

@testable import HostCore

/// Gives the host machine facts, and records its orders, one short line each.
struct HostBench {
    let disk: MemoryDisk
    let diary = ScriptedAdapter.Diary()
    private(set) var spool: Spool
    private var machine: HostMachine
    /// Facts that the adapters received when they started.
    private(set) var started: [String] = []
    /// All orders of the start.
    private(set) var begun: [String] = []
    private(set) var now = HostInstant(wall: 1_800_000_000_000, monotonic: 50_000)

    /// One run of a daemon, with adapters of these names.
    init(
        _ agents: [String] = ["one"], on disk: MemoryDisk = MemoryDisk(), holds: Holds = Holds(),
        steering: SteeringRights = .nobody, starts: Bool = false, boot: String = "",
        rules: (any RuleSource)? = nil
    ) throws {
        self.disk = disk
        spool = try Spool(disk: disk) { _ in }
        var adapters: [any AgentAdapter] = agents.map { [diary] in ScriptedAdapter($0, diary) }
        if starts { adapters.append(LaunchAdapter(fresh: "f00", at: HostInstant(wall: 0, monotonic: 0))) }
        machine = HostMachine(
            agents: adapters, spool: spool,
            link: LinkMachine(software: "test", name: nil), boot: boot, steering: steering,
            rules: rules.map { ($0, "/home/me") })
        begun = tell(.started(holds: holds))
        started = begun.filter { $0.contains("hears start") }
    }

    /// Passes a fact in. Returns the orders, and the facts that the adapters received.
    mutating func tell(_ fact: HostFact) -> [String] {
        let lines = machine.handle(fact, at: now).map(Self.line)
        defer { diary.lines = [] }
        return diary.lines + lines
    }

    mutating func tell(_ agent: String, _ effects: [AgentEffect<ScriptedAdapter.Order>]) -> [String] {
        tell(.told(agent: agent, effects))
    }

    mutating func pass(_ duration: Duration) {
        now.wall += duration.milliseconds
        now.monotonic += duration.milliseconds
    }

    /// Connects; the relay has nothing of any session.
    mutating func connect() -> [String] {
        _ = tell(.linkOpened)
        return welcome()
    }

    mutating func welcome(_ progress: [SessionProgress] = []) -> [String] {
        let welcome = Welcome(software: "r", epoch: Epoch("e")!, heartbeat: Heartbeat(pingSeconds: 7, hangUpSeconds: 9))
        return tell(.received(.welcome(welcome, host: Named(id: HostID("h")!, name: "n"), sessions: progress)))
    }

    // MARK: Words

    static let approval = ApprovalID("a1")!
    static let digest = InputDigest(String(repeating: "0", count: 64))!
    static let decision = Decision(
        .allow, client: ClientID("c1")!, clientName: "Ada's phone", at: 1, command: CommandID("k1")!)

    static func emit(_ head: EventHead, in session: String, isKept: Bool = false) -> AgentEffect<ScriptedAdapter.Order> {
        .emit(SessionID(session)!, Event(head, at: 1).bytes, isKept: isKept)
    }

    static func works(_ session: String) -> AgentEffect<ScriptedAdapter.Order> {
        emit(.statusChanged(.running, reason: nil), in: session)
    }

    static var asks: ApprovalRequest {
        ApprovalRequest(approval: approval, kind: .tool, tool: "Run", title: "Run: ls", digest: digest)
    }

    private static func line(_ order: HostOrder) -> String {
        switch order {
        case .connect(let heartbeat): "connect\(heartbeat.map { " \($0.pingSeconds)" } ?? "")"
        case .send(let bytes): "send \(message(bytes))"
        case .stream: "stream"
        case .close(let code): "close \(code)"
        case .arm(let timer, let wait): "arm \(timer) \(wait.milliseconds)"
        case .disarm(let timer): "disarm \(timer)"
        case .saveHolds(let holds): "save \(holds.everySession ? "all" : "\(holds.sessions.count)")"
        case .fetchPictures(let name, let pictures): "fetch \(pictures.count) of \(name.command)"
        case .tryRules(let name, let text): "try \(text) for \(name.command)"
        case .askTerminal(let call): "ask \(call.session): \(call.wish)"
        case .respond(let token, let output):
            "respond \(token.rawValue) \(output.map { String(decoding: $0, as: UTF8.self) } ?? "nothing")"
        case .checkAgents(let processes): "check \(processes.map { "\($0.id)" }.joined(separator: " "))"
        case .carryOut(let agent, let order): "\(agent) \(order)"
        case .log(.notRecorded): "log: not recorded"
        case .log(.diskFails): "log: disk fails"
        case .log(.diskIsBack): "log: disk is back"
        case .log(.foreign(let session, _)): "log: foreign \(session)"
        case .log: "log"
        }
    }

    private static func message(_ bytes: [UInt8]) -> String {
        switch try? HostMessage(parsing: bytes) {
        case .hello(let hello)?: "hello \(hello.sessions.map(\.rawValue).joined(separator: " "))"
        case .events(let run)?: "\(run.session) \(run.first): \(run.events.map(\.head.kind).joined(separator: " "))"
        case .answered(let name, let answer)?: "answered \(name.command): \(answer)"
        default: "?"
        }
    }
}
