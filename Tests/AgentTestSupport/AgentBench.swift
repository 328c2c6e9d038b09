package import HostCore
package import RelayProtocol

/// Results of an adapter's facts, in a form shared by the tests of all agents.
package protocol AgentBench {
    associatedtype Order: Sendable

    /// All orders of the adapter so far.
    var effects: [AgentEffect<Order>] { get }
    var now: HostInstant { get }
}

extension AgentBench {
    package var events: [(session: SessionID, event: Event)] {
        effects.compactMap {
            guard case .emit(let session, let bytes, _) = $0, let event = try? Event(stored: bytes) else { return nil }
            return (session, event)
        }
    }

    package var requests: [(session: SessionID, head: ApprovalRequest)] {
        events.compactMap {
            guard case .approvalRequested(let request) = $0.event.head else { return nil }
            return ($0.session, request)
        }
    }

    /// The body of the last event of a kind.
    package func body(_ kind: EventKind) throws -> JSONValue { try last(kind).required("body") }

    package func head(_ kind: EventKind) throws -> JSONValue { try last(kind).required("head") }

    private func last(_ kind: EventKind) throws -> JSONValue {
        guard let event = events.last(where: { $0.event.head.kind == kind.rawValue })?.event else {
            throw AgentBenchError(description: "there was no \(kind.rawValue)")
        }
        return try JSONDocument(parsing: event.bytes).root
    }

    /// A person's decision on the last question, as it was shown.
    package func decision(
        _ verdict: Decision.Verdict, name: String = "Ada's phone"
    ) throws -> (request: (session: SessionID, head: ApprovalRequest), decision: Decision) {
        guard let request = requests.last else { throw AgentBenchError(description: "nothing was asked") }
        let decision = Decision(
            verdict, client: ClientID("c1")!, clientName: name, at: now.wall, command: CommandID("k1")!)
        return (request, decision)
    }

    /// An event as a line, unless its agent has its own form.
    package static func line(of event: Event) -> String {
        let kind = event.head.kind
        switch event.head {
        case .sessionStarted(let facts): return "\(kind) \(facts.project ?? "?")\(facts.isResumed ? " again" : "")"
        case .sessionRenamed(let title): return "\(kind) \(title)"
        case .sessionEnded(let reason, let failed): return "\(kind) \(reason ?? "")\(failed ? " failed" : "")"
        case .statusChanged(let status, let reason): return "\(kind) \(status)\(reason.map { ": \($0)" } ?? "")"
        case .message(let role, let summary, _, _): return "\(kind) \(role): \(summary ?? "")"
        case .toolStarted(let start): return "\(kind) \(start.operation)"
        case .toolFinished(let finish):
            return "\(kind) \(finish.succeeded ? "ok" : "failed")\(finish.summary.map { ": \($0)" } ?? "")"
        case .fileChanged(let path, let added, let removed, _): return "\(kind) \(path) +\(added) -\(removed)"
        case .todoChanged(let todo): return "\(kind) \(todo.completed)/\(todo.total) \(todo.current ?? "")"
        case .approvalRequested(let request): return "\(kind) \(request.title)\(request.isCut ? " (cut)" : "")"
        case .approvalApplied(_, let outcome): return "\(kind) \(outcome)"
        case .approvalCancelled(_, let reason), .approvalStale(_, let reason): return "\(kind) \(reason)"
        case .subagentStarted(let agent, _, _), .subagentFinished(let agent, _): return "\(kind) \(agent)"
        case .error(let message, _): return "\(kind) \(message)"
        default: return kind
        }
    }
}

/// A test requested an event that does not exist.
package struct AgentBenchError: Error, CustomStringConvertible {
    package let description: String
}
