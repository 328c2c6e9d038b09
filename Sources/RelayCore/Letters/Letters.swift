import RelayModel
import RelayProtocol

/// The routes of letters: which connected host claims which keys, which connections a client has, and how much each may send and
/// receive.
///
/// Letters are not stored. The relay verifies no claim: if two hosts claim the same keys, both get the letters, so that neither can
/// intercept them, and the one with the keys can answer.
struct Letters {
    private struct Address: Hashable {
        let workspace: WorkspaceID
        let key: HostKeyID
    }

    /// The key of each connected host that has one.
    private var keys: [HostKey: HostKeyID] = [:]
    private var holders: [Address: Set<HostKey>] = [:]
    /// The connections of each client that may decide.
    private var connections: [ClientKey: Set<PeerID>] = [:]
    /// Rate limits of clients that have sent letters lately.
    private var ofClients: [ClientKey: TokenBucket] = [:]
    private var toHosts: [HostKey: TokenBucket] = [:]
    private var toClients: [ClientKey: TokenBucket] = [:]
    private var ofHosts: [HostKey: TokenBucket] = [:]

    // MARK: - Who is there

    /// Replaces the keys that the host's previous `hello` claimed.
    mutating func hostSaidHello(_ host: HostKey, key: HostKeyID?) {
        hostLeft(host)
        guard let key else { return }
        keys[host] = key
        holders[Address(workspace: host.workspace, key: key), default: []].insert(host)
    }

    mutating func hostLeft(_ host: HostKey) {
        guard let key = keys.removeValue(forKey: host) else { return }
        let address = Address(workspace: host.workspace, key: key)
        holders[address]?.remove(host)
        if holders[address]?.isEmpty == true { holders[address] = nil }
    }

    mutating func clientSaidHello(_ client: ClientKey, _ peer: PeerID) { connections[client, default: []].insert(peer) }

    mutating func clientLeft(_ client: ClientKey, _ peer: PeerID) {
        connections[client]?.remove(peer)
        if connections[client]?.isEmpty == true { connections[client] = nil }
    }

    // MARK: - Letters

    enum Sending<Receiver> {
        /// Send to these, in the order of their names.
        case to([Receiver])
        case refused(ErrorCode, String)

        fileprivate static var tooMany: Self { .refused(.tooMany, "too many letters; send it again in some seconds") }
    }

    mutating func send(to key: HostKeyID, by client: ClientKey, at now: Instant) -> Sending<HostKey> {
        guard ofClients[client].takeOne(of: Limits.letters, at: now.uptimeNanoseconds) else { return .tooMany }
        let claimants = holders[Address(workspace: client.workspace, key: key)] ?? []
        guard !claimants.isEmpty else { return .refused(.unavailable, "no host with these keys is there") }
        var ready: [HostKey] = []
        for host in claimants.sorted(by: { $0.host.rawValue < $1.host.rawValue })
        where toHosts[host].takeOne(of: Limits.lettersOfHost, at: now.uptimeNanoseconds) {
            ready.append(host)
        }
        return ready.isEmpty ? .refused(.tooMany, "too many letters for this host; send it again in some seconds") : .to(ready)
    }

    mutating func send(to other: ClientID, by client: ClientKey, at now: Instant) -> Sending<PeerID> {
        guard ofClients[client].takeOne(of: Limits.letters, at: now.uptimeNanoseconds) else { return .tooMany }
        let receiver = ClientKey(workspace: client.workspace, client: other)
        guard let peers = connections[receiver] else { return .refused(.unavailable, "no such client is there") }
        guard toClients[receiver].takeOne(of: Limits.lettersOfHost, at: now.uptimeNanoseconds) else { return .tooMany }
        return .to(peers.sorted())
    }

    /// Returns the host's keys and the client's connections; nil if nobody gets the letter.
    mutating func send(to client: ClientID, by host: HostKey, at now: Instant) -> (key: HostKeyID, peers: [PeerID])? {
        guard let key = keys[host], ofHosts[host].takeOne(of: Limits.lettersOfHost, at: now.uptimeNanoseconds) else {
            return nil
        }
        guard let peers = connections[ClientKey(workspace: host.workspace, client: client)] else { return nil }
        return (key, peers.sorted())
    }

    /// Removes buckets that are full again: they limit no more than none would.
    mutating func keepHouse(at now: Instant) {
        let now = now.uptimeNanoseconds
        ofClients = ofClients.filter { !$0.value.isFull(at: now) }
        toHosts = toHosts.filter { !$0.value.isFull(at: now) }
        toClients = toClients.filter { !$0.value.isFull(at: now) }
        ofHosts = ofHosts.filter { !$0.value.isFull(at: now) }
    }

    func count(of presence: Presence, into census: inout RelayCensus) {
        census.senders = ofClients.count + toHosts.count + toClients.count + ofHosts.count
        if !Set(keys.keys).isSubset(of: presence.speakers.keys) { census.breach = "keys are kept of a host that has gone" }
        let addressed = holders.reduce(into: [HostKey: HostKeyID]()) { all, entry in
            for host in entry.value { all[host] = entry.key.key }
        }
        if addressed != keys || holders.values.contains(where: \.isEmpty) {
            census.breach = "letters would go to another host than the one that has the keys"
        }
        for (client, peers) in connections where peers.isEmpty || peers.contains(where: { presence.clients[$0]?.key != client })
        {
            census.breach = "letters would go to a connection that is not the client's"
        }
    }
}
