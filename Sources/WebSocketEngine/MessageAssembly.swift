/// One message while it is received. libwebsockets delivers pieces: a frame may come in several, a message in several frames.
struct MessageAssembly: Sendable {
    /// libwebsockets' description of a piece of a message.
    struct Piece: Sendable {
        var kind: IncomingMessage.Kind
        /// True in the first frame of its message.
        var isFirst: Bool
        /// True for the last piece of a message.
        var isLast: Bool
        /// Bytes of its frame that have not arrived.
        var remaining: Int
    }

    enum Outcome: Equatable, Sendable {
        case incomplete
        case complete(IncomingMessage)
        /// The peer broke a rule or a limit; the connection is to be closed with this code and sentence.
        case violation(code: UInt16, String)
    }

    private var kind = IncomingMessage.Kind.text
    private var bytes: [UInt8] = []
    private var fragmentCount = 0

    /// Bytes held of an incomplete message: never more than `Limits.messageBytesMax`.
    var heldBytes: Int { bytes.count }

    /// True for the current message, or the last complete one: control frames may have come between its frames.
    var isFragmented: Bool { fragmentCount > 0 }

    mutating func clear() { self = MessageAssembly() }

    /// `input` is borrowed.
    mutating func add(_ input: UnsafeRawBufferPointer, _ piece: Piece, _ limits: Limits) -> Outcome {
        if piece.isFirst {
            clear()
            kind = piece.kind
        }
        guard piece.remaining <= limits.messageBytesMax,
            bytes.count + input.count + piece.remaining <= limits.messageBytesMax
        else { return .violation(code: 1009, "message too big") }
        guard piece.isLast else {
            if piece.remaining == 0 {
                fragmentCount += 1
                guard fragmentCount < limits.fragmentsMax else { return .violation(code: 1009, "too many fragments") }
            }
            unsafe bytes.append(contentsOf: input)
            return .incomplete
        }
        var whole = bytes
        bytes = []
        unsafe whole.append(contentsOf: input)
        if kind == .text, !Self.isUTF8(whole) { return .violation(code: 1007, "not UTF-8") }
        return .complete(IncomingMessage(kind: kind, bytes: whole))
    }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        (try? UTF8Span(validating: bytes.span)) != nil
    }
}
