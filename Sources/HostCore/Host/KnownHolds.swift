internal import RelayProtocol

/// The held sessions, for the file that hooks use if there is no daemon, and whether that file is up to date.
struct KnownHolds {
    /// The relay's latest holds.
    private var holds = Holds()
    /// Sessions in which a person wants every tool to need approval, by what their agents remember.
    private var askingAll: Set<SessionID> = []
    /// True while the disk does not have the holds yet.
    private var isUnsaved = false

    /// The holds that should be on disk.
    var all: Holds { holds.adding(askingAll) }

    /// True if the session is held because a budget is spent.
    func holds(_ session: SessionID) -> Bool { holds.contains(session) }

    /// True if every tool of the session needs approval, because a person wants it or a budget is spent.
    func asksAll(_ session: SessionID) -> Bool { holds.contains(session) || askingAll.contains(session) }

    /// Restores the holds that an earlier life saved. Sessions that the agents report are added; none are removed.
    mutating func restore(_ holds: Holds) { self.holds = holds }

    /// Takes over the relay's holds. Returns false if they are known already: then they are on disk, or about to be. An unreadable
    /// file means `everySession`, which therefore needs no writing.
    mutating func learn(_ holds: Holds) -> Bool {
        guard holds != self.holds else { return false }
        self.holds = holds
        isUnsaved = false
        return true
    }

    /// Returns true if this is a change that has to be saved.
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
