import Testing

@testable import WebSocketEngine

@Suite("Message assembly")
struct MessageAssemblyTests {
    private var limits: Limits {
        var limits = Limits()
        (limits.messageBytesMax, limits.fragmentsMax) = (8, 3)
        return limits
    }

    private func add(
        _ text: [UInt8], isFirst: Bool = false, isLast: Bool = false, remaining: Int = 0, kind: IncomingMessage.Kind = .text,
        to assembly: inout MessageAssembly
    ) -> MessageAssembly.Outcome {
        let piece = MessageAssembly.Piece(kind: kind, isFirst: isFirst, isLast: isLast, remaining: remaining)
        return unsafe text.withUnsafeBytes { unsafe assembly.add($0, piece, limits) }
    }

    @Test("pieces of frames and frames of a message become what was sent, and the next begins anew")
    func pieces() {
        var assembly = MessageAssembly()
        #expect(add(Array("ab".utf8), isFirst: true, remaining: 1, to: &assembly) == .incomplete)
        #expect(add(Array("c".utf8), to: &assembly) == .incomplete)
        #expect(assembly.heldBytes == 3)
        #expect(
            add(Array("d".utf8), isLast: true, to: &assembly)
                == .complete(IncomingMessage(kind: .text, bytes: Array("abcd".utf8))))
        #expect(
            add([0xFF], isFirst: true, isLast: true, kind: .binary, to: &assembly)
                == .complete(IncomingMessage(kind: .binary, bytes: [0xFF])))
    }

    @Test("what is announced beyond the limit is refused before it comes")
    func announced() {
        var assembly = MessageAssembly()
        #expect(
            add([1], isFirst: true, remaining: .max, to: &assembly) == .violation(code: 1009, "message too big"))
        #expect(add([1, 2, 3, 4], isFirst: true, to: &assembly) == .incomplete)
        #expect(add([5], remaining: 4, to: &assembly) == .violation(code: 1009, "message too big"))
    }

    @Test("empty frames without end are refused by their number")
    func emptyFrames() {
        var assembly = MessageAssembly()
        #expect(add([], isFirst: true, to: &assembly) == .incomplete)
        #expect(add([], to: &assembly) == .incomplete)
        #expect(add([], to: &assembly) == .violation(code: 1009, "too many fragments"))
    }

    @Test("a character may be cut by a frame, a text may not end in one")
    func cutCharacters() {
        var assembly = MessageAssembly()
        #expect(add([0xC3], isFirst: true, to: &assembly) == .incomplete)
        #expect(
            add([0xA9], isLast: true, to: &assembly) == .complete(IncomingMessage(kind: .text, bytes: Array("é".utf8))))
        #expect(add([0xC3], isFirst: true, isLast: true, to: &assembly) == .violation(code: 1007, "not UTF-8"))
    }
}
