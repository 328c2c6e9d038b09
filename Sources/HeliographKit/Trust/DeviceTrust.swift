package import Consent
internal import DeviceConsent
internal import Foundation
public import LiveActivityKit
internal import RelayProtocol

/// This device's keys, with which `RelayClient` signs and opens, and the hosts that trust it. An app has one, which its
/// notification service reads, too.
///
/// Only the app changes it. An unreadable record is never treated as empty: words for a host that seals would then be sent
/// unsealed.
public final class DeviceTrust: Sendable {
    private struct Read {
        var identity: ConsentIdentity?
        var book: HostBook
    }

    package let crypto: ConsentCrypto
    private let vault: any TrustVault
    private let kept = Locked<Read?>(nil)

    package init(_ vault: any TrustVault, _ crypto: ConsentCrypto) { (self.vault, self.crypto) = (vault, crypto) }

    /// The code that a host's terminal, or the other device, shows as well: `XXXX-XXXX-XXXX-XXXX`. Nil before a host was asked for its trust.
    public func code() throws(LiveActivityError) -> String? { try read().identity?.id.shortCode }

    /// The same code, with keys made now if there are none: a person compares it with another device's screen.
    public func codeToJoin() throws(LiveActivityError) -> String { try identityToJoin().id.shortCode }

    /// The hosts that trusted this device when they were last asked.
    public func hosts() throws(LiveActivityError) -> [TrustedHost] { try read().book.hosts.map(TrustedHost.init) }

    /// Removes this device's record of the host. The host's trust in this device ends at its terminal only.
    public func forget(_ host: TrustedHost) throws(LiveActivityError) {
        guard let id = KeyID(text: host.id) else { return }
        try change { book throws(LiveActivityError) in book.forget(id) }
    }

    /// Called after signing out. The next host is asked with new keys.
    public func removeAll() throws(LiveActivityError) {
        try kept.withLock { known throws(LiveActivityError) in
            known = nil
            try vault.removeAll()
        }
    }

    // MARK: Keys

    func identity() throws(LiveActivityError) -> ConsentIdentity? { try read().identity }

    func identityToJoin() throws(LiveActivityError) -> ConsentIdentity {
        try kept.withLock { known throws(LiveActivityError) in
            if let identity = try now(&known).identity { return identity }
            let made = try vault.makeIdentity()
            known = nil
            return made
        }
    }

    /// The count for the next command or letter. It is stored before it is returned, so that no two get the same.
    func nextCount() throws(LiveActivityError) -> Int64 {
        try change { book throws(LiveActivityError) in book.nextCount() }
    }

    // MARK: Hosts

    func book() throws(LiveActivityError) -> HostBook { try read().book }

    func pin(_ host: HostPin) throws(LiveActivityError) {
        try change { book throws(LiveActivityError) in
            do throws(ConsentError) { try book.pin(host) } catch { throw LiveActivityError(.refused, error.message) }
        }
    }

    func remember(_ host: KeyID, sealsAs name: String, in epoch: EpochNumber) throws(LiveActivityError) {
        try change { book throws(LiveActivityError) in book.seals(host, as: name, in: epoch) }
    }

    func keptWraps() throws(LiveActivityError) -> KeptWraps {
        guard let data = try vault.read(.wraps) else { return KeptWraps() }
        return try parsed { () throws(ConsentError) in try KeptWraps(parsing: [UInt8](data)) }
    }

    func keep(_ wraps: KeptWraps) throws(LiveActivityError) { try vault.write(Data(wraps.bytes), .wraps) }

    func knownDevices() throws(LiveActivityError) -> KnownDevices {
        guard let data = try vault.read(.known) else { return KnownDevices() }
        return try parsed { () throws(ConsentError) in try KnownDevices(parsing: [UInt8](data)) }
    }

    func keep(_ known: KnownDevices) throws(LiveActivityError) { try vault.write(Data(known.bytes), .known) }

    // MARK: Reading

    private func read() throws(LiveActivityError) -> Read {
        try kept.withLock { known throws(LiveActivityError) in try now(&known) }
    }

    private func now(_ known: inout Read?) throws(LiveActivityError) -> Read {
        if let known { return known }
        var book = HostBook()
        if let data = try vault.read(.hosts) {
            let crypto = crypto
            book = try parsed { () throws(ConsentError) in try HostBook(parsing: [UInt8](data), crypto) }
        }
        let read = Read(identity: try vault.identity(), book: book)
        known = read
        return read
    }

    private func change<Result>(
        _ body: (inout HostBook) throws(LiveActivityError) -> Result
    ) throws(LiveActivityError) -> Result {
        try kept.withLock { known throws(LiveActivityError) in
            var now = try now(&known)
            let result = try body(&now.book)
            try vault.write(Data(now.book.bytes), .hosts)
            known = now
            return result
        }
    }

    private func parsed<Value>(_ body: () throws(ConsentError) -> Value) throws(LiveActivityError) -> Value {
        do throws(ConsentError) { return try body() } catch {
            throw LiveActivityError(.storage, "what this device keeps of its hosts cannot be read: \(error)")
        }
    }
}

extension TrustedHost {
    init(_ pin: HostPin) {
        self.init(
            id: pin.id.text, name: VisibleText.line(pin.name), since: Date(milliseconds: pin.since), seals: pin.sealsAs != nil)
    }
}

extension FixedBytes {
    /// Unpredictable, by the system's generator.
    static func fresh() -> FixedBytes {
        var generator = SystemRandomNumberGenerator()
        guard let value = FixedBytes((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }) else {
            preconditionFailure("points are not made at random")
        }
        return value
    }
}
