/// Columns of text, cut to the width of the terminal.
package struct TextTable {
    package struct Column: Sendable {
        package var title: String
        package var alignsRight = false
        /// Gives way when there is too little room.
        package var isFlexible = false

        package init(_ title: String, alignsRight: Bool = false, isFlexible: Bool = false) {
            self.title = title
            self.alignsRight = alignsRight
            self.isFlexible = isFlexible
        }
    }

    /// A text and how it is painted, which takes no room.
    package struct Cell: Sendable {
        package var text: String
        package var style: Style?

        package init(_ text: String, _ style: Style? = nil) {
            self.text = text
            self.style = style
        }
    }

    /// A flexible column keeps at least this many cells.
    static let flexibleMin = 8
    static let space = 2

    package var columns: [Column]
    package var rows: [[Cell]] = []

    package init(_ columns: [Column]) { self.columns = columns }

    /// `width` nil: nothing is cut, as what reads a pipe wants it all.
    package func lines(width: Int?, palette: Palette) -> [String] {
        let widths = columnWidths(width)
        var lines = [line(columns.map { Cell($0.title, .dim) }, widths, palette)]
        for row in rows { lines.append(line(row, widths, palette)) }
        return lines
    }

    func columnWidths(_ width: Int?) -> [Int] {
        var widths = columns.indices.map { index in
            rows.reduce(DisplayWidth.of(columns[index].title)) { max($0, DisplayWidth.of($1[index].text)) }
        }
        guard let width else { return widths }
        // The widest flexible column gives first, one cell at a time, until it fits or none can give.
        var total = widths.reduce(0, +) + Self.space * (columns.count - 1)
        while total > width {
            let flexible = columns.indices.filter { columns[$0].isFlexible && widths[$0] > Self.flexibleMin }
            guard let widest = flexible.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            total -= 1
        }
        return widths
    }

    private func line(_ cells: [Cell], _ widths: [Int], _ palette: Palette) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            let isLast = index == cells.count - 1
            let alignsRight = columns[index].alignsRight
            let text =
                isLast && !alignsRight
                ? DisplayWidth.cut(cell.text, to: widths[index])
                : DisplayWidth.fit(cell.text, to: widths[index], alignsRight: alignsRight)
            line += palette.paint(text, cell.style)
            if !isLast { line += String(repeating: " ", count: Self.space) }
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}
