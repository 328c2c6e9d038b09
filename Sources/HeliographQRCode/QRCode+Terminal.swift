extension QRCode {
    /// The code in half-block characters, two rows per line, with the quiet zone around it that scanners need.
    ///
    /// Drawn for a dark terminal: light modules are the blocks, dark ones are the background. `inverted` is for a light terminal,
    /// and `coloured` for any: black blocks on white, in the 256 colours that themes leave alone.
    package func terminal(inverted: Bool = false, coloured: Bool = false) -> String {
        if coloured {
            let lines = terminal(inverted: true).split(separator: "\n")
            return lines.map { "\u{1B}[38;5;16;48;5;231m\($0)\u{1B}[0m\n" }.joined()
        }
        let width = rows.count + 2 * Self.quietZone
        var text = ""
        for top in stride(from: 0, to: width, by: 2) {
            for column in 0..<width {
                // Below an odd last row is only the terminal's background.
                let isTopDrawn = isDark(row: top, column: column) == inverted
                let isBottomDrawn = top + 1 < width && isDark(row: top + 1, column: column) == inverted
                switch (isTopDrawn, isBottomDrawn) {
                case (true, true): text += "█"
                case (true, false): text += "▀"
                case (false, true): text += "▄"
                case (false, false): text += " "
                }
            }
            text += "\n"
        }
        return text
    }

    /// Width of the quiet zone in modules; ISO/IEC 18004 requires four.
    private static var quietZone: Int { 4 }

    /// True for a dark module. Rows and columns are counted from the corner of the quiet zone.
    private func isDark(row: Int, column: Int) -> Bool {
        let (row, column) = (row - Self.quietZone, column - Self.quietZone)
        return rows.indices.contains(row) && rows.indices.contains(column) && rows[row][column]
    }
}
