internal import RelayProtocol

/// Which sessions are held, for the file that hooks go by where there is no daemon; and whether the disk has it.
struct KnownHolds {
    /// What the relay last said.
    private var holds = Holds()
    /// Sessions whose every tool needs approval because a person wants so, by what their agents remember.
    private var askingAll: Set<SessionID> = []
    /// Until the disk takes it, only this life knows.
    private var isUnsaved = false

    /// What is to be on disk.
    var all: Holds { holds.adding(askingAll) }

    /// Because a budget is spent.
    func holds(_ session: SessionID) -> Bool { holds.contains(session) }

    /// What an earlier life saved. What the agents say of it is added to it, and takes nothing away.
    mutating func restore(_ holds: Holds) { self.holds = holds }

    /// False where it is known already: then it is on disk, or waits for it. A file that cannot be read says as much as what we say.
    mutating func learn(_ holds: Holds) -> Bool {
        guard holds != self.holds else { return false }
        self.holds = holds
        isUnsaved = false
        return true
    }

    /// Whether that is news, to be saved.
    mutating func askAll(_ session: SessionID, _ isOn: Bool) -> Bool {
        let isNews = isOn ? askingAll.insert(session).inserted : askingAll.remove(session) != nil
        if isNews { isUnsaved = false }
        return isNews
    }

    mutating func notSaved() { isUnsaved = true }

    /// Whether it is to be saved again.
    mutating func retries() -> Bool {
        defer { isUnsaved = false }
        return isUnsaved
    }
}
