import RelayProtocol

/// Access of clients to the rules of this host's owner.
extension HostMachine {
    /// Changes the rules on disk, then in the host's offer, then reports the command's outcome: a client that reads the outcome
    /// finds the new rules.
    mutating func changeRules(_ request: SteeringRequest) {
        let isSigned = consent?.isSigned == true
        let refusal = rules.map { [now] in $0.change(request, isSigned: isSigned, at: now) } ?? "its host has no rules"
        showRules()
        if let refusal { return refuse(request, refusal) }
        carryOut(steering.changed(SteeringChange(request.name, .taken), of: request.session, at: now))
    }

    mutating func tryRules(_ text: String, _ request: SteeringRequest) {
        guard tries.begin(request) else { return refuse(request, "its host tries so many rules already") }
        orders.append(.tryRules(request.name, text))
    }

    mutating func rulesTried(_ tried: TriedRules, _ name: SteeringName) {
        guard let request = tries.end(name), steering.isGiven(name, in: request.session) else { return }
        carryOut(steering.changed(tried.change(name), of: request.session, at: now))
    }
}
