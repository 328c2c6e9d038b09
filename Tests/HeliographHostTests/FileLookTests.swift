import AgentClaude
import Foundation
import Glibc
import Testing

@testable import HeliographHost

@Suite("Looking at a file that an agent names")
struct FileLookTests {
    private func real(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }

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

        let outside = folder.path + "-outside"
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: outside) }
        try FileManager.default.createSymbolicLink(atPath: path("docs"), withDestinationPath: outside)
        try FileManager.default.createSymbolicLink(atPath: path("soon"), withDestinationPath: "docs/later")
        for (name, target) in [
            ("docs/new", outside + "/new"), ("docs/deep/new", outside + "/deep/new"),
            ("docs/../x", folder.deletingLastPathComponent().path + "/x"),
            ("new", nil), ("deep/new", nil), ("./file", nil), ("soon", outside + "/later"), ("link", path("file")),
        ] {
            let real = target?.replacing(folder.path, with: real(folder.path))
            #expect(FileLook.read(path(name)).target == real, "\(name)")
            #expect(FileLook.read(path(name), in: folder.path).target == real, "\(name)")
        }
        // The folder itself is reached by a link: only paths below it count, and are named from there.
        let alias = folder.path + "-alias"
        try FileManager.default.createSymbolicLink(atPath: alias, withDestinationPath: folder.path)
        defer { try? FileManager.default.removeItem(atPath: alias) }
        #expect(FileLook.read(alias + "/file", in: alias).target == nil)
        #expect(FileLook.read(alias + "/link", in: alias).target == alias + "/file")
        #expect(FileLook.read(alias + "/docs/new", in: alias).target == real(outside) + "/new")
        #expect(FileLook.read(alias + "/new", in: nil).target == real(folder.path) + "/new")

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
