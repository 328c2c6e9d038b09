internal import Consent
internal import RelayProtocol

/// The devices that asked for the list of trusted devices, and get it again when it changes. Lives as long as the process: a client
/// that sees its host come back asks anew.
struct TrustAsks {
    struct Ask {
        let ask: ConsentHash
        let device: KeyID
        let client: ClientID
    }

    /// The requests, oldest first.
    private(set) var all: [Ask] = []

    /// Adds a request. One that is known already becomes the latest.
    mutating func add(_ ask: ConsentHash, by device: KeyID, of client: ClientID, _ limits: ConsentLimits) {
        all.removeAll { $0.ask == ask }
        let own = all.filter { $0.client == client }
        if own.count >= limits.asksOfClientMax, let oldest = own.first { all.removeAll { $0.ask == oldest.ask } }
        if all.count >= limits.asksMax { all.removeFirst() }
        all.append(Ask(ask: ask, device: device, client: client))
    }
}
