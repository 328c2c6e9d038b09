import Consent
import HostCore

/// The file of one host's pins, which outlives its daemon.
final class SimulatedPins: ConsentDisk {
    private unowned let world: World
    private unowned let host: HostProcess
    /// As the file has it.
    private(set) var book: PinBook
    /// As the daemon knows it to be; another one if the disk reported an error and has it all the same.
    private(set) var known: PinBook
    private var keyFile: Generation
    private var starts = 0

    init(_ book: PinBook, of host: HostProcess, in world: World) {
        self.world = world
        self.host = host
        self.book = book
        known = book
        keyFile = book.generation
    }

    /// At each start of the daemon, in the order in which `ConsentFiles` writes.
    func open() -> PinBook {
        starts += 1
        let fresh: Generation = SimulatedKeys.fixed("\(host.name) \(starts)")
        _ = book.begin(keyFile: keyFile, fresh: fresh)
        keyFile = fresh
        book.began()
        if world.plant == .forgottenCount { book = book.forgettingCounts }
        known = book
        return book
    }

    /// The device is trusted, whichever of the two is true.
    func mayTrust(_ device: KeyID, to right: Set<PinRight>) -> Bool {
        [book, known].contains { $0[device].map { right.isSubset(of: $0.may) } == true }
    }

    func trusts(_ device: KeyID, to right: Set<PinRight>) -> Bool {
        [book, known].allSatisfy { $0[device].map { !$0.isSuspended && right.isSubset(of: $0.may) } == true }
    }

    func isNext(_ count: Int64, of device: KeyID) -> Bool {
        [book, known].allSatisfy { $0[device].map { count > $0.count } == true }
    }

    func save(_ book: PinBook) throws(SpoolError) {
        guard !host.disk.isFull, !world.dice.chance(world.faults.failedWrite) else {
            // The file may have been replaced all the same.
            if !host.disk.isFull, world.dice.chance(0.3) { self.book = book }
            throw SpoolError(host.disk.isFull ? .full : .failed, "the pins are not saved")
        }
        self.book = book
        known = book
        world.consent?.saved(book, of: host)
    }

    func keepSigned() throws(SpoolError) {}

    /// Content is open in this world.
    func save(_: EpochBook) throws(SpoolError) {}
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
