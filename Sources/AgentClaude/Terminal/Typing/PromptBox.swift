package import HostCore

/// Claude Code's input line, as it is on the screen between two rules (facts/steering.md 2.3, 2.4).
package struct PromptBox: Sendable, Equatable {
    /// Visible rows of the text, without the mark and the indent.
    package var rows: [String]
    /// True if the text follows a `!`, so that Enter runs it in the shell.
    package var isShell = false
    /// True if there are more rows than fit, so that the first ones cannot be seen.
    package var hidesBeginning = false
    /// True if the row shows a grey hint and no text.
    package var isHint = false
    /// True if a draft is in the stash, which has room for one.
    package var isStashUsed = false
    /// The permission mode in the last line; nil if it shows something else.
    package var mode: String?
    /// True if the last line says that Esc interrupts a turn.
    package var isInTurn = false
    /// True if no turn runs and the agent only waits for background subagents, by the line above the input.
    package var isInBackground = false

    package init(rows: [String]) { self.rows = rows }

    package var isEmpty: Bool { !isShell && !hidesBeginning && (isHint || rows.allSatisfy(\.isEmpty)) }

    private static let rule = "───"
    private static let marks: Set<Character> = ["❯", "!"]
    /// Rows that Claude Code may draw below the input: the user's status line and the task list.
    private static let rowsBelowMax = 8
    /// Rows that may be above the input: a menu of completions.
    private static let rowsAboveMax = 12
    private static let indent = 2
    private static let hints = ["Press up to edit", "Try \""]

    /// Nil if the screen shows something else, or in case of doubt.
    package init?(on screen: TerminalScreen) {
        let lines = screen.lines
        let rules = lines.indices.filter { lines[$0].hasPrefix(Self.rule) }
        guard rules.count >= 2 else { return nil }
        let (above, below) = (rules[rules.count - 2], rules[rules.count - 1])
        let inside = Array(lines[(above + 1)..<below])
        let place = screen.cursorPlace
        // In a dialog the cursor is elsewhere.
        guard let first = inside.first, lines.count - below - 1 <= Self.rowsBelowMax, above < place.row, place.row < below,
            place.column >= Self.indent
        else { return nil }
        hidesBeginning = lines[above].contains("↑")
        if hidesBeginning {
            guard first.hasPrefix("  ") || first.isEmpty else { return nil }
        } else {
            guard let mark = first.first, Self.marks.contains(mark),
                first.dropFirst().first.map({ $0 == " " || $0 == "\u{A0}" }) ?? true
            else { return nil }
            isShell = mark == "!"
        }
        guard inside.dropFirst().allSatisfy({ $0.isEmpty || $0.hasPrefix("  ") }) else { return nil }
        rows = inside.map { String($0.dropFirst(Self.indent)) }
        isHint =
            inside.count == 1 && place.column == Self.indent && !isShell
            && (screen.isFaint(above + 1, from: Self.indent + 1) || Self.hints.contains { rows[0].hasPrefix($0) })
        let before = lines[..<above].suffix(Self.rowsAboveMax)
        isStashUsed = before.contains { $0.contains("draft stashed") }
        mode = Self.mode(in: lines[(below + 1)...])
        isInTurn = lines[(below + 1)...].contains { $0.contains("esc to interrupt") }
        isInBackground =
            !isInTurn && mode != nil
            && before.contains { $0.contains("Waiting for ") && $0.contains(" background agent") && $0.hasSuffix("to finish") }
    }

    private static func mode(in footer: ArraySlice<String>) -> String? {
        let names = [
            "manual mode on": "default", "accept edits on": "acceptEdits", "plan mode on": "plan", "auto mode on": "auto",
            "bypass permissions on": "bypassPermissions",
        ]
        // The person's status line may contain anything; the mode has its own sign.
        for line in footer {
            let shown = line.drop { $0 == " " }
            guard shown.hasPrefix("⏸") || shown.hasPrefix("⏵") else { continue }
            return names.first { shown.contains($0.key) }?.value
        }
        return nil
    }
}
