import Testing

@testable import AgentACP

@Suite("ACP: lines")
struct LineFlowTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("a line is whole when its end has come, however it is cut")
    func cut() {
        var flow = LineFlow(lineBytesMax: 100)
        #expect(flow.take(bytes("ab")) == [])
        #expect(flow.take(bytes("c\nd\n\ne")) == [.line(bytes("abc\n")), .line(bytes("d\n")), .line(bytes("\n"))])
        #expect(flow.finish() == .line(bytes("e")))
        #expect(flow.finish() == nil)
    }

    @Test("a line that is too long goes through in pieces, and the next is read again")
    func long() {
        var flow = LineFlow(lineBytesMax: 4)
        #expect(flow.take(bytes("abc")) == [])
        #expect(flow.take(bytes("de")) == [.fragment(bytes("abcde"))])
        #expect(flow.take(bytes("fgh")) == [.fragment(bytes("fgh"))])
        #expect(flow.take(bytes("i\nj\n")) == [.fragment(bytes("i\n")), .line(bytes("j\n"))])
    }

    @Test("nothing of ours goes into the middle of a long line")
    func insertion() {
        var flow = LineFlow(lineBytesMax: 4)
        _ = flow.take(bytes("abcdef"))
        flow.insert(bytes("ours\n"))
        #expect(flow.release() == [])
        _ = flow.take(bytes("\n"))
        #expect(flow.release() == [bytes("ours\n")])
        #expect(flow.release() == [])
    }
}
