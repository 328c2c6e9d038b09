import RelayProtocol

/// What the terminals of this host have shown to clients of late. Keys are taken for one of these only.
///
/// A screen that stays as it is is shown again at least as often as looks are answered, so its name stays recent while somebody looks.
struct RecentDrawings: Sendable {
    /// Since a drawing was last shown, keys that were pressed at it are still on their way: typed ahead over a slow link, or the rest of a
    /// paste.
    private static let keysWithin = Duration.seconds(30)
    /// For each terminal: more than it draws in that time at ten a second.
    private static let drawingsMax = 512

    /// The last shown are last.
    private var sessions: [SessionID: [(name: String, at: Int64)]] = [:]

    mutating func shown(_ name: String, in session: SessionID, at now: Int64) {
        var drawings = sessions[session] ?? []
        drawings.removeAll { $0.name == name || $0.at + Self.keysWithin.milliseconds < now }
        if drawings.count >= Self.drawingsMax { drawings.removeFirst() }
        drawings.append((name, now))
        sessions[session] = drawings
    }

    func isRecent(_ name: String?, in session: SessionID, at now: Int64) -> Bool {
        sessions[session]?.contains { $0.name == name && $0.at + Self.keysWithin.milliseconds >= now } == true
    }

    mutating func forget(_ session: SessionID) { sessions[session] = nil }
}
