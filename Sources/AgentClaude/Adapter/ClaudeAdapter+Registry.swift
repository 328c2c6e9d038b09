internal import HostCore
internal import RelayProtocol

/// Evidence from Claude Code's session registry beyond that of its hooks: an answer at the terminal, an interruption, a dialog that
/// no hook was asked about.
///
/// | after its dialog was open | not answered by us | our allow | our answer | our deny |
/// |---|---|---|---|---|
/// | busy | answeredLocally | under way | under way | |
/// | idle | deniedLocally if the dialog was seen, else answeredLocally | ran if it was under way, else stale | stale | denied |
///
/// A subagent's dialog opens only after our hook has ended, so the registry does not report such questions while they are open.
extension ClaudeAdapter {
    mutating func registryRead(_ id: SessionID, _ entry: JSONDocument?) {
        guard let session = sessions[id], !session.isEnded else { return }
        let standing = session.registryName.flatMap { name in
            entry.flatMap { ClaudeStanding($0.root, session: name, isAttended: session.isAttended) }
        }
        let isReplaced = session.registryName.flatMap { name in
            entry.map { ClaudeStanding.isOfAnother($0.root, than: name) }
        }
        sessions[id]?.evidence.saw(standing, isReplaced: isReplaced ?? false, at: now.monotonic)
        if case .asks? = standing?.doing { messageHeld(id) }
        if standing != nil, let name = entry?.root.text("name"), entry?.root.text("nameSource") == "user" {
            renamed(id, to: name)
        }
        registryNames(socket: standing == nil ? nil : entry.flatMap { ClaudePeerMessage.socket(in: $0.root) }, of: id)
        conclude(id)
    }

    /// Evaluates the current evidence, also if the file did not change, because an entry counts only once it has lasted for a
    /// while.
    mutating func conclude(_ id: SessionID) {
        if let replacedAt = sessions[id]?.evidence.replacedAt, sessions[id]?.isEnded == false,
            now.monotonic - max(replacedAt, sessions[id]?.statusAt ?? 0) >= limits.replacedGrace.milliseconds
        {
            // If no daemon ran, both hooks that report this were lost. Handled once: the end is reported when the transcript has
            // been read.
            sessions[id]?.evidence.saw(nil, at: now.monotonic)
            if isOpenElsewhere(id) { return }
            return endCounted(id, reason: nil, failed: false)
        }
        guard let session = sessions[id], !session.isEnded, !session.isUnheard, let standing = session.evidence.standing else {
            return
        }
        var wasDenied = false
        for approval in approvals where approval.session == id && approval.hasDialog && isOfPresentProcess(approval) {
            var dialog = dialogs[approval.id] ?? ClaudeDialog()
            dialog.saw(standing.doing, mayBeOver: mayBeOver(approval), at: now.monotonic)
            dialogs[approval.id] = dialog
            guard let after = dialog.over(for: limits.registryGrace, at: now.monotonic) else { continue }
            // A dialog that opened and closed unseen may have been allowed instead.
            let isUnseen = approval.mayBeOver && !dialog.wasOpen
            settle(approval, after, wentOn: dialog.wentOn, isUnseen: isUnseen)
            wasDenied = wasDenied || (after == .idle && !dialog.wentOn && (!isUnseen || approval.isAnswered))
        }
        follow(id, wasDenied: wasDenied)
    }

    /// True if the registry entry is about the approval's process. The entry belongs to the process that took up the conversation
    /// last, and says nothing about another terminal's dialogs.
    func isOfPresentProcess(_ approval: PendingApproval<ClaudeForm>) -> Bool {
        approval.process == nil || approval.process == sessions[approval.session]?.process
    }

    /// True if the approval's dialog may have come and gone unseen: before a restart, or between the question and our answer.
    private func mayBeOver(_ approval: PendingApproval<ClaudeForm>) -> Bool {
        if approval.isAnswered { return now.monotonic - approval.phaseAt >= limits.registryGrace.milliseconds }
        return approval.mayBeOver
    }

