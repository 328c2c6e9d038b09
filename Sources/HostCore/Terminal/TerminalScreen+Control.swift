/// Control sequences that move the cursor, erase and scroll.
extension TerminalScreen {
    mutating func control(_ byte: UInt8) {
        switch byte {
        case 0x08: move(row: cursor.row, column: cursor.column - 1)
        case 0x09: move(row: cursor.row, column: (cursor.column / 8 + 1) * 8)
        case 0x0A, 0x0B, 0x0C:
            feed()
            cursor.isPastEnd = false
        case 0x0D: move(row: cursor.row, column: 0)
        case 0x0E, 0x0F: cursor.sets.isShifted = byte == 0x0E
        default: break
        }
    }

    mutating func escape(_ final: UInt8) {
        switch final {
        case UInt8(ascii: "7"): saved = cursor
        case UInt8(ascii: "8"): restore(saved)
        case UInt8(ascii: "D"): feed()
        case UInt8(ascii: "E"):
            cursor.column = 0
            feed()
        case UInt8(ascii: "M"):
            if cursor.row == top { scroll(down: 1) } else { move(row: cursor.row - 1, column: cursor.column) }
        case UInt8(ascii: "c"): self = TerminalScreen(rows: rows, columns: columns)
        case UInt8(ascii: "="), UInt8(ascii: ">"): modes.take(.escape(intermediate: nil, final: final))
        default: break
        }
    }

    mutating func carryOut(_ sequence: TerminalSequence) {
        guard sequence.prefix == nil, sequence.intermediate == nil else { return switchModes(sequence) }
        let count = sequence.count()
        switch sequence.final {
        case UInt8(ascii: "A"): move(row: max(cursor.row - count, cursor.row >= top ? top : 0), column: cursor.column)
        case UInt8(ascii: "B"), UInt8(ascii: "e"):
            move(row: min(cursor.row + count, cursor.row <= bottom ? bottom : rows - 1), column: cursor.column)
        case UInt8(ascii: "C"), UInt8(ascii: "a"): move(row: cursor.row, column: cursor.column + count)
        case UInt8(ascii: "D"): move(row: cursor.row, column: cursor.column - count)
        case UInt8(ascii: "E"): move(row: cursor.row + count, column: 0)
        case UInt8(ascii: "F"): move(row: cursor.row - count, column: 0)
        case UInt8(ascii: "G"), UInt8(ascii: "`"): move(row: cursor.row, column: count - 1)
        case UInt8(ascii: "d"): move(row: line(numbered: count), column: cursor.column)
        case UInt8(ascii: "H"), UInt8(ascii: "f"): move(row: line(numbered: count), column: sequence.count(1) - 1)
        case UInt8(ascii: "I"): for _ in 0..<min(count, columns) { control(0x09) }
        case UInt8(ascii: "Z"): move(row: cursor.row, column: max(0, (cursor.column - 1) / 8 - (count - 1)) * 8)
        case UInt8(ascii: "J"): eraseScreen(sequence.number())
        case UInt8(ascii: "K"): eraseLine(sequence.number())
        case UInt8(ascii: "L"): insertLines(count)
        case UInt8(ascii: "M"): deleteLines(count)
        case UInt8(ascii: "@"): insertBlanks(count)
        case UInt8(ascii: "P"): deleteCharacters(count)
        case UInt8(ascii: "X"): erase(cursor.row, cursor.column..<min(columns, cursor.column + count))
        case UInt8(ascii: "S"): scroll(up: count)
        case UInt8(ascii: "T"): scroll(down: count)
        case UInt8(ascii: "b"): if let last { for _ in 0..<min(count, rows * columns) { write(last) } }
        case UInt8(ascii: "m"): cursor.style.take(sequence.parameters)
        case UInt8(ascii: "r"): region(sequence)
        case UInt8(ascii: "s"): saved = cursor
        case UInt8(ascii: "u"): restore(saved)
        default: break
        }
    }

    // MARK: Cursor

    mutating func move(row: Int, column: Int) {
        cursor.row = min(max(row, 0), rows - 1)
        cursor.column = min(max(column, 0), columns - 1)
        cursor.isPastEnd = false
    }

    private func line(numbered number: Int) -> Int { cursor.isInRegion ? min(top + number - 1, bottom) : number - 1 }

    private mutating func restore(_ to: Cursor) {
        cursor = to
        let isPastEnd = to.isPastEnd
        move(row: to.row, column: to.column)
        cursor.isPastEnd = isPastEnd
    }

    /// Moves the cursor one row down; the region scrolls if the cursor is in its last row.
    mutating func feed() {
        if cursor.row == bottom { scroll(up: 1) } else if cursor.row < rows - 1 { cursor.row += 1 }
    }

