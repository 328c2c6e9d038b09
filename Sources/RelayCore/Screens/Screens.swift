import RelayModel
import RelayProtocol

/// Looks and keys that wait for a host's answer; only who waits for which answer is kept.
///
/// A client requests the next screen when it has the one before, so no screen is queued for a slow client, here or at the host.
struct Screens {
    private struct Asked {
        let peer: PeerID
        let host: HostKey
        /// The deadline on the steady clock, in nanoseconds.
        let until: Int64
    }

    private var asked: [CommandKey: Asked] = [:]
    private var looks: [ClientKey: TokenBucket] = [:]
    private var keys: [ClientKey: TokenBucket] = [:]

    /// Registers a call; returns the refusal if it must not be passed on, else nil.
    mutating func ask(
        _ call: ScreenCall, as name: CommandKey, of client: ClientKey, _ peer: PeerID, to host: HostKey, at now: Instant
    ) -> Reply? {
        let uptime = now.uptimeNanoseconds
        // Drops calls that have waited too long: their host is stuck.
        forget(until: uptime)
        guard asked[name] == nil else { return .failed(.tooMany, "this command waits for an answer already") }
        guard asked.values.count(where: { $0.peer == peer }) < Limits.screensOfClientMax,
            asked.values.count(where: { $0.host == host }) < Limits.screensOfHostMax
        else { return .failed(.tooMany, "too many look at the terminals of this host") }
        let isTaken =
            if case .look = call.wish { looks[client].takeOne(of: Limits.looks, at: uptime) } else {
                keys[client].takeOne(of: Limits.keys, at: uptime)
            }
        guard isTaken else { return .failed(.tooMany, "too many at once; send it again in a second") }
        asked[name] = Asked(peer: peer, host: host, until: uptime + Limits.screenWithin)
        return nil
    }

    /// The connection that waits for this answer; nil if there is none, or if another host was asked.
    mutating func answered(_ name: CommandKey, by host: HostKey) -> PeerID? {
        guard let entry = asked[name], entry.host == host else { return nil }
        asked[name] = nil
        return entry.peer
    }

    /// Removes and returns the host's unanswered calls, in the order of the connections.
    mutating func hostLeft(_ host: HostKey) -> [(peer: PeerID, command: CommandID)] {
        let lost = asked.filter { $0.value.host == host }
        for name in lost.keys { asked[name] = nil }
        return lost.map { ($0.value.peer, $0.key.command) }.sorted { ($0.0, $0.1.rawValue) < ($1.0, $1.1.rawValue) }
    }

    mutating func clientLeft(_ peer: PeerID) { asked = asked.filter { $0.value.peer != peer } }

    /// Removes buckets that are full again: they limit no more than none would.
    mutating func keepHouse(at now: Instant) {
        let now = now.uptimeNanoseconds
        looks = looks.filter { !$0.value.isFull(at: now) }
        keys = keys.filter { !$0.value.isFull(at: now) }
        forget(until: now)
    }

    private mutating func forget(until now: Int64) {
        guard asked.values.contains(where: { $0.until <= now }) else { return }
        asked = asked.filter { $0.value.until > now }
    }

    func count(of presence: Presence, into census: inout RelayCensus) {
        census.senders += looks.count + keys.count
        census.waiters += asked.count
        if asked.values.contains(where: { presence.clients[$0.peer] == nil }) {
            census.breach = "a screen is waited for by a connection that has gone"
        }
    }
}