    private mutating func settle(
        _ approval: PendingApproval<ClaudeForm>, _ after: ClaudeDialog.After, wentOn: Bool, isUnseen: Bool
    ) {
        if approval.isAnswered {
            // A busy agent proves neither outcome: the batch, or the transcript, shows who answered first.
            guard after == .idle else { return }
            tellDesk(.shown(approval.id, wentOn ? .turnEnded(wentOn: true) : .deniedAtTerminal))
        } else if approval.handedBefore == nil {
            // An approval that an earlier daemon handed over is judged once its hook has had time to reconnect.
            let isDenied = !isUnseen && (after == .idle || approval.isLost)
            let isInterrupted = isDenied && isBeingInterrupted(approval.session)
            if isDenied, let call = approval.call {
                abort(call, isInterrupted ? "Interrupted" : "Denied at the terminal", in: approval.session)
            }
            tellDesk(
                .shown(
                    approval.id, isInterrupted ? .turnEnded(wentOn: false) : isDenied ? .deniedAtTerminal : .answeredAtTerminal)
            )
        }
    }

    // MARK: The transcript

    /// Handles new lines of the transcript. Claude writes a denial there at once; its hooks report it only at the end of the whole
    /// batch.
    mutating func transcriptRead(_ id: SessionID, _ lines: [JSONDocument]) {
        for line in lines {
            guard let fact = line.root.optional("attachment"), fact.text("type") == "hook_permission_decision",
                fact.text("decision") == "deny", let call = fact.text("toolUseID")
            else { continue }
            for approval in approvals where approval.session == id && approval.call == call {
                guard case .answered(let handed) = approval.phase, case .deny(let words) = handed.kind else { continue }
                abort(call, TextCut.line(clean(words), bytesMax: limits.texts.summaryBytes), in: id)
                tellDesk(.shown(approval.id, .reported(.ourDenial)))
            }
        }
    }

    private func awaitsTranscript(_ approval: PendingApproval<ClaudeForm>) -> Bool {
        guard case .answered(let handed) = approval.phase, case .deny = handed.kind, approval.hasDialog else { return false }
        return now.monotonic - approval.phaseAt < limits.transcriptWatch.milliseconds
    }

    // MARK: Status

    /// Sets the status from the registry when hooks report nothing: at an interruption, at a start, at a dialog without a card.
    private mutating func follow(_ id: SessionID, wasDenied: Bool) {
        // Without a dialog the registry does not show that the agent waits for an answer.
        guard let session = sessions[id], session.isAttended || !hasOpenCard(id) else { return }
        let news = session.evidence.lasting(for: limits.registryGrace, since: session.statusAt, at: now.monotonic)
        switch news ?? (goesOnAfterStop(session) ? .busy : nil) {
        case .idle where session.status != .idle && (isBeingInterrupted(id) || session.interrupt?.isTold == true):
            stopped(id, reason: Self.programReason)
        case .idle where wasDenied && session.status != .idle: stopped(id, reason: Self.deniedReason)
        case .idle where session.status == .running:
            // A command of Claude Code's own also ends without a hook, and hooks can be late. The transcript shows which it was.
            if now.monotonic - max(session.evidence.seenAt, session.cardAt) < limits.interruptionWait.milliseconds {
                read(id, .interrupted)
            } else {
                stopped(id, reason: nil)
            }
        case .idle where session.status != .idle: setStatus(.idle, reason: session.background.words, in: id)
        // While only subagents work, the main agent takes prompts: busy here means the answer to a question of a subagent.
        case .busy where !session.background.agents.isEmpty:
            if session.status != .running { setStatus(.idle, reason: session.background.words, in: id) }
        case .busy where session.status != .running: setStatus(.running, in: id)
        default: break
        }
        followCommands(id)
        guard case .asks(let kind)? = session.evidence.standing?.doing, !hasOpenCard(id),
            now.monotonic - max(session.evidence.seenAt, session.cardAt) >= limits.dialogGrace.milliseconds
        else { return }
        waitAtTerminal(kind, in: id)
    }

    /// True if the agent works although it has reported the end of its turn: another Stop hook sent it on.
    private func goesOnAfterStop(_ session: ClaudeSession) -> Bool {
        session.status == .idle && session.background.words == nil
            && session.evidence.lastingAlso(since: session.statusAt, for: limits.stopGrace, at: now.monotonic) == .busy
    }

