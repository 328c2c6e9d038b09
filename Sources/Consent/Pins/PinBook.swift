/// The devices that a host trusts, with their counts: what `devices.json` holds.
///
/// The process writes it to disk before it acts on a change: a count that is lost could be used again.
package struct PinBook: Sendable, Equatable {
    /// Phones, tablets, browsers and terminals of a few people.
    package static let devicesMax = 64
    /// Devices, plus distrusted keys, which keep their count: a key that is trusted again continues from it, so that none of its
    /// old prompts is taken again.
    package static let keysMax = 1_024
    /// Passkeys of one device: in its browser, in a phone, on a security key, and one to spare.
    package static let passkeysMax = 4
    /// Used secrets that are remembered: more than are ever valid at once.
    package static let usedSecretsMax = 64

    /// A key that is no longer trusted.
    struct Former: Equatable {
        let id: KeyID
        /// Verifies what the key signed while it was trusted. Nil if the file is older than this field.
        let sign: SigningPoint?
        /// Of its last pin; nil if the file is older than this field.
        let since: Int64?
        let count: Int64
        /// Verify earlier confirmations. A device that returns has to ask for its passkeys again.
        var passkeys: [Passkey] = []
    }

    /// A secret that a device has joined with.
    struct UsedSecret: Equatable {
        let name: ConsentHash
        let join: ConsentHash
    }

    package private(set) var generation: Generation
    /// The generation to be written to the key file.
    package private(set) var nextGeneration: Generation?
    /// The two files did not belong together once. A device that joins may have been here before, with a count that is lost, so it
    /// must say its count first.
    package private(set) var isRestored = false
    /// The devices, in the order in which they came.
    package private(set) var devices: [Pin] = []
    private(set) var former: [Former] = []
    /// The secrets, oldest first.
    private(set) var usedSecrets: [UsedSecret] = []

    package init(generation: Generation) { self.generation = generation }

    package subscript(id: KeyID) -> Pin? { devices.first { $0.id == id } }

    package func wasDistrusted(_ id: KeyID) -> Bool { former.contains { $0.id == id } }

    // MARK: Devices

    /// Adds or replaces the device, and returns its pin. The count never goes back, and only `resume` ends a suspension. Throws
    /// `full`.
    ///
    /// `forgetting`: the oldest key that was distrusted makes room. Its count is lost, so that from then on every device that comes says its own.
    @discardableResult
    package mutating func trust(_ pin: Pin, forgetting: Bool = false) throws(ConsentError) -> Pin {
        var pin = pin
        if let index = devices.firstIndex(where: { $0.id == pin.id }) {
            pin.count = max(pin.count, devices[index].count)
            (pin.passkeys, pin.askedPasskey) = (devices[index].passkeys, devices[index].askedPasskey)
            pin.isSuspended = devices[index].isSuspended
            devices[index] = pin
            return pin
        }
        let isFormer = wasDistrusted(pin.id)
        guard devices.count < Self.devicesMax else {
            throw ConsentError(.full, at: "devices", "a host trusts at most \(Self.devicesMax) devices")
        }
        if !isFormer, devices.count + former.count >= Self.keysMax {
            guard forgetting else {
                throw ConsentError(.full, at: "distrusted", "the host remembers \(Self.keysMax) keys, and can learn no other")
            }
            former.removeFirst()
            isRestored = true
        }
        pin.isSuspended = isRestored
        if let index = former.firstIndex(where: { $0.id == pin.id }) {
            let known = former.remove(at: index)
            pin.count = max(pin.count, known.count)
            // Later than before also if the clock was set back: `recall` tells the two pins apart by it.
            pin.since = known.since.map { max(pin.since, $0 + 1) } ?? pin.since
        }
        devices.append(pin)
        return pin
    }

    /// Returns the device that was trusted until now; nil if it was not. There is always room for its key.
    @discardableResult
    package mutating func distrust(_ id: KeyID) -> Pin? {
        guard let index = devices.firstIndex(where: { $0.id == id }) else { return nil }
        let pin = devices.remove(at: index)
        former.append(Former(id: id, sign: pin.sign, since: pin.since, count: pin.count, passkeys: pin.passkeys))
        return pin
    }

    /// Records the device's count. Returns false, and changes nothing, unless it is higher than all before.
    mutating func take(_ count: Int64, of id: KeyID) -> Bool {
        guard let index = devices.firstIndex(where: { $0.id == id }), count > devices[index].count else { return false }
        devices[index].count = count
        return true
    }

    // MARK: Passkeys

    mutating func ask(_ passkey: Passkey, of id: KeyID) {
        guard let index = devices.firstIndex(where: { $0.id == id }) else { preconditionFailure("a trusted device asks") }
        devices[index].askedPasskey = passkey
    }

    /// Accepts the passkey that the device has asked for; from here on it confirms what the device allows. Nil, and nothing
    /// changes, if there is none or no room.
    package mutating func takePasskey(of id: KeyID) -> Passkey? {
        guard let index = devices.firstIndex(where: { $0.id == id }), let asked = devices[index].askedPasskey,
            devices[index].passkeys.count < Self.passkeysMax
        else { return nil }
        devices[index].askedPasskey = nil
        devices[index].passkeys.append(asked)
        return asked
    }

    // MARK: Restored files

    /// Called at each start of the host: `keyFile` is the generation of the key file, `fresh` is random. If the two files do not
    /// belong together, one of them was restored: all devices are suspended, and false is returned.
    ///
    /// The order of writing keeps a crash in between from suspending devices: this book; the key file with `nextGeneration`; this
    /// book after `began()`.
    package mutating func begin(keyFile: Generation, fresh: Generation) -> Bool {
        let belongsTogether = keyFile == generation || keyFile == nextGeneration
        if !belongsTogether {
            isRestored = true
            for index in devices.indices { devices[index].isSuspended = true }
        }
        generation = keyFile
        nextGeneration = fresh
        return belongsTogether
    }

    /// Called when the key file has `nextGeneration`.
    package mutating func began() {
        guard let next = nextGeneration else { return }
        generation = next
        nextGeneration = nil
    }

    /// Compares the book with what the host has noted beside it. If the book is older, it was restored: the counts and the distrust
    /// are kept, and all devices are suspended. Returns true in that case.
    ///
    /// A note is written after the book, so it may also be the older of the two.
    package mutating func recall(_ notes: [KeyID: PinNote]) -> Bool {
        var isOlder = false
        for (id, note) in notes {
            guard let index = devices.firstIndex(where: { $0.id == id }) else { continue }
            switch note {
            case .count(let count):
                guard count > devices[index].count else { continue }
                devices[index].count = count
            case .distrusted(let since):
                // The device has been trusted again since.
                if let since, devices[index].since > since { continue }
                distrust(id)
            }
            isOlder = true
        }
        guard isOlder else { return false }
        isRestored = true
        for index in devices.indices { devices[index].isSuspended = true }
        return true
    }

    /// The device has said its count to this generation: everything that it sent before is void, and it is trusted again.
    mutating func resume(_ id: KeyID, count: Int64) -> Bool {
        guard let index = devices.firstIndex(where: { $0.id == id }), count >= devices[index].count else { return false }
        devices[index].count = count
        devices[index].isSuspended = false
        return true
    }

    // MARK: Used secrets

    /// The join that used the secret; nil if none did.
    func join(thatUsed name: ConsentHash) -> ConsentHash? { usedSecrets.last { $0.name == name }?.join }

    mutating func use(_ name: ConsentHash, join: ConsentHash) {
        usedSecrets.append(UsedSecret(name: name, join: join))
        if usedSecrets.count > Self.usedSecretsMax { usedSecrets.removeFirst() }
    }

    /// Only for `PinBook+File`, which has checked all values.
    init(
        generation: Generation, next: Generation?, isRestored: Bool, devices: [Pin], former: [Former],
        usedSecrets: [UsedSecret]
    ) {
        self.generation = generation
        self.isRestored = isRestored
        nextGeneration = next
        self.devices = devices
        self.former = former
        self.usedSecrets = usedSecrets
    }
}
