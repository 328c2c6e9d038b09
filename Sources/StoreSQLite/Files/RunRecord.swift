internal import GRDB
internal import Glibc
internal import Synchronization

/// Detects an older copy that was written in place over the data file of the last relay, and a data file that lost its newest
/// pages.
///
/// Each run of a relay has its own name. Its first commit writes the name into the data file, with that of the run before; once
/// that is on disk, the name is written into a separate file, together with the number of events that there ever were. A crash in
/// between leaves the name of the run before there, which the data file has too. Nothing has been shown to anybody by then.
final class RunRecord: Sendable {
    /// Content of the file.
    struct Content: Equatable {
        /// Name of the last relay run that committed; empty if there was none.
        var run: String
        /// Number of events of all sessions that there ever were, including removed ones.
        var events: Int64
    }

    private let descriptor: Int32
    private let name = RunRecord.randomName()
    private let state: Mutex<State>

    private struct State {
        var content: Content
        /// True if the file has the name of this run, and is synced.
        var isBegun = false
    }

    /// Creates the file if there is none, so that its space is allocated.
    init(_ path: String) throws(SQLiteStoreError) {
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Files.failure(path, "cannot be opened", errno) }
        let (found, count) = Content.read(from: descriptor)
        state = Mutex(State(content: found ?? Content(run: "", events: 0)))
        guard count >= 0 else { throw Files.failure(path, "cannot be read", errno) }
        guard count == 0 else { return }
        guard write(content) else { throw Files.failure(path, "cannot be written", errno) }
    }

    /// The last relay's record; nil if there is no such file, or it is unreadable.
    static func content(at path: String) -> Content? {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return Content.read(from: descriptor).content
    }

    deinit { close(descriptor) }

    private var content: Content { state.withLock { $0.content } }

    /// True once this run's name is on disk, where the next run reads it.
    var isBegun: Bool { state.withLock { $0.isBegun } }

    /// True if the data file is the one that the last relay here committed to, with everything that it committed.
    func matches(_ db: Database) throws -> Bool {
        let names = try String.fetchAll(db, sql: "SELECT value FROM meta WHERE name IN ('run', 'run_before')")
        // A data file without names was never committed to since names were introduced, here or elsewhere.
        let isKnown = names.contains(content.run) || names.isEmpty && content.run.isEmpty
        return try isKnown && Self.events(in: db) >= content.events
    }

    /// Accepts another data file, whose epoch is new with this transaction: from now on it belongs to this directory.
    func adopt(_ db: Database) throws {
        try db.execute(sql: "INSERT OR REPLACE INTO meta VALUES ('run_before', ?)", arguments: [content.run])
    }

    /// Starts counting from the number of events in the file. Called once, before the first commit.
    func count(_ db: Database) throws {
        let events = try Self.events(in: db)
        state.withLock { $0.content.events = events }
        _ = write(content)
    }

    /// Called in every transaction that adds to the log.
    func begin(in db: Database) throws {
        guard !state.withLock({ $0.isBegun }) else { return }
        try db.execute(
            sql: "INSERT OR REPLACE INTO meta VALUES ('run', ?), ('run_before', ?)", arguments: [name, content.run])
    }

    /// Counts events that are on disk.
    ///
    /// If the number cannot be written here, it is written with the next commit. Until then the file has too low a number, and an
    /// older copy may be accepted; nothing else depends on it.
    func committed(events count: Int) {
        state.withLock { state in
            state.content.events += Int64(count)
            let next = Content(run: name, events: state.content.events)
            guard write(next) else { return }
            if !state.isBegun { state.isBegun = fdatasync(descriptor) == 0 }
            if state.isBegun { state.content.run = name }
        }
    }

    /// Number of events that the data file ever had.
    static func events(in db: Database) throws -> Int64 {
        try Int64.fetchOne(
            db,
            sql: """
                SELECT coalesce(sum(seq), 0) + coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = ?), 0) FROM sessions
                """, arguments: [goneName]) ?? 0
    }

    /// Number of events of removed workspaces, whose sessions have no rows.
    private static let goneName = "events_of_removed_workspaces"

    /// Called in the transaction that deletes the row of a session with `count` events.
    static func removed(events count: Int64, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO meta VALUES (?, ?)
                ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + CAST(excluded.value AS INTEGER) AS TEXT)
                """, arguments: [goneName, String(count)])
    }

    /// A name that no other run has.
    static func randomName() -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        return String((0..<20).compactMap { _ in letters.randomElement() })
    }

    /// Written at once, and it fits a sector, so that it is never written by half.
    private func write(_ content: Content) -> Bool {
        let bytes = content.bytes
        return unsafe pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
    }
}

extension RunRecord.Content {
    private static let runBytes = 20
    private static let digits = 20
    static let byteCount = runBytes + 1 + digits + 1

    /// Returns the content, nil if it is invalid, and the number of bytes, negative if they cannot be read.
    static func read(from descriptor: Int32) -> (content: Self?, byteCount: Int) {
        var bytes = [UInt8](repeating: 0, count: byteCount + 1)
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        return (Self(parsing: bytes.prefix(max(0, count))), count)
    }

    /// Nil if the bytes are invalid.
    init?(parsing bytes: some BidirectionalCollection<UInt8>) {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard bytes.count == Self.byteCount, bytes.last == UInt8(ascii: "\n"), words.count == 2,
            words[0].utf8.count == Self.runBytes,
            let events = Int64(words[1].dropLast()), events >= 0
        else { return nil }
        run = String(words[0].prefix { $0 != "-" })
        self.events = events
    }

    /// The content in a fixed number of bytes. Encoded with every commit, so without creating a `String`.
    var bytes: [UInt8] {
        precondition(run.utf8.count <= Self.runBytes && events >= 0, "a run has a name of its length")
        var bytes = [UInt8](repeating: UInt8(ascii: "0"), count: Self.byteCount)
        var place = 0
        for byte in run.utf8 {
            bytes[place] = byte
            place += 1
        }
        while place < Self.runBytes {
            bytes[place] = UInt8(ascii: "-")
            place += 1
        }
        bytes[Self.runBytes] = UInt8(ascii: " ")
        var rest = events
        place = Self.byteCount - 2
        while rest > 0 {
            bytes[place] += UInt8(rest % 10)
            (rest, place) = (rest / 10, place - 1)
        }
        bytes[Self.byteCount - 1] = UInt8(ascii: "\n")
        return bytes
    }
}
