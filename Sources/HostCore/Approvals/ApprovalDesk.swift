internal import Consent
package import RelayProtocol

/// The life of each question to a person, whatever agent asks it: asked, decided, handed over, and ended by the agent's own
/// evidence.
///
/// Failures lead to "no decision": the agent's own prompt stays. An answer goes only to the hook that asked, for exactly the input
/// that it holds, and a question that people did not see whole can only be denied.
///
/// A prompt that was answered at the terminal while no daemon ran left no sign: its hook calls again, and its card stays open until
/// the call, the batch or the turn is over, or somebody decides, which then has no effect.
package struct ApprovalDesk<Form: AnswerForm> {
    private let limits: ApprovalLimits
    private let digests: Digests
    private var pending: [ApprovalID: PendingApproval<Form>] = [:]
    /// Approvals resolved recently, oldest first; `isSilent` if we sent the relay no end (it expires approvals itself).
    private var closed: [(id: ApprovalID, isSilent: Bool, run: String?)] = []
    private var isLinkLive = false
    private var linkDownSince: Int64
    private var heardAt: Int64
    /// A hook that ends before this time (monotonic, ms) gave up because the daemon was away; the question was not answered at the
    /// terminal.
    private var awayUntil = Int64.min
    private var questionCount = 0

    /// Time of the current fact.
    private var now: HostInstant
    private var orders: [ApprovalOrder] = []

    package init(_ limits: ApprovalLimits, _ digests: Digests, at now: HostInstant) {
        self.limits = limits
        self.digests = digests
        self.now = now
        linkDownSince = now.monotonic
        heardAt = now.monotonic
    }

    package mutating func handle(_ fact: ApprovalFact<Form>, at now: HostInstant) -> [ApprovalOrder] {
        heard(at: now)
        orders = []
        switch fact {
        case .restarted(let notes): restore(notes)
        case .asked(let question): asked(question)
        case .cut(let id): cut(id)
        case .decided(let session, let id, let digest, let decision): decided(session, id, digest, decision)
        case .refused(let session, let id, let reason): refused(session, id, reason)
        case .distrusted(let device): distrusted(device)
        case .hookGone(let token): hookGone(token)
        case .answerReceived(let id): answerReceived(id)
        case .callBegan(let id, let call): pending[id]?.call = call
        case .shown(let id, let evidence): if let approval = pending[id] { conclude(approval, from: evidence) }
        case .agentEnding(let id, let end): if pending[id]?.isLost == true { pending[id]?.phase = .lost(until: end) }
        case .sessionEnded(let session, let isGone):
            cancel(isGone ? "agentGone" : "sessionEnded") { $0.session == session }
        case .agentGone(let process): cancel("agentGone") { $0.process == process }
        case .linkChanged(let isLive):
            if isLinkLive, !isLive { linkDownSince = now.monotonic }
            isLinkLive = isLive
        case .notRecorded(let id): notRecorded(id)
        case .timerFired: resolveOverdue()
        }
        return orders
    }

    /// Records that the daemon runs. Called for every input, also if it is no fact for the desk.
    package mutating func heard(at now: HostInstant) {
        // While a question is open its agent's process is checked every second: a longer silence means that the daemon was stopped.
        let isWatching = pending.values.contains { $0.process != nil }
        if isWatching, now.monotonic - heardAt > limits.awayAfter.milliseconds {
            awayUntil = now.monotonic + limits.hookLossGrace.milliseconds
        }
        heardAt = now.monotonic
        self.now = now
    }

    // MARK: What is pending

    package subscript(id: ApprovalID) -> PendingApproval<Form>? { pending[id] }

    /// The pending approvals in the order in which they were asked, so that the same facts give the same orders.
    package var approvals: [PendingApproval<Form>] {
        pending.values.sorted { ($0.order, $0.id.rawValue) < ($1.order, $1.id.rawValue) }
    }

    /// True if a pending approval matches. Called often; the order does not matter.
    package func contains(where isSo: (PendingApproval<Form>) -> Bool) -> Bool { pending.values.contains(where: isSo) }

    /// When `timerFired` is due, by the clock that never jumps.
    package var nextDeadline: Int64? {
        var deadlines: [Int64] = []
        for approval in pending.values {
            switch approval.phase {
            case .open:
                deadlines.append(approval.deadline)
                if !approval.isAttended, !isLinkLive { deadlines.append(unreachableAt) }
            case .lost(let until), .orphaned(let until): deadlines.append(until)
            case .answered: break
            }
        }
        return deadlines.min()
    }

    private var unreachableAt: Int64 { linkDownSince + limits.headlessUnreachable.milliseconds }
    private var isUnreachable: Bool { !isLinkLive && now.monotonic >= unreachableAt }

    // MARK: Asked

    private enum Arrival {
        case new, unwanted
        case back(PendingApproval<Form>)
    }

    private func arrival(of question: ApprovalQuestion<Form>) -> Arrival {
        if question.attempt > 1, let run = question.run {
            if let known = pending.values.first(where: {
                $0.run == run && $0.session == question.session && $0.tool == question.tool && $0.digest == question.digest
            }) {
                return .back(known)
            }
            // A repeated question may be settled already.
            if closed.contains(where: { $0.run == run }) { return .unwanted }
        }
        // No approval is opened if its agent would wait in vain.
        return (question.isAttended || !isUnreachable) && pending.count < limits.approvalsMax ? .new : .unwanted
    }

    /// True if the question is new, so that people are about to see it: only then is its text prepared. Called at the time of the
    /// last fact.
    package func isNew(_ question: ApprovalQuestion<Form>) -> Bool {
        if case .new = arrival(of: question) { true } else { false }
    }

    private mutating func asked(_ question: ApprovalQuestion<Form>) {
        switch arrival(of: question) {
        case .unwanted: return orders.append(.abstain(question.token))
        case .back(let known): return reclaim(known, question)
        case .new: break
        }
        questionCount += 1
        let id = digests.approval(
            [
                question.session.rawValue, question.prompt ?? "", question.agent ?? "", question.tool,
                question.digest.rawValue, "\(now.wall)", "\(questionCount)",
            ])
        let life = question.life ?? (question.isAttended ? limits.life : limits.headlessLife)
        let approval = PendingApproval(question, id: id, life: life, order: questionCount, at: now)
        pending[id] = approval
        orders += [.remember(id, approval.note), .show(id)]
    }

    private mutating func cut(_ id: ApprovalID) {
        pending[id]?.cut()
        if let note = pending[id]?.note { orders.append(.remember(id, note)) }
    }

    // MARK: Decided

    private mutating func decided(_ session: SessionID, _ id: ApprovalID, _ digest: InputDigest, _ decision: Decision) {
        guard let approval = pending[id], approval.session == session else { return decidedLate(session, id) }
        switch approval.phase {
        case .open(let token): apply(digest, decision, to: approval, token)
        case .orphaned, .lost:
            // The same decision again restores what was not kept whole. The relay accepts one decision: a different one is its
            // error, and the first is kept.
            let first = approval.waitingDecision?.decision.command ?? approval.answer?.command
            if first == nil || first == decision.command { pending[id]?.waitingDecision = (digest, decision) }
        // The decision came twice; its outcome will be reported soon.
        case .answered: break
        }
    }

    private mutating func decidedLate(_ session: SessionID, _ id: ApprovalID) {
        // If we resolved the approval ourselves, its end is on the way to the relay, and nothing more is reported.
        let past = closed.last { $0.id == id }
        guard past?.isSilent != false else { return }
        orders.append(.emit(session, .approvalStale(id, reason: past == nil ? "unknownApproval" : "expired")))
        closed.removeAll { $0.id == id }
        close(id, isSilent: false)
    }

    /// Leaves the question to the agent's own prompt. A decision that was taken before stays.
    private mutating func refused(_ session: SessionID, _ id: ApprovalID, _ reason: String) {
        guard let approval = pending[id], approval.session == session else { return decidedLate(session, id) }
        guard approval.answer == nil, approval.waitingDecision == nil else { return }
        settle(approval, stale: reason)
    }

    private mutating func distrusted(_ device: KeyID) {
        for approval in approvals {
            guard let signature = approval.waitingDecision?.decision.signature,
                (try? SignatureText(parsing: signature))?.device == device
            else { continue }
            settle(approval, stale: ConsentRefusal.notTrusted.rawValue)
        }
    }

    private mutating func apply(
        _ digest: InputDigest, _ decision: Decision, to approval: PendingApproval<Form>, _ token: HookToken
    ) {
        func isWhole() -> Bool { if case .deny = decision.verdict { true } else { !approval.isCut } }
        // The digest is computed over the input that we hold, not taken from what we once reported. Cut input is not held, and
        // never allowed.
        let own =
            approval.isCut
            ? approval.digest : digests.input(tool: approval.tool, approval.input, offers: approval.form?.offers ?? [])
        guard digest == own else { return settle(approval, stale: "digestMismatch") }
        guard isWhole() else { return settle(approval, stale: "notWhole") }
        guard let (handed, output) = approval.answer(to: decision, digests) else { return settle(approval, stale: "badAnswer") }
        deliver(handed, output, to: approval, token)
    }

    private mutating func deliver(
        _ handed: HandedAnswer, _ output: [UInt8], to approval: PendingApproval<Form>, _ token: HookToken
    ) {
        var answered = approval
        answered.phase = .answered(handed)
        answered.phaseAt = now.monotonic
        answered.waitingDecision = nil
        answered.handedBefore = nil
        pending[approval.id] = answered
        // The note is written first: after a crash between the two, the next life hands the answer over again, to the same hook.
        orders += [.remember(approval.id, answered.note), .deliver(approval.id, token, output)]
    }

    // MARK: The same hook again

    /// Returns a question to its hook, recognised only by the name of its run: another hook may ask the very same, and has its own
    /// answer.
    private mutating func reclaim(_ known: PendingApproval<Form>, _ question: ApprovalQuestion<Form>) {
        // A hook can be back before its broken connection was noticed.
        if let old = known.token { orders.append(.abstain(old)) }
        var approval = known
        approval.input = known.isCut ? [] : question.input
        approval.form = known.isCut ? nil : question.form
        approval.handedBefore = known.answer
        approval.phase = .open(question.token)
        approval.phaseAt = now.monotonic
        approval.process = question.process ?? approval.process
        pending[approval.id] = approval
        if let waiting = approval.waitingDecision {
            apply(waiting.digest, waiting.decision, to: approval, question.token)
        } else if let handed = approval.handedBefore {
            handOverAgain(handed, to: approval, question.token)
        } else {
            orders.append(.reopened(approval.id))
        }
    }

    /// Hands the answer over again: a hook that calls again never received it.
    private mutating func handOverAgain(_ handed: HandedAnswer, to approval: PendingApproval<Form>, _ token: HookToken) {
        if let output = approval.output(again: handed) { return deliver(handed, output, to: approval, token) }
        // If the answer cannot be repeated, or only the digest of a long one is left, the agent's own prompt stays.
        if case .answer(_, _?) = handed.kind, approval.kind == .question { return settle(approval, stale: "badAnswer") }
        settle(approval, stale: "hostRestarted")
    }

    private mutating func answerReceived(_ id: ApprovalID) {
        guard pending[id]?.answer != nil, pending[id]?.run != nil else { return }
        pending[id]?.run = nil
        if let note = pending[id]?.note { orders.append(.remember(id, note)) }
    }

    // MARK: Over

    /// See the table at `ApprovalEvidence`.
    private mutating func conclude(_ approval: PendingApproval<Form>, from evidence: ApprovalEvidence) {
        let isTool = approval.kind == .tool
        let answer = approval.answer?.kind
        switch (evidence, answer) {
        case (.carriedOut(_, let failed), nil):
            settle(approval, cancelled: isTool ? "allowedLocally" : failed ? "deniedLocally" : "answeredLocally")
        case (.carriedOut, .allow): settle(approval, applied: .ran)
        case (.carriedOut(nil, _), .edited): settle(approval, stale: "unconfirmed")
        case (.carriedOut(let texts?, _), .edited(let digest, _)):
            // At the terminal what was asked may have been allowed first.
            let isOurs = digests.answers(texts) == digest
            if isOurs { settle(approval, applied: .ran) } else { settle(approval, stale: "allowedLocally") }
        case (.carriedOut, .deny): settle(approval, stale: isTool ? "allowedLocally" : "answeredLocally")
        case (.carriedOut(let answers, let failed), .answer(let digest, _)):
            let isOurs = !failed && answers.map(digests.answers) == digest
            if isOurs { settle(approval, applied: .answered) } else { settle(approval, stale: "answeredLocally") }

        case (.reported(.rejection), nil): settle(approval, cancelled: "deniedLocally")
        case (.reported(.rejection), _?): settle(approval, stale: "deniedLocally")
        case (.reported, nil): settle(approval, cancelled: "answeredLocally")
        case (.reported(.ourDenial), .deny): settle(approval, applied: .denied)
        case (.reported, .deny): settle(approval, stale: "answeredLocally")
        case (.reported, _?): settle(approval, stale: "unconfirmed")

        case (.turnEnded, nil): settle(approval, cancelled: "turnEnded")
        case (.turnEnded, .deny): settle(approval, applied: .denied)
        case (.turnEnded(wentOn: true), .allow): settle(approval, applied: .ran)
        case (.turnEnded, .allow), (.turnEnded, .edited), (.turnEnded, .answer): settle(approval, stale: "unconfirmed")

        case (.answeredAtTerminal, nil): settle(approval, cancelled: "answeredLocally")
        case (.answeredAtTerminal, _?): settle(approval, stale: "answeredLocally")
        case (.deniedAtTerminal, nil): settle(approval, cancelled: "deniedLocally")
        case (.deniedAtTerminal, .deny): settle(approval, applied: .denied)
        case (.deniedAtTerminal, _?): settle(approval, stale: "deniedLocally")
        case (.dialogStays, nil): settle(approval, cancelled: "hookEnded")
        case (.dialogStays, _?): break

        case (.answersTaken, nil): settle(approval, cancelled: "answeredLocally")
        case (.answersTaken, .edited): settle(approval, applied: .ran)
        case (.answersTaken, .answer): settle(approval, applied: .answered)
        case (.answersTaken, _?): settle(approval, stale: "answeredLocally")
        case (.withdrawn, nil): settle(approval, cancelled: "withdrawn")
        case (.withdrawn, _?): settle(approval, stale: "unconfirmed")
        }
    }

    private mutating func hookGone(_ token: HookToken) {
        guard let approval = pending.values.first(where: { $0.token == token }) else { return }
        let isAway = now.monotonic <= awayUntil
        let until = now.monotonic + (isAway ? limits.hookLossGrace : limits.lossGrace).milliseconds
        pending[approval.id]?.phase = isAway ? .orphaned(until: until) : .lost(until: until)
        pending[approval.id]?.phaseAt = now.monotonic
        if let process = approval.process { orders.append(.check(process)) }
    }

    private mutating func resolveOverdue() {
        for approval in approvals {
            switch approval.phase {
            case .open:
                if now.monotonic >= approval.deadline {
                    // The relay expires the approval itself, after the same time. After a restart we only know the date, which
                    // differs from the relay's time if a clock jumped, so we report the expiry.
                    settle(approval, approval.isRestored ? .approvalCancelled(approval.id, reason: "expired") : nil)
                } else if !approval.isAttended, isUnreachable {
                    settle(approval, cancelled: "relayUnreachable")
                }
            case .lost(let until) where now.monotonic >= until:
                pending[approval.id]?.phase = .lost(until: now.monotonic + limits.lossGrace.milliseconds)
                orders.append(.judge(approval.id))
            case .orphaned(let until) where now.monotonic >= until:
                if let answer = approval.answer {
                    // The hook was answered before the restart, and the agent now shows that it acted on the answer.
                    pending[approval.id]?.phase = .answered(answer)
                    pending[approval.id]?.phaseAt = now.monotonic
                    continue
                }
                // The hook may reconnect, and is then asked again.
                pending[approval.id]?.run = nil
                settle(approval, cancelled: "hostRestarted")
            case .lost, .orphaned, .answered: break
            }
        }
    }

    private mutating func cancel(_ reason: String, where isMeant: (PendingApproval<Form>) -> Bool) {
        for approval in approvals where isMeant(approval) { settle(approval, cancelled: reason) }
    }

    /// Handles a question or an answer that is not on disk: nobody will see the question, and the answer was not handed over.
    private mutating func notRecorded(_ id: ApprovalID) {
        guard let approval = pending[id] else { return }
        if approval.answer != nil { settle(approval, stale: "notRecorded") } else { forget(approval, isSilent: false) }
    }

    private mutating func settle(_ approval: PendingApproval<Form>, applied outcome: ApprovalOutcome) {
        settle(approval, .approvalApplied(approval.id, outcome: outcome))
    }

    private mutating func settle(_ approval: PendingApproval<Form>, cancelled reason: String) {
        settle(approval, .approvalCancelled(approval.id, reason: reason))
    }

    private mutating func settle(_ approval: PendingApproval<Form>, stale reason: String) {
        settle(approval, .approvalStale(approval.id, reason: reason))
    }

    /// Ends an approval: reports it, forgets it, and gives a waiting hook no decision.
    private mutating func settle(_ approval: PendingApproval<Form>, _ end: EventHead?) {
        orders.append(.settled(approval.session, end))
        forget(approval, isSilent: end == nil)
    }

    private mutating func forget(_ approval: PendingApproval<Form>, isSilent: Bool) {
        guard let approval = pending.removeValue(forKey: approval.id) else { return }
        orders.append(.remember(approval.id, nil))
        close(approval.id, isSilent: isSilent, run: approval.run)
        if let token = approval.token { orders.append(.abstain(token)) }
    }

    private mutating func close(_ id: ApprovalID, isSilent: Bool, run: String? = nil) {
        closed.append((id, isSilent, run))
        if closed.count > limits.closedMax { closed.removeFirst() }
    }

    private mutating func restore(_ notes: [ApprovalID: [UInt8]]) {
        for (id, note) in notes {
            guard let approval = PendingApproval<Form>(id: id, note: note, limits, at: now) else { continue }
            pending[id] = approval
            questionCount = max(questionCount, approval.order)
        }
    }
}
