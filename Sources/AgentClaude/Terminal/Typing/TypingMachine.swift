internal import HostCore
internal import RelayProtocol

/// Types for a client at the terminal of a Claude Code with its own screen: a prompt is typed at a moment at which it cannot be
/// taken for something else, and counts as taken only by the agent's own report.
///
/// Pure: facts in, keystrokes and outcomes out. Nothing is ever typed while the agent waits for an answer. Enter is pressed only if
/// exactly our text was seen in the input line and the person's keys are held back, and never twice.
///
/// ```
/// free ─▶ waiting ─▶ settingAside ─▶ typing ─▶ entered ─▶ settling ─▶ free
///            │  ▲         │            │          └─▶ (unknown) free
///            │  └─────────│────────────┴─▶ removing ─▶ givingBack ─▶ (again, or refused) free
///            └────────────┴─▶ (refused) free
/// ```
package struct TypingMachine: Sendable {
    struct Prompt: Sendable {
        let name: SteeringName
        let session: SessionID
        let text: TypedText
        var attempts = 0
        /// True if the person's draft is in the agent's stash.
        var hasDraftAside = false
        var isGiven = false
    }

    enum Phase: Sendable {
        /// Nothing of ours is at the terminal.
        case free
        /// Waits until the agent is idle, the person does not type, and the input line is on the screen.
        case waiting(Prompt, until: Int64)
        /// The person's draft is being moved to the stash.
        case settingAside(Prompt, until: Int64)
        /// Our text is being typed, and is not yet shown whole.
        case typing(Prompt, until: Int64)
        /// Enter was pressed, once.
        case entered(Prompt, until: Int64)
        /// A hook has reported the prompt; the agent restores the draft.
        case settling(until: Int64)
        /// Our text is being removed again.
        case removing(Prompt, why: String, wasSeen: Bool, next: Int64)
        /// The person's draft is being restored.
        case givingBack(Prompt, why: String, until: Int64)
        case interrupting(SteeringName, escapes: Int, until: Int64)
        case switching(SteeringName, to: String, from: String, steps: Int, until: Int64)
        case stopping(until: Int64)
        case over
    }

    static let modes = ClaudeMode.fromAfar

    let limits: TypingLimits
    var phase = Phase.free
    var doing: TypingDoing?
    var box: PromptBox?
    var mode: String?
    var keyAt: Int64?
    /// Latest time until which the person's keys are held back.
    var bufferedUntil: Int64?
    /// A shorter such time, after an Esc.
    var releaseAt: Int64?
    /// True if a draft went to the stash and we gave up: it is restored if it shows up there before the person has typed.
    var owesDraft = false
    /// The client's prompt that a hook has reported, until the transcript shows what became of it.
    var unproven: (prompt: Prompt, until: Int64)?
    var stops: [SteeringName] = []
    var now: Int64 = 0
    private var orders: [TypingOrder] = []
    private var stood: (SteeringOffer, SteeringStanding)?

    /// `mode`: set if the person chose one by an argument.
    package init(mode: String? = nil, limits: TypingLimits = TypingLimits()) {
        self.mode = mode
        self.limits = limits
    }

    package mutating func handle(_ fact: TypingFact, at now: Int64) -> [TypingOrder] {
        self.now = now
        orders = []
        switch fact {
        case .opened: opened()
        case .does(let doing): self.doing = doing
        case .shows(let box): shows(box)
        case .keyTyped: keyTyped()
        case .keyHeld: keyHeld()
        case .prompted(let text, let session, let mode, let isProvable, let token):
            prompted(text, session, mode, isProvable, token)
        case .submitted(let outcome): submitted(outcome)
        case .interruptWritten: interruptWritten()
        case .steered(let request): steered(request)
        case .terminated: hangUp()
        case .ended: ended()
        case .timerFired: timerFired()
        }
        goOn()
        stand()
        return orders
    }

    /// Time at which `timerFired` is due.
    package var nextDeadline: Int64? {
        let due: Int64? =
            switch phase {
            case .free, .over: nil
            case .waiting(_, let until), .settingAside(_, let until), .typing(_, let until), .entered(_, let until),
                .settling(let until), .removing(_, _, _, let until), .givingBack(_, _, let until),
                .interrupting(_, _, let until),
                .switching(_, _, _, _, let until), .stopping(let until):
                until
            }
        let quietAt = keyAt.map { $0 + limits.quiet.milliseconds }.flatMap { $0 > now ? $0 : nil }
        return [due, unproven?.until, bufferedUntil, releaseAt, quietAt].compactMap { $0 }.min()
    }

    /// True while something of ours is at the terminal, so that the screen and the registry are read often.
    package var isAtWork: Bool {
        switch phase {
        case .free: unproven != nil
        case .over, .stopping: false
        default: true
        }
    }

    /// True if no turn runs and no dialog is open. While only subagents work, the registry says busy.
    var isIdle: Bool {
        switch doing {
        case .idle: true
        case .busy: box?.isInBackground == true
        case .unknown: box?.isInTurn == false
        case .waiting, nil: false
        }
    }

    var isQuiet: Bool { keyAt.map { now - $0 >= limits.quiet.milliseconds } ?? true }

    // MARK: What clients send

    private mutating func steered(_ request: SteeringRequest) {
        let name = request.name
        let offer = offer
        guard offer.actions.contains(request.action.kind) else {
            return tell(name, .refused, offer.reason ?? "this session does not take \(request.action.kind.rawValue)")
        }
        if case .stop = request.action {
            stops.append(name)
            tell(name, .given)
            return hangUp()
        }
        if case .waiting(let prompt, _) = phase, case .interrupt = request.action {
            // The waiting prompt is not typed yet; a person who interrupts does not want it to start.
            tell(prompt.name, .refused, "the agent was interrupted before it was typed")
            phase = .free
        }
        guard case .free = phase, unproven == nil || request.action.kind != .prompt else {
            return tell(name, .refused, "something else is just being typed for a client")
        }
        switch request.action {
        case .prompt(let prompt):
            guard !prompt.isCommand else { return tell(name, .refused, "the agent offers no such command") }
            guard let text = TypedText(prompt.text) else { return tell(name, .refused, "there is nothing in it to be typed") }
            phase = .waiting(
                Prompt(name: name, session: request.session, text: text), until: now + limits.readyWithin.milliseconds)
        case .interrupt: interrupt(name)
        case .mode(let mode): switchMode(to: mode, name)
        case .model, .stop, .askAll, .launch, .ruleOff, .ruleAdd, .ruleChange, .ruleTry:
            tell(name, .refused, "this session does not take it")
        }
    }

    // MARK: What is seen

    private mutating func opened() {
        stood = nil
        unproven = nil
        // A prompt that was typed already gets its outcome from the host, which learns that the earlier session's program is gone.
        guard case .waiting(let prompt, _) = phase else { return }
        tell(prompt.name, .refused, "another conversation was opened before it was typed")
        phase = .free
    }

    private mutating func shows(_ box: PromptBox?) {
        self.box = box
        if let mode = box?.mode { self.mode = mode }
        if owesDraft, isFreeForUs, let box, box.isEmpty, box.isStashUsed {
            owesDraft = false
            write(Key.stash)
        }
    }

    private var isFreeForUs: Bool { if case .free = phase { isIdle } else { false } }

    private mutating func keyTyped() {
        keyAt = now
        owesDraft = false
    }

    private mutating func keyHeld() {
        guard let until = bufferedUntil else { return }
        bufferedUntil = min(until, now + limits.holdFor.milliseconds)
        switch phase {
        case .settingAside(let prompt, _): phase = .settingAside(prompt, until: holdDeadline(limits.asideWithin))
        case .typing(let prompt, _): phase = .typing(prompt, until: holdDeadline(limits.shownWithin))
        default: break
        }
    }

    private mutating func prompted(
        _ text: String, _ session: SessionID?, _ mode: String?, _ isProvable: Bool, _ token: TypingToken
    ) {
        if let mode { self.mode = mode }
        guard case .entered(let prompt, _) = phase else { return order(.answer(token, refusal: nil)) }
        if prompt.text.isTaken(as: text), session != prompt.session {
            // A moment after `/clear` or `/resume`, the registry still names the conversation that the agent has left.
            order(
                .answer(
                    token,
                    refusal: "A client sent this to the conversation that was open before; it is in the input line again."))
            tell(prompt.name, .refused, "another conversation was opened at the terminal, where it is in the input line")
            free()
        } else if prompt.text.isTaken(as: text) {
            order(.answer(token, refusal: nil))
            if isProvable { unproven = (prompt, until: now + limits.provenWithin.milliseconds) } else { taken(prompt) }
            // The registry reports this a moment later, followed by the result.
            doing = .busy
            phase = .settling(until: now + limits.settlesFor.milliseconds)
        } else if !ClaudeNotice.isOne(text), prompt.text.isMixed(into: text) {
            order(
                .answer(
                    token, refusal: "A client's prompt was mixed with what was typed here; it is in the input line again."))
            tell(prompt.name, .refused, "it was mixed with what was typed at the terminal, and is in the input line there")
            free()
        } else {
            order(.answer(token, refusal: nil))
        }
    }

    private mutating func taken(_ prompt: Prompt) {
        tell(prompt.name, .taken, prompt.text.isPasted ? "as pasted text, for it has very many lines" : nil)
    }

    private mutating func submitted(_ outcome: SubmissionLine) {
        guard let prompt = unproven?.prompt else { return }
        unproven = nil
        switch outcome {
        case .kept: taken(prompt)
        // The hook's words, which may contain secrets, are in the timeline.
        case .refused: tell(prompt.name, .refused, SubmissionLine.refusal(nil))
        }
    }

    // MARK: The end

    mutating func hangUp() {
        switch phase {
        case .stopping, .over: return
        default: break
        }
        abandon()
        order(.hangUp)
        phase = .stopping(until: now + limits.endGrace.milliseconds)
    }

    private mutating func abandon() {
        switch phase {
        case .waiting(let prompt, _): tell(prompt.name, .refused, "the session is ending")
        case .settingAside(let prompt, _), .removing(let prompt, _, _, _), .givingBack(let prompt, _, _):
            tell(prompt.name, .refused, "the session is ending")
        case .typing(let prompt, _), .entered(let prompt, _): tell(prompt.name, .unknown, "the session is ending")
        case .interrupting(let name, _, _), .switching(let name, _, _, _, _): tell(name, .unknown, "the session is ending")
        case .free, .settling, .stopping, .over: break
        }
        if let prompt = unproven?.prompt { tell(prompt.name, .unknown, "the session is ending") }
        unproven = nil
        release()
    }

    private mutating func ended() {
        abandon()
        for name in stops { tell(name, .taken, "the agent has ended") }
        stops = []
        phase = .over
    }

    // MARK: Orders

    mutating func order(_ order: TypingOrder) { orders.append(order) }
    mutating func write(_ keys: [UInt8]) { orders.append(.write(keys)) }

    mutating func tell(_ name: SteeringName, _ stage: SteeringStage, _ reason: String? = nil) {
        orders.append(.tell(SteeringChange(name, stage, reason: reason)))
    }

    mutating func hold() {
        bufferedUntil = now + (limits.holdFor + limits.undisturbed).milliseconds
        order(.hold)
    }

    /// Time at which a held key has waited for `part` of `holdFor`.
    func holdDeadline(_ part: Duration) -> Int64 {
        (bufferedUntil ?? now) - limits.holdFor.milliseconds + part.milliseconds
    }

    mutating func release() {
        releaseAt = nil
        guard bufferedUntil != nil else { return }
        bufferedUntil = nil
        order(.release)
    }

    mutating func free() {
        release()
        phase = .free
    }

    // MARK: Reports

    private var standing: SteeringStanding {
        guard isFreeForUs, unproven == nil else { return doing == .waiting || doing == nil ? .waiting : .busy }
        // We must not interrupt what the person types there; the host keeps prompts until then.
        return isQuiet ? .idle : .waiting
    }

    private mutating func stand() {
        // The session is still unknown.
        guard doing != nil || stood != nil else { return }
        let (offer, standing) = (offer, standing)
        guard stood.map({ $0.0 != offer || $0.1 != standing }) ?? true else { return }
        stood = (offer, standing)
        orders.append(.stand(offer, standing))
    }

    var offer: SteeringOffer {
        switch phase {
        case .stopping, .over: return SteeringOffer(reason: "the session is ending")
        default: break
        }
        guard mode != ClaudeMode.lawless else { return ClaudeMode.offerOfLawless }
        // The number of steps to a mode is known only from the current one.
        guard let mode else { return SteeringOffer(actions: [.prompt, .interrupt, .stop]) }
        return SteeringOffer(actions: [.prompt, .interrupt, .stop, .mode], mode: mode, modes: Self.modes)
    }

    /// Claude Code's default keys. If the person has changed them, no evidence comes, and that is reported.
    enum Key {
        static let enter: [UInt8] = [0x0D]
        static let escape: [UInt8] = [0x1B]
        static let stash: [UInt8] = [0x13]
        static let deleteToStart: [UInt8] = [0x15]
        static let nextMode = Array("\u{1B}[Z".utf8)
    }
}