    private mutating func region(_ sequence: TerminalSequence) {
        let first = sequence.count() - 1
        let end = sequence.number(1) > 0 ? min(sequence.number(1), rows) - 1 : rows - 1
        guard first < end else { return }
        (top, bottom) = (first, end)
        move(row: cursor.isInRegion ? top : 0, column: 0)
    }

    // MARK: Erasing

    private mutating func erase(_ row: Int, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        // If one half of a wide character is erased, the other is too.
        if grid[row][range.lowerBound].text.isEmpty, range.lowerBound > 0 { grid[row][range.lowerBound - 1] = Cell() }
        if range.upperBound < columns, grid[row][range.upperBound].text.isEmpty { grid[row][range.upperBound] = Cell() }
        let erased = erased
        for column in range { grid[row][column] = erased }
    }

    private mutating func eraseLine(_ what: Int) {
        switch what {
        case 0: erase(cursor.row, cursor.column..<columns)
        case 1: erase(cursor.row, 0..<cursor.column + 1)
        case 2: erase(cursor.row, 0..<columns)
        default: break
        }
    }

    private mutating func eraseScreen(_ what: Int) {
        switch what {
        case 0:
            eraseLine(0)
            for row in cursor.row + 1..<max(rows, cursor.row + 1) { erase(row, 0..<columns) }
        case 1:
            eraseLine(1)
            for row in 0..<cursor.row { erase(row, 0..<columns) }
        case 2: for row in 0..<rows { erase(row, 0..<columns) }
        default: break
        }
    }

    private mutating func insertBlanks(_ count: Int) {
        let count = min(count, columns - cursor.column)
        grid[cursor.row].insert(contentsOf: Array(repeating: erased, count: count), at: cursor.column)
        grid[cursor.row].removeLast(count)
        cursor.isPastEnd = false
    }

    private mutating func deleteCharacters(_ count: Int) {
        let count = min(count, columns - cursor.column)
        grid[cursor.row].removeSubrange(cursor.column..<cursor.column + count)
        grid[cursor.row] += Array(repeating: erased, count: count)
        cursor.isPastEnd = false
    }

    // MARK: Scrolling

    private mutating func scroll(up count: Int) { shift(from: top, count, isUp: true) }
    mutating func scroll(down count: Int) { shift(from: top, count, isUp: false) }

    private mutating func shift(from first: Int, _ count: Int, isUp: Bool) {
        let count = min(count, bottom - first + 1)
        let blank = Self.blank(count, columns, erased)
        if isUp {
            grid.replaceSubrange(first...bottom, with: Array(grid[first + count..<bottom + 1]) + blank)
        } else {
            grid.replaceSubrange(first...bottom, with: blank + Array(grid[first..<bottom + 1 - count]))
        }
    }

    private mutating func insertLines(_ count: Int) {
        guard (top...bottom).contains(cursor.row) else { return }
        shift(from: cursor.row, count, isUp: false)
        move(row: cursor.row, column: 0)
    }

    private mutating func deleteLines(_ count: Int) {
        guard (top...bottom).contains(cursor.row) else { return }
        shift(from: cursor.row, count, isUp: true)
        move(row: cursor.row, column: 0)
    }

    // MARK: Modes

    private mutating func switchModes(_ sequence: TerminalSequence) {
        let wasAlternate = modes.isAlternateScreen
        modes.take(.sequence(sequence))
        if sequence.intermediate == UInt8(ascii: "!"), sequence.final == UInt8(ascii: "p") {
            (top, bottom) = (0, rows - 1)
            (cursor.style, cursor.isInRegion, cursor.sets) = (TerminalStyle(), false, TerminalSets())
            saved = Cursor()
        }
        guard sequence.prefix == UInt8(ascii: "?"), sequence.intermediate == nil,
            [UInt8(ascii: "h"), UInt8(ascii: "l")].contains(sequence.final)
        else { return }
        let isOn = sequence.final == UInt8(ascii: "h")
        for mode in sequence.parameters {
            switch mode {
            case 6:
                cursor.isInRegion = isOn
                move(row: isOn ? top : 0, column: 0)
            case 1048: if isOn { saved = cursor } else { restore(saved) }
            case 1049: if isOn != wasAlternate { if isOn { savedOfMain = cursor } else { restore(savedOfMain) } }
            default: break
            }
        }
        guard modes.isAlternateScreen != wasAlternate else { return }
        swap(&grid, &other)
        // The alternate screen is empty whenever it is shown.
        if modes.isAlternateScreen { grid = Self.blank(rows, columns) }
    }
}
