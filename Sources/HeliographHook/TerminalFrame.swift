/// One message between `heliograph claude`, which holds a terminal, and the processes that connect to it: `kind`, four bytes of
/// length, content.
package struct TerminalFrame: Equatable {
    package enum Kind: UInt8 {
        // Frames to the holder.
        /// Rows and columns. From here on the other end shows the terminal, and types there.
        case attach = 0x41
        case keys = 0x4B
        case resize = 0x52
        case query = 0x51
        /// From a hook: the process of its agent, a line feed, and the agent's input.
        case prompt = 0x50
        /// From the daemon: a client's look at the terminal, or its keys.
        case call = 0x43

        // Frames from the holder.
        case output = 0x4F
        /// A sentence for the person.
        case message = 0x4D
        /// Exit status, in decimal.
        case ended = 0x45
        case status = 0x53
        /// The hook's output; empty if the agent may continue.
        case verdict = 0x56
        /// The answer to `call`.
        case answer = 0x57
    }

    /// Largest frame: more than an agent passes to its hook.
    package static let bytesMax = 9 << 20
    package static let headBytes = 5

    package let kind: Kind
    package let content: [UInt8]

    package init(_ kind: Kind, _ content: [UInt8] = []) {
        self.kind = kind
        self.content = content
    }

    package init(_ kind: Kind, rows: Int, columns: Int) {
        self.init(kind, [rows, columns].flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] })
    }

    package var size: (rows: Int, columns: Int)? {
        guard content.count == 4 else { return nil }
        let (rows, columns) = (Int(content[0]) << 8 | Int(content[1]), Int(content[2]) << 8 | Int(content[3]))
        return rows > 0 && columns > 0 ? (rows, columns) : nil
    }

    package var bytes: [UInt8] {
        let count = UInt32(content.count)
        return [kind.rawValue] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + content
    }
}

/// Splits a stream of bytes into frames.
package struct TerminalFrameReader {
    private var bytes: [UInt8] = []
    /// True if the other end does not send frames; nothing more is read then.
    package private(set) var isBroken = false

    package init() {}

    package mutating func take(_ more: [UInt8]) -> [TerminalFrame] {
        guard !isBroken else { return [] }
        bytes += more
        var frames: [TerminalFrame] = []
        var start = 0
        while bytes.count - start >= TerminalFrame.headBytes {
            let count = bytes[(start + 1)..<(start + 5)].reduce(0) { $0 << 8 | Int($1) }
            guard let kind = TerminalFrame.Kind(rawValue: bytes[start]), count <= TerminalFrame.bytesMax else {
                isBroken = true
                bytes = []
                return frames
            }
            let end = start + TerminalFrame.headBytes + count
            guard end <= bytes.count else { break }
            frames.append(TerminalFrame(kind, Array(bytes[(start + TerminalFrame.headBytes)..<end])))
            start = end
        }
        if start > 0 { bytes.removeFirst(start) }
        return frames
    }
}
