@testable import WebSocketEngine

/// Messages in any pieces: what comes out is what went in, never more is held than the limit, and only UTF-8 is text.
enum AssemblyTarget {
    static func run(_ input: [UInt8]) {
        var reader = InputReader(input)
        var limits = Limits()
        limits.messageBytesMax = Int(reader.byte()) * 4
        limits.fragmentsMax = 1 + Int(reader.byte() % 16)
        var assembly = MessageAssembly()
        while !reader.isAtEnd {
            guard message(from: &reader, into: &assembly, limits) else { return }
        }
    }

    /// Feeds one message in frames, each in pieces. Returns false if it was refused, after which nothing more is received.
    private static func message(
        from reader: inout InputReader, into assembly: inout MessageAssembly, _ limits: Limits
    ) -> Bool {
        let kind: IncomingMessage.Kind = reader.byte() & 1 == 0 ? .text : .binary
        var sent: [UInt8] = []
        var isFirst = true
        var frames = 0
        while true {
            let shape = reader.byte()
            let isFinal = shape & 1 == 1 || reader.isAtEnd
            // The announced length; less may follow.
            var remaining = shape & 2 == 0 ? Int(reader.byte()) : Int(reader.integer() & .max)
            frames += 1
            repeat {
                let count = min(remaining, Int(reader.byte()))
                var bytes = reader.bytes(count)
                bytes += [UInt8](repeating: UInt8(ascii: "x"), count: count - bytes.count)
                remaining -= count
                let isCut = reader.isAtEnd && remaining > 0
                let piece = MessageAssembly.Piece(
                    kind: kind, isFirst: isFirst, isLast: isFinal && remaining == 0, remaining: remaining)
                isFirst = false
                let outcome = unsafe bytes.withUnsafeBytes { unsafe assembly.add($0, piece, limits) }
                sent += bytes
                require(assembly.heldBytes <= limits.messageBytesMax, "more is held than a message may have")
                switch outcome {
                case .violation(1009, "message too big"):
                    require(
                        remaining > limits.messageBytesMax || sent.count + remaining > limits.messageBytesMax,
                        "refused as too big at \(sent.count) and \(remaining) of \(limits.messageBytesMax)")
                    return false
                case .violation(1009, _):
                    require(frames >= limits.fragmentsMax, "refused for its \(frames) frames")
                    return false
                case .violation(1007, _):
                    require(kind == .text && String(validating: sent, as: UTF8.self) == nil, "refused for good UTF-8")
                    return false
                case .violation(let code, let sentence): fatalError("finding: refused with \(code), \(sentence)")
                case .complete(let message):
                    require(piece.isLast, "whole before its end")
                    require(message.kind == kind && message.bytes == sent, "not what was sent")
                    require(message.bytes.count <= limits.messageBytesMax, "longer than a message may be")
                    require(kind == .binary || String(validating: sent, as: UTF8.self) != nil, "text that is not UTF-8")
                    require(assembly.heldBytes == 0, "the next one would begin with it")
                    return true
                case .incomplete:
                    require(!piece.isLast, "its end is over and it is not whole")
                }
                if isCut { return false }
            } while remaining > 0
        }
    }
}
