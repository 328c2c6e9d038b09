/// A terminal's screen, built from the program's output: enough to read a program's display, and to draw it elsewhere.
///
/// | understood | left out |
/// |---|---|
/// | text with wrapping, wide and combined characters, line drawing | other character sets, double height |
/// | cursor moves, tabulators each eight columns, save and restore | left and right margins, other tabulators |
/// | erase, insert and delete cells and rows, scroll regions, repeat | insert mode, what has scrolled away |
/// | colours and attributes | blinking, coloured underlines |
/// | the alternate screen, size changes | titles |
package struct TerminalScreen: Sendable {
    struct Cell: Sendable, Equatable {
        /// Empty in the second column of a wide character.
        var text = " "
        var style = TerminalStyle()
    }

    struct Cursor: Sendable, Equatable {
        var row = 0
        var column = 0
        /// True if the last column is full, so that the next character goes to the next row.
        var isPastEnd = false
        var style = TerminalStyle()
        var isInRegion = false
        var sets = TerminalSets()
    }

    /// A part of a row that is drawn in one style.
    package struct Run: Sendable, Equatable {
        package var text: String
        package var style: TerminalStyle
    }

    /// Largest number of rows or columns; a wrong size must not fill the memory.
    package static let sideMax = 1_000

    package private(set) var rows: Int
    package private(set) var columns: Int
    package internal(set) var modes = TerminalModes()
    var grid: [[Cell]]
    var other: [[Cell]]
    var cursor = Cursor()
    var saved = Cursor()
    var savedOfMain = Cursor()
    var top = 0
    var bottom: Int
    var last: Unicode.Scalar?
    private var parser = TerminalParser()

    package init(rows: Int, columns: Int) {
        self.rows = min(max(rows, 1), Self.sideMax)
        self.columns = min(max(columns, 1), Self.sideMax)
        grid = Self.blank(self.rows, self.columns)
        other = grid
        bottom = self.rows - 1
    }

    static func blank(_ rows: Int, _ columns: Int, _ cell: Cell = Cell()) -> [[Cell]] {
        Array(repeating: Array(repeating: cell, count: columns), count: rows)
    }

    /// The cell left by erasing; it has the background that is set.
    var erased: Cell { Cell(style: cursor.style.background) }

    // MARK: What is read

    /// The text of each row without the blanks at its end.
    package var lines: [String] { grid.indices.map(line) }

    package func line(_ row: Int) -> String {
        let end = grid[row].lastIndex { $0.text != " " }.map { $0 + 1 } ?? 0
        return grid[row][..<end].map(\.text).joined()
    }

    package var cursorPlace: (row: Int, column: Int) { (cursor.row, cursor.column) }

    /// The runs of a row, without the plain blanks at its end. Concealed text is blank.
    package func runs(_ row: Int) -> [Run] {
        let end = grid[row].lastIndex { $0.text != " " || $0.style.isDrawnWhenBlank }.map { $0 + 1 } ?? 0
        var runs: [Run] = []
        for cell in grid[row][..<end] where !cell.text.isEmpty {
            let text = cell.style.marks.contains(.concealed) ? " " : cell.text
            if runs.last?.style == cell.style {
                runs[runs.count - 1].text += text
            } else {
                runs.append(Run(text: text, style: cell.style))
            }
        }
        return runs
    }

    /// True if the row is full, so that its text may continue in the next one.
    func isFull(_ row: Int) -> Bool { grid[row].last.map { $0.text != " " } == true }

    /// True if the row has text from this column on, and all of it is faint.
    package func isFaint(_ row: Int, from column: Int) -> Bool {
        let shown = grid[row].dropFirst(column).filter { $0.text != " " && !$0.text.isEmpty }
        return !shown.isEmpty && shown.allSatisfy { $0.style.marks.contains(.faint) }
    }

    // MARK: What happens

    package mutating func take(_ bytes: some Sequence<UInt8>) {
        for token in parser.take(bytes) { take(token) }
    }

    /// Resizes the screen. Programs then redraw; until they have, what still fits stays.
    package mutating func resize(rows: Int, columns: Int) {
        let (rows, columns) = (min(max(rows, 1), Self.sideMax), min(max(columns, 1), Self.sideMax))
        guard (rows, columns) != (self.rows, self.columns) else { return }
        // The rows below the cursor are dropped first, as terminals do.
        let dropped = max(0, cursor.row - (rows - 1))
        func fit(_ grid: [[Cell]], dropping: Int) -> [[Cell]] {
            var fitted = grid.dropFirst(dropping).prefix(rows).map { row in
                Array(row.prefix(columns)) + Array(repeating: Cell(), count: max(0, columns - row.count))
            }
            while fitted.count < rows { fitted.append(Array(repeating: Cell(), count: columns)) }
            return fitted
        }
        grid = fit(grid, dropping: dropped)
        other = fit(other, dropping: 0)
        (self.rows, self.columns) = (rows, columns)
        (top, bottom) = (0, rows - 1)
        move(row: cursor.row - dropped, column: cursor.column)
    }

    mutating func take(_ token: TerminalToken) {
        switch token {
        case .text(let scalar): write(scalar)
        case .control(let byte): control(byte)
        case .escape(nil, let final): escape(final)
        case .escape(let intermediate?, let final): cursor.sets.choose(final, for: intermediate)
        case .sequence(let sequence): carryOut(sequence)
        case .string: break
        }
    }

    // MARK: Text

    mutating func write(_ character: Unicode.Scalar) {
        let scalar = cursor.sets.shown(character)
        let width = ScalarWidth.columns(scalar)
        if width == 0 || joins(scalar) { return combine(scalar) }
        if cursor.isPastEnd, modes.wraps {
            cursor.column = 0
            feed()
        }
        cursor.isPastEnd = false
        if width == 2, cursor.column == columns - 1, columns > 1 {
            guard modes.wraps else { return }
            put(Cell(), at: cursor.column)
            cursor.column = 0
            feed()
        }
        put(Cell(text: String(Character(scalar)), style: cursor.style), at: cursor.column)
        if width == 2, cursor.column + 1 < columns {
            put(Cell(text: "", style: cursor.style), at: cursor.column + 1)
        }
        last = character
        advance(by: width)
    }

    private mutating func advance(by width: Int) {
        if cursor.column + width >= columns {
            cursor.column = columns - 1
            cursor.isPastEnd = true
        } else {
            cursor.column += width
        }
    }

    /// Puts a cell. If it covers one half of a wide character, the other is erased.
    private mutating func put(_ cell: Cell, at column: Int) {
        let before = grid[cursor.row][column]
        if before.text.isEmpty, column > 0, !cell.text.isEmpty { grid[cursor.row][column - 1].text = " " }
        if column + 1 < columns, grid[cursor.row][column + 1].text.isEmpty, !cell.text.isEmpty {
            grid[cursor.row][column + 1].text = " "
        }
        grid[cursor.row][column] = cell
    }

    /// The column of the character before the cursor.
    private var before: Int? {
        var column = cursor.isPastEnd ? cursor.column : cursor.column - 1
        guard column >= 0 else { return nil }
        if grid[cursor.row][column].text.isEmpty { column -= 1 }
        return column >= 0 ? column : nil
    }

    private func joins(_ scalar: Unicode.Scalar) -> Bool {
        guard let before else { return false }
        let text = grid[cursor.row][before].text
        guard let end = text.unicodeScalars.last else { return false }
        // A joiner makes one picture of two, but never one letter of two.
        if end == ScalarWidth.joiner { return (text + String(scalar)).count == 1 }
        if ScalarWidth.isModifier(scalar) { return end.properties.isEmojiModifierBase || end == ScalarWidth.pictureSelector }
        // Two regional indicators make one flag.
        let flags: ClosedRange<UInt32> = 0x1F1E6...0x1F1FF
        return flags.contains(scalar.value) && flags.contains(end.value)
            && text.unicodeScalars.count == 1
    }

    private mutating func combine(_ scalar: Unicode.Scalar) {
        // Sixteen scalars are enough for any character; with more marks it looks like something else.
        guard let before, grid[cursor.row][before].text.unicodeScalars.count < 16 else { return }
        grid[cursor.row][before].text.unicodeScalars.append(scalar)
        let isNarrow = before + 1 < columns && !grid[cursor.row][before + 1].text.isEmpty
        guard scalar == ScalarWidth.pictureSelector, isNarrow, !cursor.isPastEnd, before + 1 == cursor.column else { return }
        put(Cell(text: "", style: cursor.style), at: cursor.column)
        advance(by: 1)
    }
}
