import HostCore

/// A host's disk: written bytes are visible to every process, synchronized ones also survive a power failure.
final class SimulatedDisk: SpoolDisk {
    private struct Stored {
        var bytes: [UInt8]
        var synchronized: Int
        /// Start of the pages that a failed sync has lost; no later sync brings them back.
        var lostFrom: Int?
    }

    private unowned let world: World
    private var files: [String: Stored] = [:]
    var isFull = false

    init(world: World) { self.world = world }

    /// Discards unsynchronized bytes from a random point on.
    func losePower() {
        for (name, file) in files.sorted(by: { $0.key < $1.key }) {
            var kept = file.synchronized + world.dice.below(file.bytes.count - file.synchronized + 1)
            if let lost = file.lostFrom { kept = min(kept, lost) }
            files[name] = Stored(bytes: Array(file.bytes.prefix(kept)), synchronized: kept)
        }
    }

    func names() throws(SpoolError) -> [String] { files.keys.sorted() }

    func contents(of name: String) throws(SpoolError) -> [UInt8] { try file(name).bytes }

    func read(_ name: String, at offset: Int, count: Int) throws(SpoolError) -> [UInt8] {
        let bytes = try file(name).bytes
        return Array(bytes[min(offset, bytes.count)..<min(offset + count, bytes.count)])
    }

    func replace(_ name: String, with bytes: [UInt8]) throws(SpoolError) {
        do throws(SpoolError) {
            try failMaybe()
        } catch {
            // The file may have been written although the disk reports an error.
            if !isFull, world.dice.chance(0.3) { files[name] = Stored(bytes: bytes, synchronized: bytes.count) }
            throw error
        }
        files[name] = Stored(bytes: bytes, synchronized: bytes.count)
    }

    func append(_ bytes: [UInt8], to name: String) throws(SpoolError) {
        var stored = try file(name)
        do throws(SpoolError) {
            try failMaybe()
            stored.bytes += bytes
            files[name] = stored
        } catch {
            // Part of the bytes may have been written.
            if world.dice.chance(0.5) {
                stored.bytes += bytes.prefix(world.dice.below(bytes.count + 1))
                files[name] = stored
            }
            throw error
        }
    }

    func synchronize(_ name: String) throws(SpoolError) {
        let stored = try file(name)
        if world.dice.chance(world.faults.failedSync) {
            if world.dice.chance(0.5) { files[name]?.lostFrom = min(stored.lostFrom ?? .max, stored.synchronized) }
            throw SpoolError(.failed, "fsync failed")
        }
        files[name]?.synchronized = stored.bytes.count
    }

    func truncate(_ name: String, to size: Int) throws(SpoolError) {
        let stored = try file(name)
        if world.dice.chance(world.faults.tornWrite) { throw SpoolError(.failed, "truncate failed") }
        files[name]?.bytes = Array(stored.bytes.prefix(size))
        files[name]?.synchronized = min(stored.synchronized, size)
        if let lost = stored.lostFrom, lost >= size { files[name]?.lostFrom = nil }
    }

    func remove(_ name: String) throws(SpoolError) {
        if world.dice.chance(world.faults.failedWrite) { throw SpoolError(.failed, "unlink failed") }
        files[name] = nil
    }

    private func file(_ name: String) throws(SpoolError) -> Stored {
        guard let stored = files[name] else { throw SpoolError(.failed, "\(name) is not there") }
        return stored
    }

    private func failMaybe() throws(SpoolError) {
        if isFull { throw SpoolError(.full, "no space") }
        if world.dice.chance(world.faults.failedWrite) { throw SpoolError(.failed, "write failed") }
    }
}
