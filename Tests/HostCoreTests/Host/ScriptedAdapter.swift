import RelayProtocol

@testable import HostCore

/// Gives the orders of its script, and records all other facts.
struct ScriptedAdapter: AgentAdapter {
    enum Order: Sendable, Equatable { case look(String) }

    final class Diary {
        var lines: [String] = []
        /// Nearly every test leaves these out: they come with the first acknowledgement of each session, and with each full disk.
        var hasNames = false
        var keepsDecisions = false
        var decisions: [(digest: InputDigest, decision: Decision)] = []
        var requests: [SteeringRequest] = []
        var launches: [LaunchOrder] = []
        /// The call for an edit's text; nil if it cannot be edited.
        var edited: (String) -> UnaskedCall? = { _ in nil }
    }

    let name: String
    let diary: Diary
    var nextDeadline: Int64?
    private var sessions: Set<SessionID> = []

    init(_ name: String, _ diary: Diary) {
        self.name = name
        self.diary = diary
    }

    mutating func handle(_ input: AgentInput<[AgentEffect<Order>]>, at now: HostInstant) -> [AgentEffect<Order>] {
        if case .own(let effects) = input {
            for case .emit(let session, _, _) in effects { sessions.insert(session) }
            nextDeadline = now.monotonic + 500
            return effects
        }
        // The adapter's note of a session is one byte.
        if case .daemonStarted(let notes) = input {
            sessions.formUnion(notes.filter { $0.value == [1] }.keys.compactMap { SessionID($0) })
        }
        if case .timerFired = input { nextDeadline = nil }
        if diary.keepsDecisions, case .decided(_, _, let digest, let decision) = input {
            diary.decisions.append((digest, decision))
        }
        if case .steer(let request) = input { diary.requests.append(request) }
        if case .launch(let order) = input { diary.launches.append(order) }
        switch input {
        case .named, .nothingRecorded: guard diary.hasNames else { return [] }
        default: break
        }
        diary.lines.append("\(name) hears \(Self.words(input))")
        return []
    }

    func edited(_ approval: ApprovalID, by edit: String) throws(EditError) -> UnaskedCall {
        guard let call = diary.edited(edit) else { throw .malformed }
        return call
    }

    func isLive(_ session: SessionID) -> Bool { sessions.contains(session) }

    var liveSessions: [AgentSession] {
        sessions.sorted { $0.rawValue < $1.rawValue }.map { AgentSession(id: $0, status: nil, process: nil) }
    }

    let questions: [AgentQuestion] = []

    private static func words(_ input: AgentInput<[AgentEffect<Order>]>) -> String {
        switch input {
        case .daemonStarted(let notes): "start \(notes.keys.sorted().joined(separator: " "))"
        case .own: "its own"
        case .hookGone(let token): "gone \(token.rawValue)"
        case .decided(let session, let approval, _, _): "decided \(session) \(approval)"
        case .refused(let session, let approval, let reason): "refused \(session) \(approval): \(reason)"
        case .distrusted: "distrusted"
        case .held(let holds):
            "held \(holds.everySession ? "all" : holds.sessions.map(\.rawValue).sorted().joined(separator: " "))"
        case .agentGone(let process): "agent \(process.id) gone"
        case .linkChanged(let isLive): isLive ? "live" : "away"
        case .notRecorded(let approval): "not recorded \(approval)"
        case .nothingRecorded: "nothing recorded"
        case .named(let session, let isOurs): "\(session) is \(isOurs ? "named" : "another's")"
        case .eventsLost(let sessions): "lost \(sessions.map(\.rawValue).sorted().joined(separator: " "))"
        case .steer(let request): "steer \(request.command.rawValue)"
        case .launch(let order): "launch \(order.name.command.rawValue) in \(order.folder)"
        case .timerFired: "timer"
        }
    }
}
