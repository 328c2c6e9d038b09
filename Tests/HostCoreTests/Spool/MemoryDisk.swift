import HostCore

/// A disk in memory that loses what a power cut would, and fails on demand.
///
/// A failed sync drops its data, and the next one does not report that: as on Linux.
final class MemoryDisk: SpoolDisk {
    enum Operation: Hashable { case names, contents, read, replace, append, synchronize, truncate, remove }

    private struct Piece {
        enum State { case written, onDisk, dropped }
        var bytes: [UInt8]
        var state: State
    }

    /// Operations that fail now. `append` writes half of the bytes first.
    var failing: [Operation: SpoolError] = [:]
    /// Free bytes; an append that does not fit writes the part that does.
    var room = Int.max
    private(set) var calls: [Operation] = []
    private var files: [String: [Piece]] = [:]

    /// Names of files with events.
    var fileNames: [String] { files.keys.filter { $0.hasSuffix(".spool") }.sorted() }
    var size: Int { files.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.bytes.count } } }

    subscript(name: String) -> [UInt8] {
        get { files[name, default: []].flatMap(\.bytes) }
        set { files[name] = [Piece(bytes: newValue, state: .onDisk)] }
    }

    /// Bytes that were not on disk are lost: missing at the end, or zeros if later bytes are there.
    func cutPower() {
        for (name, pieces) in files {
            let kept = pieces.lastIndex { $0.state == .onDisk } ?? -1
            files[name] = pieces[...kept].map {
                Piece(bytes: $0.state == .onDisk ? $0.bytes : [UInt8](repeating: 0, count: $0.bytes.count), state: .onDisk)
            }
        }
    }

    func copy() -> MemoryDisk {
        let other = MemoryDisk()
        other.files = files
        return other
    }

    // MARK: SpoolDisk

    func names() throws(SpoolError) -> [String] {
        try called(.names)
        return files.keys.sorted()
    }

    func contents(of name: String) throws(SpoolError) -> [UInt8] {
        try called(.contents)
        guard files[name] != nil else { throw SpoolError(.damaged, "no \(name)") }
        return self[name]
    }

    func read(_ name: String, at offset: Int, count: Int) throws(SpoolError) -> [UInt8] {
        try called(.read)
        guard files[name] != nil else { throw SpoolError(.damaged, "no \(name)") }
        return Array(self[name].dropFirst(offset).prefix(count))
    }

    func replace(_ name: String, with bytes: [UInt8]) throws(SpoolError) {
        try called(.replace)
        guard size + bytes.count <= room else { throw SpoolError(.full, "full") }
        self[name] = bytes
    }

    func append(_ bytes: [UInt8], to name: String) throws(SpoolError) {
        guard files[name] != nil else { throw SpoolError(.failed, "no \(name)") }
        do throws(SpoolError) {
            try called(.append)
        } catch {
            files[name]?.append(Piece(bytes: Array(bytes.prefix(bytes.count / 2)), state: .written))
            throw error
        }
        let fitting = min(bytes.count, max(0, room - size))
        files[name]?.append(Piece(bytes: Array(bytes.prefix(fitting)), state: .written))
        if fitting < bytes.count { throw SpoolError(.full, "full") }
    }

    func synchronize(_ name: String) throws(SpoolError) {
        guard let pieces = files[name] else { throw SpoolError(.failed, "no \(name)") }
        do throws(SpoolError) {
            try called(.synchronize)
            settle(name, pieces, as: .onDisk)
        } catch {
            settle(name, pieces, as: .dropped)
            throw error
        }
    }

    private func settle(_ name: String, _ pieces: [Piece], as state: Piece.State) {
        files[name] = pieces.map { $0.state == .written ? Piece(bytes: $0.bytes, state: state) : $0 }
    }

    func truncate(_ name: String, to size: Int) throws(SpoolError) {
        try called(.truncate)
        var left = size
        files[name] = files[name]?.compactMap { piece in
            let count = min(left, piece.bytes.count)
            left -= count
            return count == 0 ? nil : Piece(bytes: Array(piece.bytes.prefix(count)), state: piece.state)
        }
    }

    func remove(_ name: String) throws(SpoolError) {
        try called(.remove)
        guard files.removeValue(forKey: name) != nil else { throw SpoolError(.failed, "no \(name)") }
    }

    private func called(_ operation: Operation) throws(SpoolError) {
        calls.append(operation)
        if let error = failing[operation] { throw error }
    }
}
