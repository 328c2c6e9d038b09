import Glibc
import Testing

@testable import HeliographHost

@Suite("Settings file")
struct SettingsFileTests {
    @Test("A new file is created with its folder, for its owner only")
    func newFile() throws {
        let folder = try HookFolder()
        let file = SettingsFile(path: folder.path + "/.claude/settings.json")
        #expect(try file.read() == nil)
        try file.write(Array("{}".utf8), replacing: nil)
        #expect(try file.read() == Array("{}".utf8))
        #expect(folder.mode(".claude/settings.json") == S_IFREG | 0o600)
        #expect(folder.names(".claude") == ["settings.json"])
    }

    @Test("A file keeps its mode, and a link stays a link")
    func links() throws {
        let folder = try HookFolder()
        let target = SettingsFile(path: folder.path + "/target.json")
        try target.write([1], replacing: nil)
        folder.setMode("target.json", 0o644)
        #expect(folder.link("link.json", to: "target.json"))
        let link = SettingsFile(path: folder.path + "/link.json")
        try link.write([2], replacing: [1])
        #expect(try target.read() == [2])
        #expect(folder.mode("target.json") == S_IFREG | 0o644)
        #expect(folder.mode("link.json").map { $0 & S_IFMT } == S_IFLNK)
    }

    @Test("What is behind a link is emptied rather than removed")
    func emptiedBehindLink() throws {
        let folder = try HookFolder()
        try SettingsFile(path: folder.path + "/target.json").write([1], replacing: nil)
        #expect(folder.link("link.json", to: "target.json"))
        try SettingsFile(path: folder.path + "/link.json").write(nil, replacing: [1])
        #expect(try SettingsFile(path: folder.path + "/target.json").read() == Array("{}\n".utf8))
        #expect(folder.mode("link.json").map { $0 & S_IFMT } == S_IFLNK)
    }

    @Test("A file that changed in between is left as it is")
    func changed() throws {
        let folder = try HookFolder()
        let file = SettingsFile(path: folder.path + "/settings.json")
        try file.write([1], replacing: nil)
        let error = #expect(throws: ConnectError.self) { try file.write([3], replacing: [2]) }
        #expect(error?.code == .changedMeanwhile)
        #expect(try file.read() == [1])
    }

    @Test("A link to nothing and a folder in the place of the file are refused")
    func strangeThingsInItsPlace() throws {
        let folder = try HookFolder()
        #expect(folder.link("link.json", to: "nowhere"))
        #expect(throws: ConnectError.self) { try SettingsFile(path: folder.path + "/link.json").read() }
        #expect(throws: ConnectError.self) { try SettingsFile(path: folder.path).read() }
    }

    @Test("A file that is to go is removed")
    func removal() throws {
        let folder = try HookFolder()
        let file = SettingsFile(path: folder.path + "/settings.json")
        try file.write([1], replacing: nil)
        try file.write(nil, replacing: [1])
        #expect(try file.read() == nil)
    }
}
