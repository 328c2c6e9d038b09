import HostCore
import RelayProtocol

/// Checks that a client's command to an agent is taken at most once, from a client that may steer, while the agent asks nothing;
/// and that its reported end is true.
struct SteeringChecker {
    private struct Command {
        let request: SteeringRequest
        let isAllowed: Bool
        var takenCount = 0
        /// Number of sessions begun by a command that starts one.
        var begunCount = 0
    }

    private var commands: [SteeringName: Command] = [:]
    /// The first end of each command that hosts reported, even if the relay does not record it because of an earlier one.
    private var firstEnds: [SteeringName: SteeringChange] = [:]

    /// A client is about to send this.
    mutating func asked(_ request: SteeringRequest, isAllowed: Bool) {
        commands[request.name] = commands[request.name] ?? Command(request: request, isAllowed: isAllowed)
    }

    /// `isAsking`: the agent waits for an answer, and its adapter knows that. Returns a complaint, if any.
    func given(_ request: SteeringRequest, isAsking: Bool) -> String? {
        guard isAsking, request.action.kind == .prompt else { return nil }
        return "\(request.name.command) is given to an agent that waits for an answer"
    }

    mutating func took(_ request: SteeringRequest) -> String? {
        guard let command = commands[request.name] else { return "an agent took \(request.command), which nobody sent" }
        commands[request.name]?.takenCount += 1
        if !command.isAllowed { return "an agent took \(request.command) from one who may not steer" }
        if command.takenCount > 0 { return "an agent took \(request.command) twice" }
        return command.request.action.text == request.action.text
            ? nil : "an agent took another text than \(request.command) had"
    }

    /// A host's rules change so. No two commands have the same rule's text.
    mutating func changed(_ action: SteeringAction) -> String? {
        let asked = commands.values.filter { $0.request.action == action }
        guard action.kind == .ruleOff else {
            return asked.first.map { took($0.request) } ?? "a rule is changed, and nobody asked for that"
        }
        return asked.contains(where: \.isAllowed) ? nil : "a rule is taken back, and nobody who may steer asked for that"
    }

    /// The agent took a text. Texts are unique.
    mutating func took(_ text: String, in session: SessionID) -> String? {
        guard let command = commands.values.first(where: { $0.request.action.text == text }) else {
            return "\(session) took \(text), which nobody sent"
        }
        guard command.request.session == session || command.request.action.kind.isLaunch else {
            return "\(session) took \(text), which was for \(command.request.session)"
        }
        return took(command.request)
    }

    /// An agent starts or continues a session for this order.
    mutating func began(_ order: LaunchOrder, allowed folders: Set<String>) -> String? {
        guard let command = commands[order.name] else { return "a session begins by \(order.name.command), which nobody sent" }
        commands[order.name]?.begunCount += 1
        if !command.isAllowed { return "a session begins by \(order.name.command), from one who may not steer" }
        if command.begunCount > 0 { return "a session begins by \(order.name.command) twice" }
        if !folders.contains(order.folder) { return "a session begins in \(order.folder), which its host does not allow" }
        return command.request.action == .launch(order.launch)
            ? nil : "a session begins otherwise than \(order.name.command) asked"
    }

    /// A host sends this to the relay, perhaps again.
    mutating func told(_ message: [UInt8]) -> String? {
        guard case .events(let batch)? = try? HostMessage(parsing: message) else { return nil }
        for event in batch.events {
            guard case .steeringChanged(let change) = event.head, change.stage.isFinal else { continue }
            let first = firstEnds[change.name] ?? change
            firstEnds[change.name] = first
            // A host that lost its record of a command, by a power failure or a full disk, does not know that an end of it already
            // waits to be sent. The relay records the first: the two may differ in their words, but not in the outcome.
            if first.stage != change.stage, change.stage != .unknown {
                return "\(change.name.command) was \(first.stage.rawValue), and is \(change.stage.rawValue) then"
            }
        }
        return nil
    }

    /// Checks the events of one session once all is settled, from the first that was not removed.
    func settled(_ events: some Sequence<[UInt8]>) -> String? {
        var open: [SteeringName] = []
        var ends: [SteeringName: SteeringChange] = [:]
        // Interrupts in flight at the same time, by each of them: one that stops the turn stops it for all.
        var together: [SteeringName: Set<SteeringName>] = [:]
        for bytes in events {
            switch (try? Event(stored: bytes))?.head {
            case .steeringRequested(let call)?:
                open.append(call.name)
                guard commands[call.name]?.request.action.kind == .interrupt else { continue }
                together[call.name] = []
                for other in open where ends[other] == nil && together[other] != nil && other != call.name {
                    together[other]?.insert(call.name)
                    together[call.name]?.insert(other)
                }
            case .steeringChanged(let change)? where change.stage.isFinal && ends[change.name] == nil:
                ends[change.name] = change
            default: break
            }
        }
        for name in open {
            guard let command = commands[name] else { return "\(name.command) is in the log, and nobody sent it" }
            guard command.isAllowed else { return "\(name.command) is in the log, of one who may not steer" }
            guard let change = ends[name] else { return "\(name.command) has no end" }
            if command.request.action.kind.isLaunch {
                if let complaint = Self.complaint(of: command, change) { return complaint }
                continue
            }
            let end = change.stage
            // One that was off already is not taken back again.
            if command.request.action.kind == .ruleOff { continue }
            switch end {
            case .refused, .withdrawn:
                if command.takenCount > 0 { return "\(name.command) is \(end.rawValue), and the agent took it" }
            case .taken:
                let wasSeen = [name] + (together[name] ?? [])
                if wasSeen.allSatisfy({ commands[$0]?.takenCount == 0 }) {
                    return "\(name.command) is taken, and the agent never saw it"
                }
            case .unknown, .queued, .given: break
            }
        }
        return nil
    }

    private static func complaint(of command: Command, _ end: SteeringChange) -> String? {
        let id = command.request.command
        guard command.request.action.kind != .past else { return nil }
        switch end.stage {
        case .refused where end.started == nil && command.begunCount > 0: return "\(id) is refused, and a session began"
        case .refused where command.takenCount > 0: return "\(id) is refused, and the agent took its prompt"
        case .taken where command.begunCount == 0: return "\(id) is taken, and no session began"
        case .taken where command.request.action.text != nil && command.takenCount == 0:
            return "\(id) is taken, and the agent never saw its prompt"
        default: return end.started != nil && command.begunCount == 0 ? "\(id) names a session that never began" : nil
        }
    }

    /// True if the relay makes the event: hosts do not number these.
    static func isMadeByRelay(_ head: EventHead) -> Bool {
        switch head {
        case .steeringRequested: true
        case .steeringChanged(let change): change.stage == .refused && change.reason == "its host had just gone"
        default: false
        }
    }

    /// True for events that the host's machine or its desks make, not a simulated adapter.
    static func isMadeByDesk(_ session: SessionID, _ bytes: [UInt8]) -> Bool {
        session.rawValue.hasPrefix(LaunchAdapter.name) || bytes.starts(with: #"{"kind":"steering."#.utf8)
            || bytes.starts(with: #"{"kind":"truncated""#.utf8)
    }
}
