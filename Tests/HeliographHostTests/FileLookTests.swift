import AgentClaude
import Foundation
import Glibc
import Testing

@testable import HeliographHost

@Suite("Looking at a file that an agent names")
struct FileLookTests {
    @Test("files are read, links say where they lead, and nothing else is waited for", .timeLimit(.minutes(1)))
    func looks() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("look-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = { (name: String) in folder.appendingPathComponent(name).path }
        try Data("hello\n".utf8).write(to: URL(fileURLWithPath: path("file")))
        #expect(FileLook.read(path("file")) == ClaudeFile(content: .bytes(Array("hello\n".utf8)), size: 6))
        #expect(FileLook.read(path("none")) == .absent)

        try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: path("file"))
        let link = FileLook.read(path("link"))
        #expect(link.size == 6 && link.target?.hasSuffix("/file") == true)

        #expect(unsafe mkfifo(path("pipe"), 0o600) == 0)
        for other in [path("pipe"), folder.path, "/dev/zero"] {
            #expect(FileLook.read(other).content == .unread(.notAFile), "\(other)")
        }

        try Data(repeating: 97, count: FileLook.bytesMax + 1).write(to: URL(fileURLWithPath: path("large")))
        #expect(FileLook.read(path("large")).content == .unread(.tooLarge))
        #expect(FileLook.read(path("large")).size == Int64(FileLook.bytesMax + 1))
        #expect(FileLook.read("/proc/self/status").size ?? 0 > 0, "a file of the kernel tells no size before it is read")
    }
}
