import RelayModel
import RelayProtocol

/// What clients decide: the first decision wins, and it is for exactly the input that was shown.
extension Relay {
    mutating func decide(
        _ decide: DecideCommand, _ command: CommandID, of client: ClientIdentity, _ peer: PeerID, at now: Instant
    ) {
        let key = SessionKey(workspace: client.workspace.id, session: decide.session)
        guard let approval = sessions[key]?.staged.approvals[decide.approval] else {
            decideFromLog(decide, command, in: key, peer)
            return
        }
        guard shown[key]?.approvals[decide.approval] != nil else {
            reply(.noSuchApproval, to: command, of: peer)
            return
        }
        guard approval.request.digest == decide.digest else {
            reply(.otherDigest, to: command, of: peer)
            return
        }
        guard commands.hasRoom(for: peer) else {
            reply(.failed(.tooMany, "too many commands wait for an answer"), to: command, of: peer)
            return
        }
        if approval.decision != nil {
            // Decided already. Whether this says the same is answered when the decision is on disk, and not before.
            commands.wait(
                DecisionWaiter(peer: peer, command: command, key: key, approval: approval.id, verdict: decide.verdict))
            answerWaiters()
            return
        }
        if approval.stage.isFinal {
            reply(.closed(approval), to: command, of: peer)
            return
        }
        if let refusal = Self.refusal(of: decide.verdict, for: approval.request) {
            reply(refusal, to: command, of: peer)
            return
        }
        let decision = Decision(
            decide.verdict, client: client.client.id, clientName: client.client.name, at: now.wall,
            command: command, signature: decide.signature)
        stage(Event(.approvalDecided(approval.id, decision), at: now.wall), in: key, at: now)
        commands.wait(DecisionWaiter(peer: peer, command: command, key: key, approval: approval.id, verdict: decide.verdict))
    }

    /// What was resolved long ago is only on disk. It cannot be decided any more, but whoever asks again hears the same again.
    private mutating func decideFromLog(_ decide: DecideCommand, _ command: CommandID, in key: SessionKey, _ peer: PeerID) {
        guard shown[key] != nil else {
            reply(.noSuchApproval, to: command, of: peer)
            return
        }
        let late = Reads.LateDecision(peer: peer, command: command, decide: decide)
        subscriptions.readApproval(of: key, for: late, &orders)
    }

    mutating func approvalRead(_ id: ReadID, _ approval: Approval?) {
        guard let late = subscriptions.approvalRead(id) else { return }
        answer(late, approval)
        subscriptions.resumeHeld(late.peer, seeing: shown, &orders)
    }

    private mutating func answer(_ late: Reads.LateDecision, _ approval: Approval?) {
        let (peer, command, decide) = (late.peer, late.command, late.decide)
        guard let approval, approval.stage.isFinal else {
            // Were it open it would be at hand: it came to be while it was being looked for.
            reply(.noSuchApproval, to: command, of: peer)
            return
        }
        guard approval.request.digest == decide.digest else {
            reply(.otherDigest, to: command, of: peer)
            return
        }
        reply(
            approval.decision.map { $0.reply(to: decide.verdict, at: approval.stage) } ?? .closed(approval), to: command,
            of: peer)
    }

    private static func refusal(of verdict: Decision.Verdict, for request: ApprovalRequest) -> Reply? {
        switch (verdict, request.kind) {
        case (.deny, _): return nil
        case (.allow, .question), (.allowIn, .question): return .failed(.wrongKind, "a question is answered, or denied")
        case (.answer, .tool): return .failed(.wrongKind, "a tool is allowed or denied")
        case (.answer(let answers), .question) where !request.isCut && !request.questions.isEmpty:
            return QuestionOffer.fit(answers, request.questions)
                ? nil : .failed(.badAnswer, "every question is answered once, with what it offers or in words of one's own")
        case (.allowIn(let mode), .tool) where !request.isCut:
            return request.modes.contains(mode) ? nil : .failed(.badAnswer, "that mode is not offered with this approval")
        case (.allow, .tool), (.allowIn, .tool), (.answer, .question):
            guard request.isCut else { return nil }
            let why =
                request.isRedacted ? "parts are hidden because they may be secret" : "what is shown is not the whole input"
            return .failed(.notWhole, "\(why): it can be denied from here, not allowed")
        }
    }

    // MARK: - Waiting for the disk

