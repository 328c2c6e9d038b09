import Foundation
import RelayProtocol
import Testing

@testable import HeliographHost

@Suite("Claude Code's past sessions of a project")
struct ClaudePastTests {
    private static let ids = (0..<8).map { "00000000-0000-4000-8000-00000000000\($0)" }

    /// A configuration in which these projects, each given with the folder of its transcripts, have one session each.
    private func configuration(_ sessions: [(project: String, folder: String)]) throws -> URL {
        let config = FileManager.default.temporaryDirectory.appending(path: "past-\(UUID().uuidString)")
        for (id, session) in zip(Self.ids, sessions) {
            let folder = config.appending(path: "projects/\(session.folder)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let lines = [
                #"{"type":"queue-operation","sessionId":"\#(id)"}"#,
                #"{"type":"user","cwd":"\#(session.project)","message":{"role":"user","content":"hello"}}"#,
                #"{"type":"user","cwd":"/elsewhere","message":{"role":"user","content":"and there"}}"#,
            ]
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: folder.appending(path: "\(id).jsonl"))
        }
        return config
    }

    @Test("those of another project that shares the folder are not this one's, and are not resumed as such")
    func shared() throws {
        let config = try configuration([("/work/a.b", "-work-a-b"), ("/work/a-b", "-work-a-b"), ("/work/a-b/c", "-work-a-b")])
        defer { try? FileManager.default.removeItem(at: config) }
        for (project, own) in [("/work/a.b", 0), ("/work/a-b", 1)] {
            let past = ClaudePast(of: project, configDirectory: config.path)
            #expect(past.list().map(\.id) == [Self.ids[own]])
            #expect(Self.ids.map(past.has) == Self.ids.indices.map { $0 == own })
        }
    }

    @Test("two spellings of one name are two projects")
    func spellings() throws {
        let config = try configuration([("/work/caf\u{e9}", "-work-caf-"), ("/work/cafe\u{301}", "-work-cafe-")])
        defer { try? FileManager.default.removeItem(at: config) }
        #expect(ClaudePast(of: "/work/caf\u{e9}", configDirectory: config.path).list().map(\.id) == [Self.ids[0]])
        #expect(ClaudePast(of: "/work/cafe\u{301}", configDirectory: config.path).list().map(\.id) == [Self.ids[1]])
    }

    @Test("a long name's folder is found whatever its hash")
    func long() throws {
        let project = "/" + String(repeating: "l", count: 220)
        let beginning = "-" + String(repeating: "l", count: 199)
        let config = try configuration([(project, beginning + "-mvdkk4"), (project + "x", beginning + "-mvdkk5")])
        defer { try? FileManager.default.removeItem(at: config) }
        #expect(ClaudePast(of: project, configDirectory: config.path).list().map(\.id) == [Self.ids[0]])
    }
}
