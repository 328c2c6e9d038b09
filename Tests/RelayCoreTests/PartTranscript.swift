import RelayModel
import RelayProtocol

@testable import RelayCore

/// Orders of a part of the core that is driven alone, in words.
enum PartTranscript {
    static let home = WorkspaceID("home")!

    static func peer(_ number: UInt64) -> PeerID { PeerID(rawValue: number) }

    static func key(_ session: String) -> SessionKey { SessionKey(workspace: home, session: SessionID(session)!) }

    static func host(_ name: String = "laptop") -> HostIdentity {
        HostIdentity(workspace: home, host: Named(id: HostID(name)!, name: name), scope: .report)
    }

    static func state(_ session: String, host: String = "laptop", seq: Int64 = 0, touchedAt: Int64 = 0) -> SessionState {
        let name = Named<HostTag>(id: HostID(host)!, name: host)
        var state = SessionState(
            summary: Summary(
                session: SessionID(session)!, host: name, hostIsConnected: false, agentName: "claude-code", startedAt: 1))
        state.summary.seq = seq
        state.touchedAt = touchedAt
        return state
    }
}

extension Orders {
    /// Orders since the last call.
    mutating func said() throws -> [String] { try take().map { try $0.said() } }
}

extension Effect {
    fileprivate func said() throws -> String {
        switch self {
        case .send(let bytes, let peers):
            let message = try JSONDocument(parsing: bytes).root
            var words = [peers.map { "\($0.rawValue)" }.joined(separator: ",") + ":", try message.string("type")]
            for name in ["id", "code", "reason"] as [StaticString] {
                if let word = try message.optionalString(name) { words.append(word) }
            }
            if let error = message.optional("error") { words.append(try error.string("code")) }
            return words.joined(separator: " ")
        case .close(let peer, let code): return "close \(peer.rawValue) \(code)"
        case .read(let id, let query): return "read \(id.rawValue) \(query.range)"
        case .readApproval(let id, _, let approval): return "read \(id.rawValue) \(approval)"
        case .readRemovedSessions(let id, let keys):
            return "look up \(id.rawValue) " + keys.map { "\($0.session)" }.joined(separator: ",")
        case .armTimer(.approvalExpiry(_, let approval), let after): return "arm \(approval) \(after)"
        case .cancelTimer(.approvalExpiry(_, let approval)): return "cancel \(approval)"
        case .armTimer(.congestion(let peer), _): return "arm congestion \(peer.rawValue)"
        case .cancelTimer(.congestion(let peer)): return "cancel congestion \(peer.rawValue)"
        case .armTimer(.trim, let after): return "arm trim \(after)"
        case .quotaReached(let quota): return "quota \(quota)"
        case .historyRemoved(let removals):
            return "removed " + removals.map { "\($0.reason) \($0.sessions)/\($0.events)" }.joined(separator: ",")
        default: return "\(self)"
        }
    }
}
