import RelayProtocol

extension Relay {
    mutating func runPushCommand(
        _ command: ClientCommand, _ id: CommandID, of client: ClientPeer, _ peer: PeerID, at now: Instant
    ) {
        reply(.failed(.unsupported, "pushes are being built"), to: id, of: peer)
    }

    mutating func pushAnswered(_ push: PushID, _ outcome: PushOutcome, at now: Instant) {}

    mutating func codePresented(
        _ push: PushID, _ verdict: Decision.Verdict, _ command: CommandID, _ peer: PeerID, at now: Instant
    ) {
        reply(.failed(.unsupported, "pushes are being built"), to: command, of: peer)
    }
}
