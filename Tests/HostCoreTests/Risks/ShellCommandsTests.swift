import Testing

@testable import HostCore

@Suite("The commands in a shell command")
struct ShellCommandsTests {
    private func commands(_ text: String) -> [String] {
        ShellCommands.all(in: Array(text.utf8)).map { ($0.isPiped ? "| " : "") + $0.words.joined(separator: " ") }
    }

    @Test("stand alone, in pipes, in substitutions and in strings")
    func all() {
        #expect(
            commands("cd /tmp && ls -la; echo 'a;b' | wc 2>&1 &") == ["cd /tmp", "ls -la", "echo a;b", "| wc 2 > 1"])
        #expect(commands("git push $(cat name) --force") == ["cat name", "git push $() --force"])
        #expect(commands("echo \"`rm x`\"") == ["rm x", "echo `rm x`"])
        #expect(commands("bash -c 'rm -rf /'") == ["bash -c rm -rf /", "rm -rf /"])
        #expect(commands("bash <(curl x)") == ["curl x", "bash <()"])
        #expect(commands("make \\\n test") == ["make test"])
        #expect(commands("echo 'not closed") == ["echo not closed"])
    }
}
