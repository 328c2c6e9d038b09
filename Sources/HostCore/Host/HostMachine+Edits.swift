internal import RelayProtocol

/// Calls that a person has edited before allowing them.
extension HostMachine {
    /// The reason why the host does not take the decision; nil if it is no edit, or one that keeps the owner's rules.
    func refusal(ofEdit decision: Decision, on approval: ApprovalID, in session: SessionID, _ agent: Int) -> String? {
        guard case .allowEdited(let edit) = decision.verdict else { return nil }
        guard steering.refusal(of: Named(id: decision.client, name: decision.clientName)) == nil else {
            return EditError.notOffered.rawValue
        }
        let call: UnaskedCall
        do throws(EditError) { call = try agents[agent].edited(approval, by: edit) } catch { return error.rawValue }
        guard call.session == session else { return EditError.notOffered.rawValue }
        return rules?.refusal(
            ofEdited: call, approval, of: agents[agent].name, at: now, present: agents[agent].presentFolder(session))
    }

    /// Offers no edits if nobody may steer this host.
    static func withoutEdits(_ effects: [AgentEffect<any Sendable>]) -> [AgentEffect<any Sendable>] {
        effects.map { effect in
            guard case .emit(let session, let bytes, isKept: true) = effect, let event = try? Event(stored: bytes),
                case .approvalRequested(var request) = event.head, !request.editable.isEmpty
            else { return effect }
            request.editable = []
            let members = event.bodyMembers
            let changed = Event(.approvalRequested(request), at: event.at) { body in
                for member in members { body.raw(dynamic: member.key, member.value.bytes) }
            }
            return .emit(session, changed.bytes, isKept: true)
        }
    }
}
