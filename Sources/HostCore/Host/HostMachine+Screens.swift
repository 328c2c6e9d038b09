import RelayProtocol

/// Clients at terminals that processes of this machine hold.
extension HostMachine {
    mutating func asked(_ call: ScreenCall) {
        guard offers[call.session]?.hasScreen == true, steering.isOpen, consent?.isSealed != true else {
            return answer(call.name, .failed(.unsupported, "no terminal of this session can be seen"))
        }
        var call = call
        if case .type(let keys) = call.wish {
            guard !typing.knows(call.name) else {
                return answer(call.name, .failed(.closed, "these keys have come before, and are typed once"))
            }
            if let refusal = steering.refusal(of: call.by) { return answer(call.name, .failed(.forbidden, refusal)) }
            // Keys could answer the agent's own prompt, or run what its rules guard.
            if rules?.guards(hasPasskeys: consent?.hasPasskeys == true) == true {
                return answer(call.name, .failed(.forbidden, RuleDesk.noKeysReason))
            }
            if let refusal = consent?.admit(keys, by: &call) {
                orders.append(.log(.consent(.steeringRefused(call.session, call.name, reason: refusal))))
                return answer(call.name, .failed(.forbidden, refusal))
            }
            // The device's new count.
            carryOut([HostConsent.Order]())
            tellTyped(typing.typed(keys.count, as: call.name, by: call.by, in: call.session, at: now))
            wereAgentsTold = true
        }
        orders.append(.askTerminal(call))
    }

    mutating func answer(_ name: SteeringName, _ answer: ScreenAnswer) {
        if link.isLive { orders.append(.send(HostMessage.answered(name, answer).bytes)) }
    }

    mutating func tellTyped(_ counts: [TypingDesk.Count]) {
        for count in counts { emit(.steeringTyped(by: count.by, bytes: count.bytes), of: count.session) }
    }
}
