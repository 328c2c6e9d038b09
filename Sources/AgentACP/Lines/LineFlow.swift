/// One direction of the conversation: bytes in, whole lines out, without a byte changed.
///
/// A line that is too long is passed on in pieces as they come, unread. A line of ours cannot be put into the middle of it, so it
/// waits for its end.
struct LineFlow: Sendable {
    enum Piece: Equatable {
        /// A line with its line feed; the last one of a stream may lack it.
        case line([UInt8])
        /// Part of a line that is too long.
        case fragment([UInt8])
    }

    private let lineBytesMax: Int
    /// The beginning of a line whose end has not come.
    private var kept: [UInt8] = []
    private var isInLongLine = false
    /// Lines of ours that wait for the end of a long one.
    private var waiting: [[UInt8]] = []

    init(lineBytesMax: Int) { self.lineBytesMax = lineBytesMax }

    mutating func take(_ bytes: [UInt8]) -> [Piece] {
        var pieces: [Piece] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let feed = rest.firstIndex(of: UInt8(ascii: "\n"))
            let part = feed.map { rest[...$0] } ?? rest
            rest = rest[part.endIndex...]
            if isInLongLine {
                pieces.append(.fragment(Array(part)))
                isInLongLine = feed == nil
            } else if kept.count + part.count > lineBytesMax {
                pieces.append(.fragment(kept + part))
                kept = []
                isInLongLine = feed == nil
            } else {
                kept += part
                guard feed != nil else { continue }
                pieces.append(.line(kept))
                kept = []
            }
        }
        return pieces
    }

    /// The unterminated last line.
    mutating func finish() -> Piece? {
        isInLongLine = false
        guard !kept.isEmpty else { return nil }
        defer { kept = [] }
        return .line(kept)
    }

    /// Queues a line of ours to be sent this way; `release` returns it when it may be sent.
    mutating func insert(_ line: [UInt8]) { waiting.append(line) }

    /// Lines of ours that may be sent now.
    mutating func release() -> [[UInt8]] {
        guard !isInLongLine, !waiting.isEmpty else { return [] }
        defer { waiting = [] }
        return waiting
    }
}
