/// A note that is on disk while events may not be. By it the next life of the daemon knows whether the machine went down meanwhile.
///
/// ```
/// lifted ─first write─▶ stands ─nothing written for a while, all synchronized─▶ lifted
/// ```
struct UnsyncedMark {
    /// Belongs to no adapter, because it names no session.
    static let key = "host.unsynced"

    /// Names this start of the machine; empty if unknown.
    private let boot: String
    private(set) var stands = false
    /// True if an earlier start of the machine ended while events were on their way to the disk.
    private(set) var mayHaveLost = false

    init(boot: String, notes: [String: [UInt8]]) {
        self.boot = boot
        guard !boot.isEmpty, let note = notes[Self.key] else { return }
        stands = note == Array(boot.utf8)
        mayHaveLost = !stands
    }

    /// The note to write before anything else; nil if it is there already.
    mutating func raise() -> Spool.Item? {
        guard !boot.isEmpty, !stands else { return nil }
        stands = true
        return .note(Self.key, Array(boot.utf8))
    }

    mutating func lift() -> Spool.Item? {
        guard stands else { return nil }
        stands = false
        return .note(Self.key, nil)
    }
}
