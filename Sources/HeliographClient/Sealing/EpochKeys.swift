internal import Consent
internal import ConsentKeys
internal import RelayProtocol

/// The keys of hosts' epochs that this terminal was given. In memory only: each host offers them as long as it trusts the terminal.
struct EpochKeys {
    /// The terminal's own keys, and the hosts that it has joined, as its files say now; nil if there are none.
    typealias Trusted = () -> (identity: ConsentIdentity, hosts: [HostPin])?

    private struct Place: Hashable {
        let host: KeyID
        let session: SessionID
        let epoch: EpochNumber
    }

    private let trusted: Trusted
    private var offers: [KeyID: [KeyWrap]] = [:]
    private var keys: [KeyID: [EpochNumber: EpochKey]] = [:]
    private var seals: [Place: SessionSeal] = [:]

    init(_ trusted: @escaping Trusted) { self.trusted = trusted }

    /// Returns true if something can be opened that could not before.
    mutating func take(_ wraps: [KeyWrap], of host: KeyID) -> Bool {
        guard offers[host] != wraps else { return false }
        offers[host] = wraps
        guard let (identity, hosts) = trusted(), let pin = hosts.first(where: { $0.id == host }),
            let key = WrapKey(of: identity, with: pin, .openSSL)
        else { return false }
        let before = keys[host]?.count ?? 0
        for wrap in wraps where wrap.device.rawValue == identity.id.text {
            let epoch = EpochNumber(wrap.epoch)
            guard keys[host]?[epoch] == nil, let bytes = Base64URL.bytes(wrap.wrap),
                let opened = try? key.open(bytes, of: epoch)
            else { continue }
            keys[host, default: [:]][epoch] = opened
        }
        return keys[host]?.count ?? 0 > before
    }

    func isPinned(_ host: KeyID) -> Bool { trusted()?.hosts.contains { $0.id == host } == true }

    func canOpen(_ host: KeyID) -> Bool { keys[host] != nil }

    /// The newest epoch of the host that this terminal knows of, whether it has the key or not.
    func newest(of host: KeyID) -> EpochNumber? { offers[host]?.map { EpochNumber($0.epoch) }.max() }

    /// The newest epoch of which there is a key, to seal with.
    func current(of host: KeyID) -> EpochNumber? { keys[host]?.keys.max() }

    mutating func seal(of session: SessionID, _ host: KeyID, _ epoch: EpochNumber) -> SessionSeal? {
        let place = Place(host: host, session: session, epoch: epoch)
        if let known = seals[place] { return known }
        guard let key = keys[host]?[epoch] else { return nil }
        let seal = SessionSeal(of: session, host: host, key, epoch: epoch, .openSSL)
        seals[place] = seal
        return seal
    }
}