    /// Answers every command whose decision is on disk by now.
    mutating func answerWaiters() {
        guard commands.hasDecisions else { return }
        for waiter in takeWaiters(where: { $0?.committed?.decision != nil || ($0?.committed == nil && $0?.staged == nil) }) {
            guard let approval = shown[waiter.key]?.approvals[waiter.approval], let winner = approval.decision
            else {
                // So many others were resolved meanwhile that it is only on disk by now.
                reply(.failed(.unavailable, "ask again: it is being put away"), to: waiter.command, of: waiter.peer)
                continue
            }
            reply(winner.reply(to: waiter.verdict, at: approval.stage), to: waiter.command, of: waiter.peer)
        }
    }

    /// Answers every command whose decision was taken back because the disk did not take it.
    mutating func refuseWaiters(_ reason: String) {
        for waiter in takeWaiters(where: { $0?.staged?.decision == nil }) {
            reply(.failed(.unavailable, reason), to: waiter.command, of: waiter.peer)
        }
    }

    /// Takes out the waiters whose approval, as it is on disk and as it is staged, satisfies the condition.
    private mutating func takeWaiters(
        where isReady: ((committed: Approval?, staged: Approval?)?) -> Bool
    ) -> [DecisionWaiter] {
        let (sessions, shown) = (sessions, shown)
        return commands.takeDecisions { waiter in
            isReady(
                sessions[waiter.key].map {
                    (committed: shown[waiter.key]?.approvals[waiter.approval], staged: $0.staged.approvals[waiter.approval])
                })
        }
    }

    // MARK: - Expiry

    mutating func armExpiry(of approval: Approval, in key: SessionKey, at now: Instant) {
        guard let end = approval.expiresAt, let hostsEnd = approval.request.expiresAt else { return }
        // A clock that was set back must not make a wait longer than it was meant to be.
        let whole = min(max(0, hostsEnd - approval.requestedAt), Limits.expiryMax)
        let wait = min(max(0, end - now.wall), whole) + SessionLimits.expiryGrace
        expiries[ApprovalName(key, approval.id)] = now.uptime + wait
        orders.add(.armTimer(.approvalExpiry(key, approval.id), after: wait))
    }

    mutating func cancelExpiry(of approval: Approval, in key: SessionKey) {
        expiries[ApprovalName(key, approval.id)] = nil
        orders.add(.cancelTimer(.approvalExpiry(key, approval.id)))
    }

    /// Those whose timers slept with the machine.
    mutating func expireOverdue(at now: Instant) {
        let overdue = expiries.filter { $0.value <= now.uptime }.keys
        for name in overdue.sorted(by: { ($0.key, $0.approval.rawValue) < ($1.key, $1.approval.rawValue) }) {
            orders.add(.cancelTimer(.approvalExpiry(name.key, name.approval)))
            expire(name.approval, in: name.key, at: now)
        }
    }

    mutating func expire(_ id: ApprovalID, in key: SessionKey, at now: Instant) {
        expiries[ApprovalName(key, id)] = nil
        // Delivered means that the agent has the decision: its host says what came of it.
        guard let approval = sessions[key]?.staged.approvals[id], approval.stage == .pending || approval.stage == .decided
        else {
            return
        }
        stage(Event(.approvalExpired(id), at: now.wall), in: key, at: now)
    }
}

extension SessionView {
    mutating func setExpiry(of approval: ApprovalID, openedAt seq: Int64, to end: Int64) {
        guard var approval = approvals[approval], approval.seq == seq else { return }
        approval.expiresAt = end
        approvals.put(approval)
    }

    /// A time that lies ahead was told by a clock that is wrong: it keeps nothing for ever.
    mutating func forgetResolved(at now: Int64) {
        let age = SessionLimits.resolvedApprovalsAge
        approvals.forgetResolved { (now - age...now + age).contains($0.resolvedAt ?? 0) }
    }
}

extension Decision {
    /// What somebody hears who decides when this has won.
    fileprivate func reply(to verdict: Verdict, at stage: ApprovalStage) -> Reply {
        if self.verdict == verdict { return .decided(stage) }
        return .failed(.alreadyDecided, "\(clientName) has already decided this", winner: self)
    }
}

extension Reply {
    fileprivate static let noSuchApproval = Reply.failed(.notFound, "there is no such approval")
    fileprivate static let otherDigest = Reply.failed(
        .digestMismatch, "the digest is of another input than the one that is asked about")

    fileprivate static func closed(_ approval: Approval) -> Reply { .failed(.closed, approval.closing) }
}

extension Approval {
    /// Why it can no longer be decided.
    fileprivate var closing: String {
        switch stage {
        case .expired: "nobody decided in time"
        case .cancelled: "settled elsewhere: \(reason ?? "cancelled")"
        default: "it is \(stage.rawValue)"
        }
    }
}
