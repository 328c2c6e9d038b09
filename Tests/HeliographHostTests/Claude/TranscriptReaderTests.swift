import Foundation
import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude
@testable import HeliographHost

@Suite("Claude Code's transcripts are found")
struct TranscriptReaderTests {
    private static let process = AgentProcess(id: 1, startedAt: 1)
    private static let name = "b771857d-0a18-41e5-9ca0-0975b8eafef8"

    @Test(
        "what a conversation had cost is found where it began, what it uses now only where it is named",
        arguments: [
            (.inherited, true), (.parent, true), (.used(by: process), false), (.left(process), false),
            (.fork(isLast: false), false), (.submitted(prompt: "p", from: nil), false),
            (.submitted(prompt: "p", from: 0), false),
            (.rested("a"), false), (.end(reason: nil, failed: false), false),
        ] as [(ClaudeTranscriptRequest.Purpose, Bool)])
    func elsewhere(purpose: ClaudeTranscriptRequest.Purpose, isFound: Bool) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "transcripts-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for project in ["-work", "-work-sub"] {
            let path = folder.appending(path: "projects/\(project)")
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
        }
        let began = folder.appending(path: "projects/-work/\(Self.name).jsonl")
        try Data("{}\n".utf8).write(to: began)
        func isThere(_ path: String) throws -> Bool {
            let session = try #require(SessionID("claude-\(Self.name)"))
            return TranscriptReader.end(for: ClaudeTranscriptRequest(session: session, path: path, purpose: purpose)) != nil
        }
        #expect(try isThere(folder.path + "/projects/-work-sub/\(Self.name).jsonl") == isFound)
        #expect(try isThere(began.path))
        #expect(try !isThere(folder.path + "/projects/-work-sub/b771857d-0a18-41e5-9ca0-000000000000.jsonl"))
        #expect(try !isThere(folder.path + "/elsewhere/-work-sub/\(Self.name).jsonl"))
    }
}
