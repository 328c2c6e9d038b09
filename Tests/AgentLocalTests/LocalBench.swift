import HeliographCrypto
import HostCore
import RelayProtocol
import Testing

@testable import AgentLocal

/// Simulates programs, people and the daemon around the adapter, and records its orders, one short line each.
struct LocalBench {
    static let digests = Digests { Crypto.hex(Crypto.sha256($0)) }
    static let builder = AgentProcess(id: 4_711, startedAt: 99)
    static let other = AgentProcess(id: 4_712, startedAt: 100)

    private(set) var adapter: LocalAdapter
    private(set) var now = HostInstant(wall: 1_800_000_000_000, monotonic: 50_000)
    private(set) var notes: [String: [UInt8]] = [:]
    /// The questions shown to people, oldest first.
    private(set) var requests: [(session: SessionID, head: ApprovalRequest, body: String)] = []
    /// All events as they were sent.
    private(set) var events: [Event] = []
    /// Processes that `checkAgents` finds gone.
    var gone: Set<AgentProcess> = []
    /// Targets of links; not answered unless `findsLinks`.
    var links: [String: String]? = [:]
    var findsLinks = true
    /// True if the relay accepts each session as this host's at once.
    var confirmsNames = true
    private var lines: [String] = []
    private var token: UInt64 = 0
    private var decisions = 0

    init(isLinkLive: Bool = true) {
        adapter = LocalAdapter(digests: Self.digests, at: now)
        if isLinkLive { tell(.linkChanged(isLive: true)) }
    }

    // MARK: Facts

    mutating func tell(_ input: LocalInput) {
        for effect in adapter.handle(input, at: now) { carryOut(effect) }
    }

    private mutating func carryOut(_ effect: LocalEffect) {
        switch effect {
        case .emit(let session, let bytes, _):
            guard let event = try? Event(stored: bytes) else {
                lines.append("not an event")
                return
            }
            events.append(event)
            if case .approvalRequested(let head) = event.head {
                requests.append((session, head, String(decoding: bytes, as: UTF8.self)))
            }
            lines.append("\(session): \(Self.line(event.head))")
        case .show(let output): lines.append("output of \(output.call): \(output.text)")
        case .stream, .restrict, .heed, .askAll, .launched, .launch, .begin: lines.append("unexpected")
        case .steered(_, let change):
            lines.append(
                "steering: \(change.name.command.rawValue) \(change.stage.rawValue)" + (change.reason.map { " (\($0))" } ?? ""))
        case .offer(_, let offer):
            let reach = offer?.hold.map { " (hold: \($0))" } ?? ""
            lines.append(
                "offers " + (offer.map { $0.actions.map(\.rawValue).sorted().joined(separator: " ") } ?? "nothing") + reach)
        case .stands(_, let standing): lines.append("stands \(standing.rawValue)")
        case .respond(let token, let output):
            lines.append("\(token.rawValue): " + (output.map { String(decoding: $0, as: UTF8.self) } ?? "204"))
        case .checkAgents(let processes):
            for process in processes where gone.contains(process) { tell(.agentGone(process)) }
        case .remember(let key, let note): notes[key] = note
        case .own(.findLinks(let token, _, _)): if findsLinks { tell(.own(.linksFound(token, links))) }
        case .own(.refuse(let token, let error)): lines.append("\(token.rawValue): \(error.status) \(error.code.word)")
        }
    }

    mutating func send(_ text: String, by process: AgentProcess? = builder) throws {
        token += 1
        let events = try LocalEvent.all(in: Array(text.utf8))
        tell(.own(.eventsSent(events, by: process, HookToken(rawValue: token))))
        if confirmsNames { for id in adapter.names.unconfirmed { tell(.named(id, isOurs: true)) } }
    }

    mutating func ask(
        _ approval: String = "q1", session: String = "s1",
        _ rest: String = #""kind":"tool","tool":"Run","input":{"command":"ls"}"#, by process: AgentProcess? = builder
    ) throws {
        token += 1
        let text = #"{"session":"\#(session)","approval":"\#(approval)",\#(rest)}"#
        tell(.own(.asked(try LocalAsk(parsing: Array(text.utf8)), by: process, HookToken(rawValue: token))))
    }

    mutating func settle(_ outcome: String, _ approval: String = "q1", session: String = "s1") throws {
        token += 1
        let text = #"{"session":"\#(session)","approval":"\#(approval)","outcome":"\#(outcome)"}"#
        tell(.own(.settled(try LocalSettlement(parsing: Array(text.utf8)), by: Self.builder, HookToken(rawValue: token))))
    }

    mutating func steering(_ path: String, session: String = "s1", _ rest: String = "") throws {
        token += 1
        let text = #"{"session":"\#(session)"\#(rest)}"#
        let word = try #require(try LocalSteering(path, Array(text.utf8)))
        tell(.own(.steering(word, by: Self.builder, HookToken(rawValue: token))))
    }

    mutating func steer(_ action: SteeringAction, _ id: String, session: String = "local-s1") {
        let by = Named<ClientTag>(id: ClientID("c1")!, name: "Ada's phone")
        tell(.steer(SteeringRequest(command: CommandID(id)!, session: SessionID(session)!, by: by, action: action)))
    }

    /// Closes the connection of a request.
    mutating func hangUp(_ token: UInt64) { tell(.hookGone(HookToken(rawValue: token))) }

    /// Decides the last question, as it was shown.
    mutating func decide(_ verdict: Decision.Verdict, digest: InputDigest? = nil) throws {
        let request = try #require(requests.last)
        decisions += 1
        let decision = Decision(
            verdict, client: ClientID("c1")!, clientName: "Ada's phone", at: now.wall, command: CommandID("k\(decisions)")!)
        tell(.decided(request.session, request.head.approval, digest ?? request.head.digest, decision))
    }

    /// Kills the daemon and restarts it with nothing but its notes.
    mutating func restart(after duration: Duration = .seconds(1)) {
        advance(duration)
        adapter = LocalAdapter(digests: Self.digests, at: now)
        tell(.daemonStarted(notes: notes))
        tell(.linkChanged(isLive: true))
    }

    // MARK: Time

    mutating func pass(_ duration: Duration) {
        let end = now.monotonic + duration.milliseconds
        while now.monotonic < end {
            let due = min(adapter.nextDeadline ?? end, end)
            advance(.milliseconds(max(due - now.monotonic, 1)))
            tell(.timerFired)
        }
    }

    mutating func advance(_ duration: Duration) {
        now.wall += duration.milliseconds
        now.monotonic += duration.milliseconds
    }

    // MARK: Lines

    /// Orders since the last call.
    mutating func take() -> [String] {
        defer { lines = [] }
        return lines
    }

    private static func line(_ head: EventHead) -> String {
        switch head {
        case .sessionStarted(let facts): "started \(facts.agentName)" + (facts.isResumed ? " again" : "")
        case .sessionEnded(let reason, let failed): "ended \(reason ?? "")" + (failed ? " failed" : "")
        case .statusChanged(let status, let reason): "\(status.rawValue)" + (reason.map { ": \($0)" } ?? "")
        case .message(let role, let summary, _, _): "\(role.rawValue): \(summary ?? "")"
        case .approvalRequested(let request): "asks \(request.title)" + (request.isCut ? " cut" : "")
        case .approvalApplied(_, let outcome): "applied \(outcome.rawValue)"
        case .approvalCancelled(_, let reason): "cancelled \(reason)"
        case .approvalStale(_, let reason): "stale \(reason)"
        default: head.kind
        }
    }
}
