import HostCore
import RelayProtocol

/// What somebody tells an agent from afar is taken at most once, from those who may, at a moment when the agent asks nothing; and it has an
/// end that is true.
struct SteeringChecker {
    private struct Command {
        let request: SteeringRequest
        let isAllowed: Bool
        var takenCount = 0
    }

    private var commands: [SteeringName: Command] = [:]
    /// What hosts said to the relay: also what it does not record, because another end came before.
    private var firstEnds: [SteeringName: SteeringChange] = [:]

    /// A client is about to send this.
    mutating func asked(_ request: SteeringRequest, isAllowed: Bool) {
        commands[request.name] = commands[request.name] ?? Command(request: request, isAllowed: isAllowed)
    }

    /// `isAsking`: the agent waits for an answer, and its adapter knows.
    func given(_ request: SteeringRequest, isAsking: Bool) -> String? {
        guard isAsking, request.action.kind == .prompt else { return nil }
        return "\(request.name.command) is given to an agent that waits for an answer"
    }

    mutating func took(_ request: SteeringRequest) -> String? {
        guard let command = commands[request.name] else { return "an agent took \(request.command), which nobody sent" }
        commands[request.name]?.takenCount += 1
        if !command.isAllowed { return "an agent took \(request.command) from one who may not steer" }
        if command.takenCount > 0 { return "an agent took \(request.command) twice" }
        return command.request.action == request.action ? nil : "an agent took another text than \(request.command) had"
    }

    /// A host sends this to the relay, maybe not for the first time.
    mutating func told(_ message: [UInt8]) -> String? {
        guard case .events(let batch)? = try? HostMessage(parsing: message) else { return nil }
        for event in batch.events {
            guard case .steeringChanged(let change) = event.head, change.stage.isFinal else { continue }
            let first = firstEnds[change.name] ?? change
            firstEnds[change.name] = first
            if first != change {
                return "\(change.name.command) was \(first.stage.rawValue), and is \(change.stage.rawValue) then"
            }
        }
        return nil
    }

    /// Once all is settled: the events of one session, from the first that was not removed on.
    func settled(_ events: some Sequence<[UInt8]>) -> String? {
        var open: [SteeringName] = []
        var ends: [SteeringName: SteeringStage] = [:]
        for bytes in events {
            switch (try? Event(stored: bytes))?.head {
            case .steeringRequested(let call)?: open.append(call.name)
            case .steeringChanged(let change)? where change.stage.isFinal && ends[change.name] == nil:
                ends[change.name] = change.stage
            default: break
            }
        }
        for name in open {
            guard let command = commands[name] else { return "\(name.command) is in the log, and nobody sent it" }
            guard command.isAllowed else { return "\(name.command) is in the log, of one who may not steer" }
            guard let end = ends[name] else { return "\(name.command) has no end" }
            switch end {
            case .refused, .withdrawn:
                if command.takenCount > 0 { return "\(name.command) is \(end.rawValue), and the agent took it" }
            case .taken: if command.takenCount == 0 { return "\(name.command) is taken, and the agent never saw it" }
            case .unknown, .queued, .given: break
            }
        }
        return nil
    }

    /// Of the relay's own making: a host numbers none of these.
    static func isMadeByRelay(_ head: EventHead) -> Bool {
        switch head {
        case .steeringRequested: true
        case .steeringChanged(let change): change.stage == .refused && change.reason == "its host had just gone"
        default: false
        }
    }

    /// Of the host's desk and not of an adapter.
    static func isMadeByDesk(_ bytes: [UInt8]) -> Bool { bytes.starts(with: #"{"kind":"steering."#.utf8) }
}
