package import Consent
package import RelayProtocol

/// The epoch keys that hosts gave this device. Kept in memory only: each host offers them as long as it trusts the device.
package struct EpochKeys {
    /// The device's own keys, and the hosts that it has joined, read anew on each call; nil if there are none.
    package typealias Trusted = () -> (identity: ConsentIdentity?, hosts: [HostPin])?

    private struct Place: Hashable {
        let host: KeyID
        let session: SessionID
        let epoch: EpochNumber
    }

    private let crypto: ConsentCrypto
    private let trusted: Trusted
    /// Records that a host seals: its key, the relay's name of it, and the newest epoch of which this device has the key.
    package typealias Remember = (KeyID, String, EpochNumber) -> Void

    private let remember: Remember
    /// The highest epoch seen of each host, with a key or not.
    private var seen: [KeyID: EpochNumber] = [:]
    /// Epochs that came so long ago that nothing older is under way any more; and those that will have, in their order.
    private var settled: [KeyID: EpochNumber] = [:]
    private var settling: [KeyID: [(epoch: EpochNumber, since: Int64)]] = [:]
    /// Each change of trust begins an epoch. One beyond these counts from when there is room.
    private static let settlingMax = 64
    /// The hosts' offers of keys to all devices.
    package private(set) var offers: [KeyID: [KeyWrap]] = [:]
    private var keys: [KeyID: [EpochNumber: EpochKey]] = [:]
    private var seals: [Place: SessionSeal] = [:]

    init(_ crypto: ConsentCrypto, _ trusted: @escaping Trusted, remembering remember: @escaping Remember) {
        (self.crypto, self.trusted, self.remember) = (crypto, trusted, remember)
        for pin in trusted()?.hosts ?? [] { (seen[pin.id], settled[pin.id]) = (pin.epoch, pin.epoch) }
    }

    /// The hosts that were seen to seal.
    var sealing: [HostPin] { trusted()?.hosts.filter { $0.sealsAs != nil } ?? [] }

    mutating func saw(_ epoch: EpochNumber, of host: KeyID) { seen[host] = max(seen[host] ?? 0, epoch) }

    /// `name` is the relay's name of the host. Returns true if something can be opened that could not before.
    mutating func take(_ wraps: [KeyWrap], of host: KeyID, called name: String) -> Bool {
        guard offers[host] != wraps else { return false }
        offers[host] = wraps
        for wrap in wraps { saw(EpochNumber(wrap.epoch), of: host) }
        guard let known = trusted(), let identity = known.identity, let pin = known.hosts.first(where: { $0.id == host }),
            let key = WrapKey(of: identity, with: pin, crypto)
        else { return false }
        let before = keys[host]?.count ?? 0
        for wrap in wraps where wrap.device.rawValue == identity.id.text {
            let epoch = EpochNumber(wrap.epoch)
            guard keys[host]?[epoch] == nil, let bytes = Base64URL.bytes(wrap.wrap),
                let opened = try? key.open(bytes, of: epoch)
            else { continue }
            keys[host, default: [:]][epoch] = opened
        }
        if let newest = keys[host]?.keys.max(), pin.sealsAs != name || newest > pin.epoch ?? 0 { remember(host, name, newest) }
        return keys[host]?.count ?? 0 > before
    }

    package func isPinned(_ host: KeyID) -> Bool { trusted()?.hosts.contains { $0.id == host } == true }

    package func canOpen(_ host: KeyID) -> Bool { keys[host] != nil }

    /// The newest epoch of the host that was known before `since`, with or without its key: what was sealed with an older one has arrived.
    mutating func settled(of host: KeyID, since: Int64, at now: Int64) -> EpochNumber {
        guard let newest = seen[host] else { return 0 }
        // Nothing was read before the first epoch that is seen.
        var known = settled[host] ?? newest
        var next = settling[host] ?? []
        while let first = next.first, first.since <= since {
            known = first.epoch
            next.removeFirst()
        }
        if newest > next.last?.epoch ?? known, next.count < Self.settlingMax { next.append((newest, now)) }
        (settled[host], settling[host]) = (known, next)
        return known
    }

    /// The newest epoch of the host that this device knows of, whether it has the key or not.
    func newest(of host: KeyID) -> EpochNumber? { seen[host] }

    /// The epoch to seal with; nil if the key of the newest is missing.
    func current(of host: KeyID) -> EpochNumber? { keys[host]?.keys.max().flatMap { $0 >= seen[host] ?? 0 ? $0 : nil } }

    /// The names that stand for this one, the newest first.
    func aliases(of name: String, _ host: KeyID) -> [String] {
        (keys[host] ?? [:]).sorted { $0.key > $1.key }.map { AliasKey(of: host, $0.value, crypto).alias(of: name) }
    }

    mutating func seal(of session: SessionID, _ host: KeyID, _ epoch: EpochNumber) -> SessionSeal? {
        let place = Place(host: host, session: session, epoch: epoch)
        if let known = seals[place] { return known }
        guard let key = keys[host]?[epoch] else { return nil }
        let seal = SessionSeal(of: session, host: host, key, epoch: epoch, crypto)
        seals[place] = seal
        return seal
    }
}
