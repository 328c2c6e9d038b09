import Testing

@testable import HeliographHost

@Suite("What connecting changes, in a few sentences") struct ClaudeSettingsChangeTests {
    private static let own = #"{"statusLine":{"type":"command","command":"mine"},"permissions":{"ask":["WebFetch"]}}"#

    @Test("connecting, with all that can be asked for, and back")
    func both() throws {
        let old = Array(Self.own.utf8)
        let new = try #require(
            try ClaudeSettings.connect(old, executable: "/opt/x/heliograph-hook", todoTools: true, askRules: ["Bash"]).bytes)
        #expect(
            ClaudeSettingsChange.sentences(from: old, to: new) == [
                "adds 18 hooks, each of which calls /opt/x/heliograph-hook",
                "has Heliograph see what your status line sees, too",
                "turns on the todo tools", "makes it ask before: Bash",
            ])
        #expect(
            ClaudeSettingsChange.sentences(from: new, to: try ClaudeSettings.disconnect(new).bytes) == [
                "removes 18 hooks", "gives your status line back", "turns off the todo tools",
                "no longer makes it ask before: Bash",
            ])
    }

    @Test("a file that was not there, and one that goes")
    func wholeFile() throws {
        let new = try ClaudeSettings.connect(nil, executable: "/opt/x/heliograph").bytes
        #expect(
            ClaudeSettingsChange.sentences(from: nil, to: new) == [
                "adds 18 hooks, each of which calls /opt/x/heliograph", "adds a status line",
            ])
        #expect(ClaudeSettingsChange.sentences(from: new, to: nil) == ["removes 18 hooks", "removes the status line"])
    }

    @Test("a program that has moved, and nothing to do")
    func moved() throws {
        let old = try #require(try ClaudeSettings.connect(nil, executable: "/old/heliograph").bytes)
        let new = try ClaudeSettings.connect(old, executable: "/new/heliograph").bytes
        #expect(
            ClaudeSettingsChange.sentences(from: old, to: new) == [
                "lets 18 hooks call /new/heliograph from now on", "lets the status line call /new/heliograph",
            ])
        #expect(ClaudeSettingsChange.sentences(from: new, to: new).isEmpty)
    }

    @Test(
        "a path that does not stay is named",
        arguments: [
            ("/home/a/heliograph/.build/release/heliograph-hook", true), ("/usr/bin/heliograph-hook", false),
            ("/home/a/.build", false), ("/home/a/my.build/heliograph", false),
        ])
    func passing(_ path: String, _ isPassing: Bool) {
        #expect((OwnProgram.passingNote(on: path) != nil) == isPassing)
    }
}
