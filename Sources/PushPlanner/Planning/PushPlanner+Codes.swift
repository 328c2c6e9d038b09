import RelayModel
import RelayProtocol

/// Codes: each decides one pending approval from a notification, once.
extension PushPlanner {
    /// Decides in the name of the client whose device got the code.
    mutating func codePresented(
        _ id: PushID, _ verdict: Decision.Verdict, _ command: CommandID, _ peer: PeerID, _ signature: String?, at now: Instant
    ) {
        guard let planned = pushes[id], let code = planned.intent.code, let device = devices[planned.key], device.mayDecide
        else {
            reply(.noSuchCode, to: command, of: peer)
            return
        }
        let key = SessionKey(workspace: planned.intent.workspace, session: code.session)
        guard let approval = sight.sessions[key]?.approvals[code.approval],
            approval.stage == .pending || code.expiresAt > now.wall
        else {
            reply(.noSuchCode, to: command, of: peer)
            return
        }
        if planned.isCodeUsed, approval.decision == nil, approval.stage == .pending {
            // The code's first use is being written to disk; only that one gets an answer.
            reply(.failed(.closed, "this code has been used"), to: command, of: peer)
            return
        }
        switch verdict {
        case .deny, .denyWith: break
        case .allow, .allowIn, .allowWith, .allowEdited, .answer:
            // The person may have changed their choices since it was sent.
            guard planned.mayAllow, device.device.takesAllow else {
                reply(
                    .failed(
                        .notWhole, "the notification did not show the whole input: it can be denied from there, not allowed"),
                    to: command, of: peer)
                return
            }
        }
        let client = ClientIdentity(
            workspace: Named(id: planned.intent.workspace, name: planned.intent.workspace.rawValue), client: device.client,
            scope: .decide)
        let decide = DecideCommand(
            session: code.session, approval: code.approval, digest: code.digest, verdict: verdict, signature: signature)
        // A refused decision does not use the code up.
        orders.append(.decide(decide, command, as: client, peer, with: id))
    }

    mutating func markCode(of id: PushID, isUsed: Bool) {
        if let marked = pushes.markCode(of: id, isUsed: isUsed) { stageRecord(of: marked) }
    }

    /// Makes codes usable again whose decisions the disk refused.
    mutating func giveBackCodes() {
        for id in pushes.ids {
            guard let planned = pushes[id], planned.isCodeUsed, let code = planned.intent.code else { continue }
            let key = SessionKey(workspace: planned.intent.workspace, session: code.session)
            guard let approval = sight.sessions[key]?.approvals[code.approval], approval.stage == .pending,
                approval.decision == nil
            else {
                continue
            }
            markCode(of: id, isUsed: false)
        }
    }
}

extension Reply {
    /// The same reply for a code that never existed, has expired, or belongs to something removed, so that a guess reveals nothing.
    fileprivate static let noSuchCode = Reply.failed(.notFound, "there is no such code")
}
