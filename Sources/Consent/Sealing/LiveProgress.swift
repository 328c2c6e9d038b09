package import RelayProtocol

/// The end of the live text of each message and each call so far, at its host or at a client.
package struct LiveProgress: Sendable {
    /// Messages and calls under way; the one that began first is forgotten.
    private static let countMax = 256

    private struct Name: Hashable {
        let session: SessionID
        let of: String
    }

    private var places: [Name: Int64] = [:]
    private var order: [Name] = []

    package init() {}

    /// The piece that the host sends next.
    package mutating func next(_ text: String, of name: String, in session: SessionID) -> LivePiece {
        let name = Name(session: session, of: name)
        let piece = LivePiece(at: places[name] ?? 0, text)
        note(piece, of: name)
        return piece
    }

    package enum Arrival: Sendable, Equatable {
        case follows
        /// The text between has not come.
        case afterHole
        /// The piece has come before, or a later one has overtaken it.
        case late
    }

    /// Takes a piece that has come.
    package mutating func arrived(_ piece: LivePiece, of name: String, in session: SessionID) -> Arrival {
        let name = Name(session: session, of: name)
        let place = places[name] ?? 0
        guard piece.place >= place else { return .late }
        note(piece, of: name)
        return piece.place == place ? .follows : .afterHole
    }

    private mutating func note(_ piece: LivePiece, of name: Name) {
        if places.updateValue(piece.place + Int64(piece.text.utf8.count), forKey: name) == nil { order.append(name) }
        if order.count > Self.countMax { places[order.removeFirst()] = nil }
    }
}
