internal import HostCore
internal import RelayProtocol

/// Sessions whose budget is spent, and those of which a person wants so: every tool is asked for, also what the agent's rules or mode
/// would let run. The hook before the tool says that it has to be asked for, and Claude Code asks, in each of its modes.
extension ClaudeAdapter {
    /// Tools that ask a person by themselves: to ask twice would help nobody.
    static func asksByItself(_ tool: String) -> Bool { ["AskUserQuestion", "ExitPlanMode"].contains(tool) }

    func asksForAll(_ id: SessionID) -> Bool { holds.contains(id) || sessions[id]?.asksAll == true }

    /// True if some session asks for everything: a call whose session is unknown could be one of its.
    var someAskForAll: Bool { !holds.isEmpty || sessions.values.contains { $0.asksAll && !$0.isEnded } }

    /// The answer of the hook before this tool; nil if it has no say.
    func demand(of id: SessionID, _ payload: JSONValue) -> [UInt8]? {
        guard asksForAll(id), !Self.asksByItself(payload.text("tool_name") ?? "") else { return nil }
        return sessions[id]?.asksAll == true ? ClaudeAnswer.askAll : ClaudeAnswer.ask
    }

    /// Says once in a turn that there was nobody to ask.
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

    /// Also of one that goes on with an earlier one: `/clear` at the terminal is no way out of it.
    mutating func startAskingAll(_ id: SessionID) {
        guard let session = sessions[id] else { return }
        let isSame = { (other: ClaudeSession) in other.asksAll && session.process != nil && other.process == session.process }
        guard session.asksAll || sessions.values.contains(where: isSame) else { return }
        sessions[id]?.asksAll = true
        order(.askAll(id, true))
    }

    /// The setting is kept: it asks again when it is resumed.
    mutating func stopAskingAll(_ id: SessionID) {
        if sessions[id]?.asksAll == true { order(.askAll(id, false)) }
    }

    /// Offers to ask about every tool, if a person can be asked.
    func asking(_ offer: SteeringOffer, of id: SessionID) -> SteeringOffer {
        guard let session = sessions[id] else { return offer }
        var offer = offer
        if session.isAttended || session.asksAll { offer.actions.insert(.askAll) } else { offer.actions.remove(.askAll) }
        offer.asksAll = session.asksAll
        return offer
    }
}
