import HostCore
import Testing

@testable import AgentClaude

@Suite("Claude Code's input line on its screen")
struct PromptBoxTests {
    @Test("the real program's line is found, empty, with text, with a draft set aside, and too tall")
    func typed() throws {
        let typed = try TerminalRecording("terminal-typed")
        for moment in ["start", "after hello there", "cleared"] {
            let box = try #require(try typed.box(after: moment))
            #expect(box.isEmpty && !box.isStashUsed && box.mode == "default", "\(moment)")
        }
        #expect(try typed.box(after: "typed hello there")?.rows == ["hello there"])
        #expect(try typed.box(after: "typed two lines")?.rows == ["two", "lines"])
        #expect(try typed.box(after: "typed x @README ")?.rows == ["x @README"])
        #expect(try typed.box(after: "draft")?.rows == ["half typed"])
        let stashed = try #require(try typed.box(after: "stashed"))
        #expect(stashed.isEmpty && stashed.isStashUsed)
        let back = try #require(try typed.box(after: "after with stash"))
        #expect(back.rows == ["half typed"] && !back.isStashUsed, "the program gives it back by itself")
        let dialogs = try TerminalRecording("terminal-dialogs")
        let tall = try #require(try dialogs.box(after: "tall"))
        #expect(tall.hidesBeginning && !tall.isEmpty && tall.rows.last == "end")
        let text = try #require(TypedText((0..<100).map { "line \($0)\n" }.joined() + "end"))
        #expect(text.isShown(in: tall) && text.isBegun(in: tall))
        let other = try #require(TypedText("something else\nline 99\nend"))
        #expect(!other.isShown(in: tall))
    }

    @Test("below it stands whether a turn runs, above it that only subagents do")
    func turns() throws {
        let rule = String(repeating: "─", count: 40)
        func box(_ above: String, _ footer: String) throws -> PromptBox {
            var screen = TerminalScreen(rows: 10, columns: 120)
            // The cursor stays in the line.
            screen.take(Array("\(above)\r\n\r\n\(rule)\r\n❯ \r\n\(rule)\r\n  \(footer)\u{1B}[4;3H".utf8))
            return try #require(PromptBox(on: screen))
        }
        let waits = "✻ Waiting for 1 background agent to finish"
        let free = "⏸ manual mode on · ? for shortcuts"
        let turn = "⏸ manual mode on · esc to interrupt · ↓ to manage"
        #expect(try !box("● Done.", free).isInTurn && !box("● Done.", free).isInBackground)
        #expect(try box(waits, free).isInBackground && !box(waits, free).isInTurn)
        #expect(try box(waits.replacing("agent", with: "agents"), free).isInBackground)
        #expect(try box(waits, turn).isInTurn && !box(waits, turn).isInBackground, "of the turn before")
        #expect(try !box(waits, "a status line of one's own").isInBackground)
    }

    @Test("a dialog, the transcript's view and the shell's line are something else")
    func others() throws {
        let dialogs = try TerminalRecording("terminal-dialogs")
        #expect(try dialogs.box(after: "dialog") == nil)
        #expect(try dialogs.box(after: "transcript") == nil)
        #expect(try dialogs.box(after: "transcriptoff")?.isEmpty == true)
        let shell = try #require(try dialogs.box(after: "shell"))
        #expect(shell.isShell && !shell.isEmpty)
    }

    @Test("pieces of any length give the same screen", arguments: [1, 7, 64])
    func pieces(_ length: Int) throws {
        for name in ["terminal-typed", "terminal-dialogs"] {
            let recording = try TerminalRecording(name)
            let last = name == "terminal-typed" ? "cleared" : "shelloff"
            #expect(try recording.screen(after: last).lines == recording.screen(after: last, piece: length).lines)
        }
    }

    @Test("what would be a command becomes text, and what the program would change is changed before it is compared")
    func text() throws {
        func keys(_ text: String) -> String { String(decoding: TypedText(text)?.keys ?? [], as: UTF8.self) }
        func paste(_ text: String) -> String { "\u{1B}[200~\(text)\u{1B}[201~" }
        #expect(keys("hello") == paste("hello"))
        #expect(keys("/help") == paste("> /help ") && keys(" \n/help") == paste("> /help "))
        #expect(keys("!rm x") == paste("> !rm x") && keys("\u{200B}!rm") == paste("> !rm"))
        #expect(keys("/\u{301}x").utf8.starts(with: "\u{1B}[200~> /".utf8), "a mark on the slash makes it no other")
        #expect(keys("ends with \\") == paste("ends with \\ "))
        #expect(keys("see @README") == paste("see @README "))
        #expect(keys("a\tb\r\nc\u{1B}[201~d\u{7}") == paste("a    b\nc[201~d"))
        #expect(keys("one\n two\nthree\nfour") == paste("one\n two\nthree") + paste("\nfour"))
        #expect(TypedText(" \n\u{200B}") == nil)
        let long = String(repeating: "word ", count: 4_000)
        let pieces = keys(long).split(separator: "\u{1B}[201~")
        #expect(pieces.allSatisfy { $0.dropFirst(6).count <= 600 } && pieces.count == 34)
        #expect(TypedText(long)?.isPasted == false)
        let lines = try #require(TypedText((0..<2_500).map { "line \($0)\n" }.joined()))
        #expect(lines.isPasted, "so many pieces would take too long")
        var box = PromptBox(rows: ["[Pasted text #3 +2499 lines]"])
        #expect(lines.isShown(in: box))
        box.rows = ["x[Pasted text #3 +2499 lines]"]
        #expect(!lines.isShown(in: box))
        #expect(lines.isTaken(as: "\n\n<pasted_content id=\"5059\">\n" + lines.text + "\n</pasted_content id=\"5059\">\n"))
    }

    @Test("what was mixed with something else is known")
    func mixed() throws {
        let text = try #require(TypedText("go on"))
        #expect(text.isTaken(as: "go on\n") && !text.isMixed(into: "go on"))
        #expect(text.isMixed(into: "please go on") && !text.isTaken(as: "please go on"))
        #expect(!text.isMixed(into: "something else") && !text.isTaken(as: "something else"))
    }
}
