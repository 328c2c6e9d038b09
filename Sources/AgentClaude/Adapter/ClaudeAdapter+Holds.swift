internal import HostCore
internal import RelayProtocol

/// Sessions in which every tool needs approval, also those that the agent's rules or mode would let run: their budget is spent, or
/// a person wants it. The hook before the tool demands it, and Claude Code then asks in each of its modes.
extension ClaudeAdapter {
    /// True for tools that ask a person themselves, so that asking twice would not help.
    static func asksByItself(_ tool: String) -> Bool { ["AskUserQuestion", "ExitPlanMode"].contains(tool) }

    func asksForAll(_ id: SessionID) -> Bool { holds.contains(id) || sessions[id]?.asksAll == true }

    /// True if some session asks for every tool: a call whose session is unknown could belong to it.
    var someAskForAll: Bool { !holds.isEmpty || sessions.values.contains { $0.asksAll && !$0.isEnded } }

    /// The answer of the hook before this tool; nil if it gives none.
    func demand(of id: SessionID, _ hook: ClaudeHook, _ payload: JSONValue) -> [UInt8]? {
        guard asksForAll(id), !Self.asksByItself(payload.text("tool_name") ?? "") else { return nil }
        if hook.isAnsweredByProgram { return ClaudeAnswer.refuseHeld }
        return sessions[id]?.asksAll == true ? ClaudeAnswer.askAll : ClaudeAnswer.ask
    }

    /// Reports, once a turn, that a call was refused because nobody could be asked.
    mutating func refusedUnasked(_ id: SessionID) {
        guard sessions[id]?.hasRefusedUnasked == false else { return }
        sessions[id]?.hasRefusedUnasked = true
        emit(.error(message: Self.unaskedMessage, recoverable: true), in: id)
    }

    private static let unaskedMessage =
        "A tool was refused and nobody asked: every tool needs approval now, and this session has no way to ask. "
        + "Raise the budget, or start it with `heliograph run -- claude`."

    // MARK: As a person wants it

    mutating func askAll(_ isOn: Bool, _ request: SteeringRequest) {
        let id = request.session
        guard let session = sessions[id], session.isAttended || session.asksAll else {
            return order(.notGiven(request, "another program runs this session, and would deny what it cannot ask for"))
        }
        guard session.asksAll != isOn else {
            return order(.steered(id, SteeringChange(request.name, .taken, reason: "it was so already")))
        }
        sessions[id]?.asksAll = isOn
        order(.askAll(id, isOn))
        remember(id)
        offer(id)
        let rest = !isOn && holds.contains(id) ? "its budget is spent, and has every tool asked for all the same" : nil
        order(.steered(id, SteeringChange(request.name, .taken, reason: rest)))
    }

    /// Starts asking for every tool. Also applies to a session that continues an earlier one: `/clear` at the terminal does not
    /// evade it.
    mutating func startAskingAll(_ id: SessionID) {
        guard let session = sessions[id] else { return }
        let isSame = { (other: ClaudeSession) in other.asksAll && session.process != nil && other.process == session.process }
        guard session.asksAll || sessions.values.contains(where: isSame) else { return }
        sessions[id]?.asksAll = true
        order(.askAll(id, true))
    }

    /// Turns asking off for a session that ends. The setting itself is kept, and applies again when the session is resumed.
    mutating func stopAskingAll(_ id: SessionID) {
        if sessions[id]?.asksAll == true { order(.askAll(id, false)) }
    }

    /// Handles a question that a program other than ours has answered.
    mutating func answersItself(_ id: SessionID) {
        guard sessions[id]?.answersItself == false else { return }
        sessions[id]?.answersItself = true
        remember(id)
        offer(id)
    }

    /// Adds to the offer that every tool can be asked for, if a person can be asked.
    func asking(_ offer: SteeringOffer, of id: SessionID) -> SteeringOffer {
        guard let session = sessions[id] else { return offer }
        var offer = offer
        if session.isAttended || session.asksAll { offer.actions.insert(.askAll) } else { offer.actions.remove(.askAll) }
        offer.asksAll = session.asksAll
        if session.isUnheard { offer.hold = .unchanged } else if session.answersItself { offer.hold = .most }
        return offer
    }
}
