internal import RelayProtocol

/// What the relay last said is held, and whether the disk has it.
struct KnownHolds {
    private(set) var holds = Holds()
    /// Until the disk takes it, only this life knows.
    private var isUnsaved = false

    /// What an earlier life saved.
    mutating func restore(_ holds: Holds) { self.holds = holds }

    /// False where it is known already: then it is on disk, or waits for it. A file that cannot be read says as much as what we say.
    mutating func learn(_ holds: Holds) -> Bool {
        guard holds != self.holds else { return false }
        self.holds = holds
        isUnsaved = false
        return true
    }

    mutating func notSaved() { isUnsaved = true }

    /// Whether it is to be saved again.
    mutating func retries() -> Bool {
        defer { isUnsaved = false }
        return isUnsaved
    }
}
