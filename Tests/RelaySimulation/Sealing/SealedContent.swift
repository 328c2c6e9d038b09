import Consent
import RelayProtocol

/// The content that one host ever sealed, opened with its keys, which only the simulation has.
struct SealedContent {
    /// An event as its host sealed it.
    struct Opened: Equatable {
        let number: Int64
        let epoch: EpochNumber
        /// The event as an open host would have sent it.
        let plain: [UInt8]
    }

    private struct Place: Hashable {
        let session: SessionID
        let key: EpochKey
    }

    let host: KeyID
    /// Keys by epoch. A host that reuses a number has several.
    private var keys: [EpochNumber: [EpochKey]] = [:]
    private var seals: [Place: SessionSeal] = [:]

    init(of host: KeyID) { self.host = host }

    /// Called when the key goes to disk: from then on the host may use it.
    mutating func learn(_ key: EpochKey, of epoch: EpochNumber) {
        if keys[epoch]?.contains(key) != true { keys[epoch, default: []].append(key) }
    }

    func key(of epoch: EpochNumber) -> EpochKey? { keys[epoch]?.last }

    /// The highest epoch below this one.
    func epoch(before epoch: EpochNumber) -> EpochNumber? { keys.keys.filter { $0 < epoch }.max() }

    mutating func seal(of session: SessionID, _ epoch: EpochNumber, _ key: EpochKey) -> SessionSeal {
        let place = Place(session: session, key: key)
        if let known = seals[place] { return known }
        let seal = SessionSeal(of: session, host: host, key, epoch: epoch, .simulated)
        seals[place] = seal
        return seal
    }

    /// Opens an event; nil if it is not sealed for this place by one of the host's keys.
    mutating func open(_ event: Event, in session: SessionID) -> Opened? {
        guard let text = event.sealed, let sealed = try? Sealed(text: text, as: .numbered) else { return nil }
        for key in keys[sealed.epoch] ?? [] {
            guard
                let plain = try? seal(of: session, sealed.epoch, key).open(sealed, as: .event(kind: event.head.kind))
            else { continue }
            return Opened(number: sealed.number, epoch: sealed.epoch, plain: plain)
        }
        return nil
    }
}

extension Event {
    /// The sealed text in its body; nil if there is none.
    var sealed: String? { try? JSONDocument(parsing: bytes).root.optional("body")?.optionalString("sealed") }
}
