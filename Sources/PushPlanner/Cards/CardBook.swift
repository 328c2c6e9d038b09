import RelayModel
import RelayProtocol

/// The cards of every device, with an index of the approvals that rang there: it is read at each ring, and there may be a thousand
/// cards.
struct CardBook {
    private(set) var all: [CardKey: Card] = [:]
    private var rung: [DeviceKey: Rung] = [:]

    /// Approvals that rang on one device, by session.
    struct Rung: Equatable {
        /// Approvals with a notification of their own.
        fileprivate(set) var shown: [SessionID: Set<ApprovalID>] = [:]
        /// Approvals in the one notification that counts the others.
        fileprivate(set) var counted: [SessionID: Set<ApprovalID>] = [:]

        fileprivate var isEmpty: Bool { shown.isEmpty && counted.isEmpty }

        fileprivate mutating func note(_ card: Card?, of session: SessionID) {
            let rung = card?.rung ?? []
            let counted = rung.filter { card?.isCounted($0) == true }
            let shown = rung.subtracting(counted)
            self.shown[session] = shown.isEmpty ? nil : shown
            self.counted[session] = counted.isEmpty ? nil : counted
        }
    }

    subscript(key: CardKey) -> Card? {
        get { all[key] }
        _modify {
            defer { note(key) }
            yield &all[key]
        }
    }

    var keys: Dictionary<CardKey, Card>.Keys { all.keys }
    var values: Dictionary<CardKey, Card>.Values { all.values }
    var count: Int { all.count }

    func rung(on device: DeviceKey) -> Rung { rung[device] ?? Rung() }

    mutating func remove(_ key: CardKey) -> Card? {
        defer { note(key) }
        return all.removeValue(forKey: key)
    }

    private mutating func note(_ key: CardKey) {
        guard let session = key.session, all[key]?.hasOtherRung ?? (rung[key.device] != nil) else { return }
        all[key]?.hasOtherRung = false
        rung[key.device, default: Rung()].note(all[key], of: session)
        if rung[key.device]?.isEmpty == true { rung[key.device] = nil }
    }

    /// For checks: true if the index is what a scan of every card would give.
    var isConsistent: Bool {
        var found: [DeviceKey: Rung] = [:]
        for (key, card) in all where !card.rung.isEmpty {
            if let session = key.session { found[key.device, default: Rung()].note(card, of: session) }
        }
        return found == rung
    }
}
