internal import RelayProtocol

/// The sessions that are held, for the file that hooks use if there is no daemon; and whether the disk has it.
struct KnownHolds {
    /// The relay's latest holds.
    private var holds = Holds()
    /// Sessions whose every tool needs approval because a person wants so, by what their agents remember.
    private var askingAll: Set<SessionID> = []
    /// True while the disk does not have the holds yet.
    private var isUnsaved = false

    /// The holds that are to be on disk.
    var all: Holds { holds.adding(askingAll) }

    /// Because a budget is spent.
    func holds(_ session: SessionID) -> Bool { holds.contains(session) }

    /// A person is to be asked about every tool, or a budget is spent.
    func asksAll(_ session: SessionID) -> Bool { holds.contains(session) || askingAll.contains(session) }

    /// Restores the holds that an earlier life saved. Sessions that the agents report are added to them; none are removed.
    mutating func restore(_ holds: Holds) { self.holds = holds }

    /// Returns false if the holds are known already: then they are on disk, or wait for it. An unreadable file needs no writing for
    /// `everySession`, which is its meaning.
    mutating func learn(_ holds: Holds) -> Bool {
        guard holds != self.holds else { return false }
        self.holds = holds
        isUnsaved = false
        return true
    }

    /// Returns true if that is a change, to be saved.
    mutating func askAll(_ session: SessionID, _ isOn: Bool) -> Bool {
        let isNews = isOn ? askingAll.insert(session).inserted : askingAll.remove(session) != nil
        if isNews { isUnsaved = false }
        return isNews
    }

    mutating func notSaved() { isUnsaved = true }

    /// Returns true, once, if saving failed and is to be tried again.
    mutating func retries() -> Bool {
        defer { isUnsaved = false }
        return isUnsaved
    }
}
