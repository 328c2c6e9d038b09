import Foundation
import HeliographHook
import RelayAccess
import Testing

@testable import HeliographHost

@Suite("Services of the user's own systemd")
struct UserUnitsTests {
    @Test("a word of a unit is one word, whatever is in it")
    func words() {
        #expect(UserUnits.word("plain", isCommand: true) == #""plain""#)
        #expect(UserUnits.word(#"a "b" \ %h $HOME"#, isCommand: true) == #""a \"b\" \\ %%h $$HOME""#)
        #expect(UserUnits.word("A=$HOME", isCommand: false) == #""A=$HOME""#)
        #expect(UserUnits.word("a\nExecStart=/bin/false", isCommand: true) == #""a\nExecStart=/bin/false""#)
    }

    @Test("systemd finds nothing wrong with a unit of strange folders")
    func verify() throws {
        let units = UserUnits(HostPaths { _ in nil }) { ["PATH": "/usr/bin:/a b/%bin\"", "HELIOGRAPH_DATA": "/d"][$0] }
        let part = BackgroundPart(.relay, ["serve", "--data", "/a \"b\"/%h/$HOME"])
        let text = units.text(part, executable: "/bin/true", build: "1")
        let folder = try Self.folder()
        #expect(try Self.complaints(of: text, in: folder) == "")
        #expect(try Self.complaints(of: text + "[Service]\nNoSuchWord=1\n", in: folder).contains("NoSuchWord"))
    }

    private static func complaints(of text: String, in folder: String) throws -> String {
        let path = folder + "/heliograph-relay.service"
        try Data(text.utf8).write(to: URL(filePath: path))
        let said = try ChildProcess.run(
            ["systemd-analyze", "verify", "--user", "--man=no", path], input: [], outputBytesMax: 64 << 10,
            variables: ["XDG_RUNTIME_DIR": folder])
        return String(decoding: said.errors, as: UTF8.self)
    }

    private static func folder() throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.path
    }

    @Test("what up has set up is read as it was written")
    func record() throws {
        let folder = try Self.folder()
        let paths = HostPaths { ["HOME": folder][$0] }
        #expect(try BackgroundRecord.load(paths) == nil)
        var record = BackgroundRecord(.supervised, executable: "/bin/true")
        record.parts = [BackgroundPart(.relay, ["serve", "--data", "/a b"]), BackgroundPart(.host, ["host", "run"])]
        record.agents = ["claude"]
        record.lingers = true
        try record.save(paths)
        #expect(try BackgroundRecord.load(paths) == record)
        try Files.replace(BackgroundRecord.file(paths), with: Array(#"{"manager":"launchd"}"#.utf8))
        #expect(throws: HostError.self) { try BackgroundRecord.load(paths) }
    }
}
