/// Attributes the bytes queued on a link to peers, so that one peer cannot use up the capacity of all.
///
/// A link is written in order, so the queued bytes are always the last ones that were passed to it.
package struct LinkShares {
    /// Peers whose share of the queued bytes has become too large, or small again. The peers' numbers are chosen by the node.
    package struct Changes: Equatable {
        package var filled: [UInt64] = []
        package var drained: [UInt64] = []
        package init(filled: [UInt64] = [], drained: [UInt64] = []) { (self.filled, self.drained) = (filled, drained) }
    }

    /// Bytes from one peer, or for it only, by their offsets from the link's first byte.
    private struct Piece {
        let peer: UInt64
        var begin: Int
        var end: Int
    }

    package private(set) var told = 0
    private var written = 0
    /// Pieces in order. Written ones are dropped at each `settle`, so only queued ones are left.
    private var pieces: [Piece] = []
    /// Index of the first piece that is not dropped; those before it are written.
    private var first = 0
    /// Index of the first piece that is not counted in `waiting`. Bytes written within the same turn, as nearly all are, are never
    /// counted.
    private var counted = 0
    /// Queued bytes by peer, at the last count.
    private var waiting: [UInt64: Int] = [:]
    private var full: Set<UInt64> = []

    package init() {}

    /// Adds bytes that were passed to the link. `peer`: nil for bytes of no peer, or of several.
    package mutating func tell(_ bytes: Int, of peer: UInt64?) {
        let begin = told
        told += bytes
        guard let peer, bytes > 0 else { return }
        if pieces.count > counted, pieces[pieces.count - 1].peer == peer, pieces[pieces.count - 1].end == begin {
            pieces[pieces.count - 1].end = told
        } else {
            pieces.append(Piece(peer: peer, begin: begin, end: told))
        }
    }

    /// Upper limit of the queued bytes, as far as known.
    package var unsettled: Int { told - written }

    /// Updates the shares: all but `waiting` of the first `told` bytes have been written.
    package mutating func settle(_ told: Int, waiting: Int) -> Changes {
        var changes = Changes()
        written = max(written, told - waiting)
        while first < pieces.count, pieces[first].begin < written {
            let piece = pieces[first]
            let end = min(piece.end, written)
            if first < counted { drain(piece.peer, end - piece.begin, &changes) }
            guard end == piece.end else {
                pieces[first].begin = end
                break
            }
            first += 1
        }
        counted = max(counted, first)
        for piece in pieces[counted...] { fill(piece.peer, piece.end - piece.begin, &changes) }
        counted = pieces.count
        if first == pieces.count {
            pieces.removeAll(keepingCapacity: pieces.count <= Self.keptPieces)
            (first, counted) = (0, 0)
        } else if first > pieces.count / 2 {
            pieces.removeFirst(first)
            (first, counted) = (0, pieces.count)
        }
        return changes
    }

    private mutating func fill(_ peer: UInt64, _ bytes: Int, _ changes: inout Changes) {
        waiting[peer, default: 0] += bytes
        if waiting[peer, default: 0] > NodeLinkLimits.shareBytesMax, full.insert(peer).inserted { changes.filled.append(peer) }
    }

    private mutating func drain(_ peer: UInt64, _ bytes: Int, _ changes: inout Changes) {
        let left = waiting[peer, default: 0] - bytes
        waiting[peer] = left > 0 ? left : nil
        if left <= NodeLinkLimits.shareDrainedBytes, full.remove(peer) != nil { changes.drained.append(peer) }
    }

    /// Capacity kept between turns: most turns have few pieces.
    private static let keptPieces = 1_024
}