    /// Handles background commands that a person ends at the terminal, or that began without a hook.
    private mutating func followCommands(_ id: SessionID) {
        guard let session = sessions[id], session.status == .idle, let standing = session.evidence.standing,
            session.evidence.lastingAlso(since: session.statusAt, for: limits.registryGrace, at: now.monotonic) == .idle
        else { return }
        let isTold = session.background.commands > 0
        // The registry shows commands only of an agent at its own screen.
        guard isTold != standing.hasCommand, session.isAttended, !session.isRun else { return }
        sessions[id]?.background = standing.hasCommand ? .command : ClaudeBackground()
        if session.statusReason == session.background.words {
            setStatus(.idle, reason: sessions[id]?.background.words, in: id)
        }
    }

    mutating func interruptionRead(_ id: SessionID, _ interruption: String?) {
        guard let interruption, let session = sessions[id], session.status == .running, interruption != session.interruption
        else { return }
        sessions[id]?.interruption = interruption
        // The program that runs the agent has interrupted it, perhaps for a client.
        let isByPerson = session.isAttended && session.program == nil
        stopped(id, reason: isByPerson ? Self.interruptedReason : Self.programReason)
    }

    /// Handles the end of a turn that no hook has reported.
    private mutating func stopped(_ id: SessionID, reason: String?) {
        if sessions[id]?.status == .running {
            let isByProgram = reason == Self.programReason
            closeTurn(
                id, reason == nil ? "Its end was not told" : isByProgram ? "Interrupted" : "Interrupted at the terminal")
        }
        setStatus(.idle, reason: reason ?? sessions[id]?.background.words, in: id)
    }

    /// Handles a dialog on the terminal's screen that no client can answer.
    mutating func waitAtTerminal(_ kind: ApprovalKind, in id: SessionID) {
        setStatus(kind == .tool ? .waitingApproval : .waitingAnswer, reason: Self.terminalReason, in: id)
    }

    /// Handles the end of a dialog that only the terminal could answer; it has closed, or has its card by now.
    mutating func workedOn(_ id: SessionID) {
        guard let reason = sessions[id]?.statusReason, [Self.terminalReason, Self.perhapsReason].contains(reason) else {
            return
        }
        setStatus(.running, in: id)
    }

    func hasOpenCard(_ id: SessionID) -> Bool { desk.contains { $0.session == id && $0.isOpen } }

    static let terminalReason = "waits at the terminal"
    static let perhapsReason = "may already be answered at the terminal"
    static let programReason = "interrupted"
    static let interruptedReason = "interrupted at the terminal"
    static let deniedReason = "denied at the terminal"

    /// Ends the calls and questions that the turn left open.
    private mutating func closeTurn(_ id: SessionID, _ summary: String) {
        let open = sessions[id]?.calls.values.filter { $0.agent == nil }.sorted { $0.order < $1.order } ?? []
        turnOver(id, agent: nil)
        for call in open { abort(call, summary, in: id) }
    }

    // MARK: When to look

    /// Interval at which the registry is checked; nil if no session needs it.
    var registryInterval: Duration? {
        let live = sessions.values.filter { !$0.isEnded && $0.registryFile != nil }
        if live.isEmpty { return nil }
        if desk.contains(where: \.hasDialog) { return limits.registryCheckOpen }
        return live.contains { $0.status != .idle } ? limits.registryCheckBusy : limits.registryCheckIdle
    }

    mutating func lookAtRegistry() {
        let live = sessionsInOrder.filter { !$0.isEnded }.sorted { $0.lastUse > $1.lastUse }
        let files = live.compactMap { session in session.registryFile.map { ClaudeRegistryFile(session: session.id, path: $0) }
        }
        for file in files { conclude(file.session) }
        for session in Set(approvals.filter(awaitsTranscript).map(\.session)).sorted(by: { $0.rawValue < $1.rawValue }) {
            order(.readTranscript(session))
        }
        if !files.isEmpty { order(.readRegistry(Array(files.prefix(limits.registryFilesMax)))) }
    }
}
