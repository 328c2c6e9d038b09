import Consent
import HostCore

/// The file of one host's pins, which outlives its daemon.
final class SimulatedPins: ConsentDisk {
    private unowned let world: World
    private unowned let host: HostProcess
    /// The content of the file.
    private(set) var book: PinBook
    /// The content as the daemon believes it to be; it differs if the disk reported an error but wrote the file.
    private(set) var known: PinBook
    /// The content of the file of keys; nil for a host that does not seal.
    var epochs: EpochBook?
    /// Earlier contents of the file of keys.
    private var earlierEpochs: [EpochBook] = []
    private static let earlierMax = 4
    private var keyFile: Generation
    private var starts = 0

    init(_ book: PinBook, of host: HostProcess, in world: World) {
        self.world = world
        self.host = host
        self.book = book
        known = book
        keyFile = book.generation
    }

    /// Opens the files at a start of the daemon, with writes in the order of `ConsentFiles`.
    func open() -> PinBook {
        starts += 1
        let fresh: Generation = SimulatedKeys.fixed("\(host.name) \(starts)")
        _ = book.begin(keyFile: keyFile, fresh: fresh)
        keyFile = fresh
        book.began()
        if world.plant == .forgottenCount { book = book.forgettingCounts }
        known = book
        world.consent?.vouching?.saved(book, of: host.index)
        world.sealing?.devicesChanged(at: host.index)
        return book
    }

    /// Opens the file of keys at a start of the daemon. `notes` are those in its spool.
    func openEpochs(_ notes: [String: [UInt8]]) -> EpochBook? {
        let current = epochs?.current?.number ?? 0
        let others = earlierEpochs.filter { $0.current?.number != current }
        // A host that has lost its note as well cannot notice.
        guard !others.isEmpty, notes["consent.epoch"] == Array(String(current).utf8),
            world.dice.chance(world.faults.restoredKeys)
        else { return epochs }
        let older = world.dice.pick(others)
        world.trace.note(world.now, host.name, "is restored", "epoch \(current) to \(older.current?.number ?? 0)")
        epochs = older
        return older
    }

    /// True if the device is trusted for this by either content of the file.
    func mayTrust(_ device: KeyID, to right: Set<PinRight>) -> Bool {
        [book, known].contains { $0[device].map { right.isSubset(of: $0.may) } == true }
    }

    func trusts(_ device: KeyID, to right: Set<PinRight>) -> Bool {
        [book, known].allSatisfy { $0[device].map { !$0.isSuspended && right.isSubset(of: $0.may) } == true }
    }

    func hasPasskey(_ device: KeyID) -> Bool { [book, known].allSatisfy { $0[device]?.passkeys.isEmpty == false } }

    func mayBeNext(_ count: Int64, of device: KeyID) -> Bool {
        [book, known].contains { $0[device].map { count > $0.count } == true }
    }

    func isNext(_ count: Int64, of device: KeyID) -> Bool {
        [book, known].allSatisfy { $0[device].map { count > $0.count } == true }
    }

    func save(_ book: PinBook) throws(SpoolError) {
        guard !host.disk.isFull, !world.dice.chance(world.faults.failedWrite) else {
            // The file may have been replaced although the disk reports an error.
            if !host.disk.isFull, world.dice.chance(0.3) { self.book = book }
            world.sealing?.devicesChanged(at: host.index)
            throw SpoolError(host.disk.isFull ? .full : .failed, "the pins are not saved")
        }
        self.book = book
        known = book
        world.consent?.saved(book, of: host)
        world.sealing?.devicesChanged(at: host.index)
    }

    func keepSigned() throws(SpoolError) {}

    func save(_ epochs: EpochBook) throws(SpoolError) {
        world.sealing?.keysChanged(epochs, at: host.index)
        guard !host.disk.isFull, !world.dice.chance(world.faults.failedWrite) else {
            if !host.disk.isFull, world.dice.chance(0.3) { replace(with: epochs) }
            throw SpoolError(host.disk.isFull ? .full : .failed, "the keys are not saved")
        }
        if world.plant != .unkeptKey { replace(with: epochs) }
    }

    private func replace(with epochs: EpochBook) {
        if let old = self.epochs { earlierEpochs.append(old) }
        if earlierEpochs.count > Self.earlierMax { earlierEpochs.removeFirst() }
        self.epochs = epochs
    }
}

extension PinBook {
    fileprivate var forgettingCounts: PinBook {
        var book = PinBook(generation: generation)
        for var pin in devices {
            pin.count = 0
            do throws(ConsentError) { try book.trust(pin) } catch { preconditionFailure("there was room: \(error)") }
        }
        return book
    }
}
