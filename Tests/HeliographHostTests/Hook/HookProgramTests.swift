import Glibc
import Testing

@testable import HeliographHook

@Suite("The small program for hooks")
struct HookProgramTests {
    @Test("Agents call it where it lies beside the command and can be run, else the command")
    func beside() throws {
        let folder = try HookFolder()
        let (command, small) = (folder.path + "/heliograph", folder.path + "/heliograph-hook")
        #expect(HookProgram.path(beside: command) == command)
        let file = unsafe open(small, O_WRONLY | O_CREAT, 0o600)
        try #require(file >= 0)
        close(file)
        try #require(unsafe chmod(small, 0o755) == 0)
        #expect(HookProgram.path(beside: command) == small)
        #expect(HookProgram.path(beside: folder.path + "/another") == folder.path + "/another")
        #expect(HookProgram.path(beside: "heliograph") == "heliograph")
    }

    @Test(
        "Words of other commands are not its own",
        arguments: [[], ["hook"], ["hook", "claude"], ["statusline", "--help"], ["serve"]])
    func words(words: [String]) {
        #expect(AgentCall.run(["heliograph"] + words) == nil)
    }
}
