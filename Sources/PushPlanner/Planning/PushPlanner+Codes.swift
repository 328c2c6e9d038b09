import RelayModel
import RelayProtocol

/// Codes: each decides one approval from a notification, once, for as long as it is pending.
extension PushPlanner {
    /// Decides as the client does whose device the code was sent to.
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
            // The code's first use is being written to disk, and is the one that gets an answer.
            reply(.failed(.closed, "this code has been used"), to: command, of: peer)
            return
        }
        switch verdict {
        case .deny, .denyWith: break
        case .allow, .allowIn, .allowWith, .answer:
            // The person may have changed their mind since it was sent.
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
        // A decision that is refused does not use it up.
        orders.append(.decide(decide, command, as: client, peer, with: id))
    }

    mutating func markCode(of id: PushID, isUsed: Bool) {
        if let marked = pushes.markCode(of: id, isUsed: isUsed) { stageRecord(of: marked) }
    }

    /// The disk did not take what they decided.
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
    /// The same for one that never was, is too old, or belongs to what is gone: a guess learns nothing.
    fileprivate static let noSuchCode = Reply.failed(.notFound, "there is no such code")
}
