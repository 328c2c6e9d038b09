import Foundation
import RelayProtocol
import Testing

@testable import HeliographHost

@Suite("Lines that are added to transcripts")
struct TranscriptTailTests {
    private let folder: HookFolder

    init() throws { folder = try HookFolder() }

    private func session(_ number: Int) -> SessionID { SessionID("claude-\(number)")! }

    private func path(_ number: Int) -> String { "\(folder.path)/\(number).jsonl" }

    @Test("are not missed because many sessions are followed, and one of them again")
    func many() throws {
        var tail = TranscriptTail()
        for number in 0..<64 {
            try Data("{\"before\":true}\n".utf8).write(to: URL(fileURLWithPath: path(number)))
            tail.follow(session(number), path(number))
        }
        tail.follow(session(0), path(0))
        for number in 0..<64 {
            try Data("{\"before\":true}\n{\"after\":true}\n".utf8).write(to: URL(fileURLWithPath: path(number)))
            #expect(tail.lines(of: session(number), with: ["true"]).count == 1)
        }
        tail.follow(session(64), path(0))
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path(63)))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("{\"more\":true}\n".utf8))
        #expect(tail.lines(of: session(63), with: ["true"]).count == 1, "the oldest gives way to a new one")
    }

    @Test("are all of a file that is written only later, and have any of the words")
    func unwritten() throws {
        var tail = TranscriptTail()
        tail.follow(session(1), path(1))
        #expect(tail.lines(of: session(1), with: ["a"]).isEmpty)
        try Data("{\"a\":1}\n{\"b\":1}\n{\"c\":1}\n".utf8).write(to: URL(fileURLWithPath: path(1)))
        #expect(tail.lines(of: session(1), with: ["a", "c"]).count == 2)
    }
}
