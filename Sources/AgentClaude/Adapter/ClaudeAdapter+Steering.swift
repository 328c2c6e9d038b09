internal import HostCore
internal import RelayProtocol

/// Steering by hooks alone: a turn can be ended before its next tool. Nothing can be typed into a terminal that is not ours; a
/// prompt goes there as another session's message.
extension ClaudeAdapter {
    /// Offers the commands that the session takes, with advice on how to start it so that it takes more.
    mutating func offer(_ id: SessionID) {
        guard let session = sessions[id], !session.isEnded else { return }
        order(.offer(id, asking(session.program?.offer ?? Self.bareOffer(of: session), of: id)))
    }

    /// The offer of a session without a program of ours that reports more.
    private static func bareOffer(of session: ClaudeSession) -> SteeringOffer {
        guard !session.isUnheard else {
            return SteeringOffer(reason: "Its hooks do not run, so nothing can be done to it from here.", hold: .unchanged)
        }
        guard !session.isRun else {
            return SteeringOffer(reason: "The program of Heliograph that runs it has not said yet what can be done to it.")
        }
        guard session.isAttended else {
            return SteeringOffer(reason: "Another program runs this session. \(advice(nil))")
        }
        guard session.takesMessages else {
            let reason = "It runs in a terminal, where a client can only stop its turn. \(advice(session.registryName))"
            return SteeringOffer(actions: [.interrupt], reason: reason)
        }
        let reason = "It reads this as a message of another session, not as yours. \(advice(session.registryName))"
        return SteeringOffer(actions: [.prompt, .interrupt], reason: reason)
    }

    private static func advice(_ name: String?) -> String {
        let resume = name.map { ", or when it has ended `heliograph claude --resume \($0)`" } ?? ""
        return "To send it prompts of your own, start it with `heliograph claude` or `heliograph run -- claude`\(resume)."
    }

    mutating func stand(_ id: SessionID) {
        guard let session = sessions[id], !session.isEnded, session.program == nil, let status = session.status else { return }
        switch status {
        case .running: order(.stands(id, .busy))
        case .waitingApproval, .waitingAnswer: order(.stands(id, .waiting))
        default:
            order(.stands(id, .idle))
            interruptOver(id)
        }
    }

    mutating func steer(_ request: SteeringRequest) {
        let id = request.session
        guard let session = sessions[id], !session.isEnded else { return order(.notGiven(request, "the session has ended")) }
        if case .askAll(let isOn) = request.action { return askAll(isOn, request) }
        if session.program != nil { return hand(request) }
        if case .prompt(let prompt) = request.action, session.takesMessages { return sendMessage(prompt.text, request) }
        guard case .interrupt = request.action, session.isAttended, !session.isRun else {
            return order(.notGiven(request, "this session does not take \(request.action.kind.rawValue)"))
        }
        guard !hasOpenCard(id) else {
            return order(.notGiven(request, "the agent waits for an answer: deny what it asks instead"))
        }
        guard session.interrupt == nil else { return order(.notGiven(request, "it is being interrupted already")) }
        let until = now.monotonic + limits.interruptWithin.milliseconds
        sessions[id]?.interrupt = ClaudeSession.Interrupt(name: request.name, by: request.by.name, until: until)
        order(.steered(id, SteeringChange(request.name, .given, reason: "it stops before its next tool")))
    }

    /// The interrupt, as the output of the hook before the next tool. Subagents go on, because stopping one does not stop the main
    /// agent.
    mutating func interruption(of id: SessionID, _ payload: JSONValue) -> [UInt8]? {
        guard let interrupt = sessions[id]?.interrupt, Self.agent(payload) == nil else { return nil }
        sessions[id]?.interrupt?.isTold = true
        return ClaudeAnswer.stop("Interrupted remotely by \(TextCut.line(clean(interrupt.by), bytesMax: 100)).")
    }

    /// Handles the end of a turn. A turn that was stopped calls no such hook, so this one ended by itself, whatever our hook told
    /// its tool.
    mutating func turnEndedByItself(_ id: SessionID) { sessions[id]?.interrupt?.isTold = false }

    /// Handles a person's next prompt: the turn that we stopped has ended, though nothing reported it, and the interrupt does not
    /// apply to the new one.
    mutating func stoppedTurnOver(_ id: SessionID) {
        if sessions[id]?.interrupt?.isTold == true { interruptOver(id) }
    }

    private mutating func interruptOver(_ id: SessionID) {
        guard let interrupt = sessions[id]?.interrupt else { return }
        sessions[id]?.interrupt = nil
        let change =
            interrupt.isTold
            ? SteeringChange(interrupt.name, .taken)
            : SteeringChange(interrupt.name, .refused, reason: "the turn ended by itself")
        order(.steered(id, change))
    }

    mutating func giveUpInterrupts() {
        for session in sessionsInOrder {
            guard let interrupt = session.interrupt, interrupt.until <= now.monotonic else { continue }
            sessions[session.id]?.interrupt = nil
            let change =
                interrupt.isTold
                ? SteeringChange(interrupt.name, .unknown, reason: "it was told to stop, and its turn goes on")
                : SteeringChange(interrupt.name, .refused, reason: "it used no tool meanwhile, so nothing could stop it")
            order(.steered(session.id, change))
        }
    }
}
