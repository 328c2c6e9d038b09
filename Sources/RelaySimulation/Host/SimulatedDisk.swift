import HostCore

/// A host's disk: what was written is there for every process, what was synchronized also after the power failed.
final class SimulatedDisk: SpoolDisk {
    private struct Stored {
        var bytes: [UInt8]
        var synchronized: Int
    }

    private unowned let world: World
    private var files: [String: Stored] = [:]
    var isFull = false
    var syncCount = 0

    init(world: World) { self.world = world }

    var bytes: Int { files.values.reduce(0) { $0 + $1.bytes.count } }

    /// What was not synchronized is lost from some byte on.
    func losePower() {
        for (name, file) in files.sorted(by: { $0.key < $1.key }) where file.bytes.count > file.synchronized {
            let kept = file.synchronized + world.dice.below(file.bytes.count - file.synchronized + 1)
            files[name]?.bytes.removeLast(file.bytes.count - kept)
            files[name]?.synchronized = kept
        }
    }

    func names() throws(SpoolError) -> [String] { files.keys.sorted() }

    func contents(of name: String) throws(SpoolError) -> [UInt8] { try file(name).bytes }

    func read(_ name: String, at offset: Int, count: Int) throws(SpoolError) -> [UInt8] {
        let bytes = try file(name).bytes
        return Array(bytes[min(offset, bytes.count)..<min(offset + count, bytes.count)])
    }

    func replace(_ name: String, with bytes: [UInt8]) throws(SpoolError) {
        try failMaybe()
        files[name] = Stored(bytes: bytes, synchronized: bytes.count)
    }

    func append(_ bytes: [UInt8], to name: String) throws(SpoolError) {
        var stored = try file(name)
        do throws(SpoolError) {
            try failMaybe()
            stored.bytes += bytes
            files[name] = stored
        } catch {
            // Some of it may have been written.
            if world.dice.chance(0.5) {
                stored.bytes += bytes.prefix(world.dice.below(bytes.count + 1))
                files[name] = stored
            }
            throw error
        }
    }

    func synchronize(_ name: String) throws(SpoolError) {
        let stored = try file(name)
        if world.dice.chance(world.faults.failedSync) { throw SpoolError(.failed, "fsync failed") }
        syncCount += 1
        files[name]?.synchronized = stored.bytes.count
    }

    func truncate(_ name: String, to size: Int) throws(SpoolError) {
        let stored = try file(name)
        if world.dice.chance(world.faults.tornWrite) { throw SpoolError(.failed, "truncate failed") }
        files[name]?.bytes = Array(stored.bytes.prefix(size))
        files[name]?.synchronized = min(stored.synchronized, size)
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
