/// A note that is on disk while events may not be: by it the next life of the daemon knows that the machine went down meanwhile.
///
/// ```
/// lifted ─first write─▶ stands ─nothing written for a while, all synchronized─▶ lifted
/// ```
struct UnsyncedMark {
    /// No adapter's: it names no session.
    static let key = "host.unsynced"

    /// Names this start of the machine; empty if unknown.
    private let boot: String
    private(set) var stands = false
    /// An earlier start of the machine ended while events were on their way to the disk.
    private(set) var mayHaveLost = false

    init(boot: String, notes: [String: [UInt8]]) {
        self.boot = boot
        guard !boot.isEmpty, let note = notes[Self.key] else { return }
        stands = note == Array(boot.utf8)
        mayHaveLost = !stands
    }

    /// To be written before anything else; nil if it stands already.
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
