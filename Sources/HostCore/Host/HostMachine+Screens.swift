import RelayProtocol

/// Access of clients to terminals that processes of this machine hold.
extension HostMachine {
    mutating func asked(_ call: ScreenCall) {
        guard offers[call.session]?.hasScreen == true, steering.isOpen else {
            return answer(call.name, .failed(.unsupported, "no terminal of this session can be seen"))
        }
        var call = call
        if case .type(let keys, let seen) = call.wish {
            guard !typing.knows(call.name) else {
                return answer(call.name, .failed(.closed, "these keys have come before, and are typed once"))
            }
            if let refusal = steering.refusal(of: call.by) { return answer(call.name, .failed(.forbidden, refusal)) }
            // Keys could answer the agent's own prompt, or run what the owner's rules guard.
            if rules?.guards(hasPasskeys: consent?.hasPasskeys == true) == true {
                return answer(call.name, .failed(.forbidden, RuleDesk.noKeysReason))
            }
            if consent?.isSigned == true, !drawings.isRecent(seen, in: call.session, at: now.monotonic) {
                return answer(call.name, .failed(.closed, Self.screenIsAnother))
            }
            if let refusal = consent?.admit(keys, seen: seen, by: &call) {
                orders.append(.log(.consent(.steeringRefused(call.session, call.name, reason: refusal))))
                return answer(call.name, .failed(.forbidden, refusal))
            }
            // Saves the device's new count.
            carryOut([HostConsent.Order]())
            guard case .type(let opened, _) = call.wish else { preconditionFailure("keys stay keys") }
            tellTyped(typing.typed(opened.count, as: call.name, by: call.by, in: call.session, at: now))
            wereAgentsTold = true
        } else {
            guard looks.began(call) else { return answer(call.name, .failed(.tooMany, "too many look at its terminals")) }
        }
        orders.append(.askTerminal(call))
    }

    static let screenIsAnother = "the terminal shows something else by now: look at it, and type again"

    mutating func terminalAnswered(_ name: SteeringName, _ said: ScreenAnswer) {
        let session = looks.ended(name)
        guard case .screen(let screen) = said, consent?.isSigned == true else { return answer(name, said) }
        if let session, let shown = try? JSONDocument(parsing: screen).root.string("of", bytesMax: WireLimits.nameBytesMax) {
            drawings.shown(shown, in: session, at: now.monotonic)
        }
        guard consent?.isSealed == true else { return answer(name, said) }
        guard let session, let sealed = consent?.shown(screen, to: name.command, in: session) else {
            return answer(name, .failed(.unavailable, "its host cannot seal what its terminal shows now"))
        }
        answer(name, .screen(sealed))
    }

    mutating func answer(_ name: SteeringName, _ answer: ScreenAnswer) {
        if link.isLive { orders.append(.send(HostMessage.answered(name, answer).bytes)) }
    }

    mutating func tellTyped(_ counts: [TypingDesk.Count]) {
        for count in counts { emit(.steeringTyped(by: count.by, bytes: count.bytes), of: count.session) }
    }
}
