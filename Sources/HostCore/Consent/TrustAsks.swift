internal import Consent
internal import RelayProtocol

/// The devices that asked which devices are trusted, and are told again when others are. Lives as long as the process: a client that sees its
/// host come back asks anew.
struct TrustAsks {
    struct Ask {
        let ask: ConsentHash
        let device: KeyID
        let client: ClientID
    }

    /// Oldest first.
    private(set) var all: [Ask] = []

    /// One that came before counts as the latest.
    mutating func add(_ ask: ConsentHash, by device: KeyID, of client: ClientID, _ limits: ConsentLimits) {
        all.removeAll { $0.ask == ask }
        let own = all.filter { $0.client == client }
        if own.count >= limits.asksOfClientMax, let oldest = own.first { all.removeAll { $0.ask == oldest.ask } }
        if all.count >= limits.asksMax { all.removeFirst() }
        all.append(Ask(ask: ask, device: device, client: client))
    }
}
