internal import HostCore
internal import RelayProtocol

/// Sessions that are held because a budget is spent: they get Codex's policy `untrusted` until the hold ends.
///
/// Codex has no setting for "ask about everything". With `untrusted` it asks about all calls but those that its own rules trust,
/// from the next turn on: a running turn keeps the policy with which it began. A later turn that begins with a freer policy is
/// interrupted.
extension CodexAdapter {
    mutating func held(_ holds: Holds) {
        self.holds = holds
        for session in sessionsInOrder where !session.isEnded {
            guard let thread = threads[session.thread] else { continue }
            // Codex reports a thread's settings only to clients that watch it.
            if thread.isLetGo { resume(session.thread) } else if thread.isWatched { holdOrRelease(session.id) }
        }
    }

    /// Holds or releases a thread. Called after its settings were reported, and when they are to change.
    mutating func holdOrRelease(_ id: SessionID) {
        guard let session = sessions[id], let policy = session.settings.policy else { return }
        if holds.contains(shown(id)) {
            guard policy != CodexThreadSettings.askingMost else { return }
            sessions[id]?.policyBefore = policy
            call(.hold(thread: session.thread, policy: CodexThreadSettings.askingMost))
        } else if let before = session.policyBefore {
            sessions[id]?.policyBefore = nil
            sessions[id]?.freed = nil
            // A policy that a person has chosen since stays.
            guard policy == CodexThreadSettings.askingMost else { return }
            call(.hold(thread: session.thread, policy: before))
        } else {
            return
        }
        sessions[id]?.hasNews = true
    }

    /// The policy of a turn that begins now, if a held session was given a freer one just before. On a slow machine Codex has
    /// reported our own `untrusted` again by then, and still runs this turn with the other.
    mutating func takeFreed(in id: SessionID) -> String? {
        guard let freed = sessions[id]?.freed else { return nil }
        sessions[id]?.freed = nil
        return now.monotonic - freed.at <= limits.freedWithin.milliseconds ? freed.policy : nil
    }

    /// Interrupts a turn with a freer policy than a held session may have. A client that starts a turn can name its policy, and a
    /// terminal that has not read of the hold names the earlier one. Codex reports that policy right before the turn (0.163), which
    /// would keep it to its end.
    mutating func haltIfTooFree(_ turn: String, _ policy: String?, in id: SessionID) {
        guard holds.contains(shown(id)), let policy, policy != CodexThreadSettings.askingMost,
            let thread = sessions[id]?.thread
        else { return }
        call(.halt(thread: thread, turn: turn))
        let what = sessions[id]?.review == turn ? "this review runs" : "this turn began"
        let why = "a budget is spent, and \(what) by the policy \(policy), which does not ask"
        emit(.error(message: "interrupted: \(why); send it again", recoverable: true), in: id)
    }

    /// Handles the mark with which a review begins, before its turn is reported to start. Codex runs its commands without asking,
    /// whatever the thread's policy (0.163).
    mutating func reviews(_ item: JSONValue, in turn: String?, of id: SessionID) {
        guard item.text("type") == "enteredReviewMode", let turn, let session = sessions[id], session.review != turn else {
            return
        }
        sessions[id]?.review = turn
        sessions[id]?.activeTurn = turn
        sessions[id]?.turnPolicy = CodexThreadSettings.neverAsking
        haltIfTooFree(turn, CodexThreadSettings.neverAsking, in: id)
    }

    func isOurHold(_ setting: CodexSetting, in id: SessionID) -> Bool {
        holds.contains(shown(id)) && setting == .policy(CodexThreadSettings.askingMost)
    }

    /// Handles a client's choice of a mode. Returns the reason to refuse it, or nil if it is allowed; then the end of the hold does
    /// not undo it.
    mutating func choseMode(_ mode: String, in id: SessionID) -> String? {
        guard holds.contains(id) else { return nil }
        guard mode == CodexThreadSettings.askingMost else {
            return "a budget is spent: until it is raised the mode is \(CodexThreadSettings.askingMost)"
        }
        sessions[id]?.policyBefore = nil
        sessions[id]?.hasNews = true
        return nil
    }

    /// The reach of a hold by the policy that Codex reported; a composed policy is not changed.
    func holdReach(of session: CodexSession) -> HoldReach {
        guard let policy = session.settings.policy else { return .unchanged }
        guard holds.contains(shown(session.id)) else { return .most }
        // Whoever may write to a shell that runs on is asked about nothing there.
        guard session.areTerminalsKnown, session.background == nil else { return .unchanged }
        let asking = CodexThreadSettings.askingMost
        return policy == asking && (session.activeTurn == nil || session.turnPolicy == asking) ? .most : .unchanged
    }
}
