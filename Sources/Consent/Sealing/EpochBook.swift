internal import RelayProtocol

/// A host's keys by epoch, and the first epoch of which each device may have the key.
///
/// ```
/// {"version":1,"epochs":[{"epoch","key"}],"devices":[{"id","from"}]}
/// ```
/// The process writes it with mode 0600 before anything is sealed that needs it: what nobody can open any more is lost to everybody.
package struct EpochBook: Sendable, Equatable {
    /// Epochs that the book keeps: more than one for each device that is ever distrusted. Beyond it the oldest key is forgotten.
    package static let epochsMax = 1_024
    /// Size of a file with everything that it may hold.
    package static let fileBytesMax = 128 << 10
    private static let version: Int64 = 1

    struct Epoch: Sendable, Equatable {
        let number: EpochNumber
        let key: EpochKey
    }

    struct Reader: Sendable, Equatable {
        let device: KeyID
        let from: EpochNumber
    }

    /// The epochs, oldest first. There are gaps if an earlier book was lost.
    private(set) var epochs: [Epoch] = []
    private(set) var readers: [Reader] = []

    package init() {}

    /// The key in use; nil before the first.
    package var current: (number: EpochNumber, key: EpochKey)? { epochs.last.map { ($0.number, $0.key) } }
    package var devices: [KeyID] { readers.map(\.device) }

    package func key(of epoch: EpochNumber) -> EpochKey? { epochs.last { $0.number == epoch }?.key }

    /// The first epoch of which the device may have the key; nil if it may have none.
    package func first(of device: KeyID) -> EpochNumber? { readers.first { $0.device == device }?.from }

    /// The device's keys, newest first.
    package func keys(of device: KeyID) -> [(number: EpochNumber, key: EpochKey)] {
        guard let from = first(of: device) else { return [] }
        return epochs.reversed().prefix { $0.number >= from }.map { ($0.number, $0.key) }
    }

    /// Begins a new epoch. `floor` is the last number that a lost book may have used.
    package mutating func begin(_ key: EpochKey, after floor: EpochNumber = 0) {
        let last = epochs.last?.number ?? 0
        precondition(max(last, floor) < .max, "a host has fewer epochs than devices could go in a thousand years")
        epochs.append(Epoch(number: max(last, floor) + 1, key: key))
        if epochs.count > Self.epochsMax { epochs.removeFirst() }
    }

    /// Allows the device the keys from this epoch on. A device that is allowed earlier ones keeps them.
    package mutating func admit(_ device: KeyID, from epoch: EpochNumber) {
        guard !readers.contains(where: { $0.device == device }) else { return }
        precondition(readers.count < PinBook.devicesMax, "readers are devices that the host trusts")
        readers.append(Reader(device: device, from: epoch))
    }

    package mutating func exclude(_ device: KeyID) { readers.removeAll { $0.device == device } }

    // MARK: File

    /// The error names the place of the fault, and never a key.
    package init(parsing bytes: [UInt8]) throws(ConsentError) {
        let file = try JSONValue.file(bytes, bytesMax: Self.fileBytesMax, version: Self.version)
        do throws(WireError) {
            for entry in try file.array("epochs", countMax: Self.epochsMax) {
                let number = EpochNumber(try entry.object().integer("epoch", in: 1...Int64(EpochNumber.max)))
                guard number > epochs.last?.number ?? 0 else {
                    throw WireError(.badValue, at: entry.path + ".epoch", "epochs are in their order")
                }
                epochs.append(Epoch(number: number, key: try entry.fixed("key")))
            }
            for entry in try file.array("devices", countMax: PinBook.devicesMax) {
                let device: KeyID = try entry.object().fixed("id")
                guard !devices.contains(device) else {
                    throw WireError(.badValue, at: entry.path, "the device is there twice")
                }
                let from = EpochNumber(try entry.integer("from", in: 1...Int64(EpochNumber.max)))
                readers.append(Reader(device: device, from: from))
            }
        } catch { throw ConsentError(error) }
    }

    /// The file. Secret.
    package var bytes: [UInt8] {
        JSONWriter.object { file in
            file.field("version", Self.version)
            file.array(
                "epochs",
                epochs.map { epoch in
                    JSONWriter.object {
                        $0.field("epoch", Int64(epoch.number))
                        $0.field("key", epoch.key.text)
                    }
                })
            file.array(
                "devices",
                readers.map { reader in
                    JSONWriter.object {
                        $0.field("id", reader.device.text)
                        $0.field("from", Int64(reader.from))
                    }
                })
        }
    }
}
