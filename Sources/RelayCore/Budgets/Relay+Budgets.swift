import RelayProtocol

extension Relay {
    mutating func setBudget(
        _ budget: Budget, _ id: CommandID, of client: ClientPeer, _ peer: PeerID, at now: Instant
    ) {
        reply(.failed(.unsupported, "budgets are being built"), to: id, of: peer)
    }

    mutating func listBudgets(_ id: CommandID, of client: ClientPeer, _ peer: PeerID, at now: Instant) {
        reply(.failed(.unsupported, "budgets are being built"), to: id, of: peer)
    }
}
