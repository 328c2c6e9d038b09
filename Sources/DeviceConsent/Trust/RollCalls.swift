package import Consent

/// The list of trusted devices, as each host states it: a host that is present is asked once, and sends the list again when it
/// changes. A device that has joined since is new until a person has read of it.
package struct RollCalls: Sendable {
    /// Requests to one host. A host that is present answers the first, but a letter may get lost.
    static let triesMax = 6

    private struct Call: Sendable {
        let ask: Ask
        var tries = 0
        var isAnswered = false
        var roll: Roll?
    }

    private let crypto: ConsentCrypto
    private var calls: [KeyID: Call] = [:]
    /// Devices that a person has read of, by host. The caller stores them.
    package private(set) var known: [KeyID: Set<KeyID>]

    package init(known: [KeyID: Set<KeyID>], _ crypto: ConsentCrypto) { (self.known, self.crypto) = (known, crypto) }

    /// To be called on another connection or for other hosts: a host that was restarted does not remember who asked. Returns true
    /// if a host is to be asked.
    package mutating func met(_ hosts: Set<KeyID>, isNewConnection: Bool, by device: KeyID, nonce: () -> Nonce) -> Bool {
        guard isNewConnection || hosts != Set(calls.keys) else { return false }
        for host in calls.keys where isNewConnection || !hosts.contains(host) {
            // The last list stays visible until the next arrives.
            if hosts.contains(host) {
                calls[host] = Call(ask: Ask(host: host, nonce: nonce(), device: device), roll: calls[host]?.roll)
            } else {
                calls[host] = nil
            }
        }
        for host in hosts where calls[host] == nil {
            calls[host] = Call(ask: Ask(host: host, nonce: nonce(), device: device))
        }
        return !calls.isEmpty
    }

    /// The letters to send now.
    package mutating func due() -> [Ask] {
        var due: [Ask] = []
        for (host, call) in calls where !call.isAnswered && call.tries < Self.triesMax {
            calls[host]?.tries += 1
            due.append(call.ask)
        }
        return due.sorted { $0.host.text < $1.host.text }
    }

    /// Returns true if it was an answer. `known` may have changed then.
    package mutating func received(_ bytes: [UInt8], by host: KeyID, to device: KeyID) -> Bool {
        guard let call = calls[host], let roll = try? LetterAnswer.roll(bytes, to: call.ask, by: host, crypto) else {
            return false
        }
        calls[host]?.roll = roll
        calls[host]?.isAnswered = true
        // Known are this device and those that joined before it; a late list announces the others.
        if known[host] == nil {
            let own = roll.entries.firstIndex { $0.id == device } ?? 0
            known[host] = Set(roll.entries[own...].map(\.id))
        }
        return true
    }

    package func roll(of host: KeyID) -> Roll? { calls[host]?.roll }

    package func isNew(_ device: KeyID, at host: KeyID) -> Bool { known[host]?.contains(device) == false }

    package mutating func read(_ device: KeyID, at host: KeyID) { known[host]?.insert(device) }

    package mutating func forget(_ host: KeyID) { (calls[host], known[host]) = (nil, nil) }
}
