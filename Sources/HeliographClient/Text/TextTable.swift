/// Columns of text, cut to the width of the terminal.
package struct TextTable {
    package struct Column: Sendable {
        package var title: String
        package var alignsRight = false
        /// Fewest cells to which the column shrinks if there is too little room; nil if it does not shrink.
        package var flexibleMin: Int?
        /// True if the column is left out when there is still too little room; the widest is left out first.
        package var isOptional = false

        package init(_ title: String, alignsRight: Bool = false, flexibleMin: Int? = nil, isOptional: Bool = false) {
            self.title = title
            self.alignsRight = alignsRight
            self.flexibleMin = flexibleMin
            self.isOptional = isOptional
        }
    }

    /// A text and its style; the style takes no cells.
    package struct Cell: Sendable {
        package var text: String
        package var style: Style?

        package init(_ text: String, _ style: Style? = nil) {
            self.text = text
            self.style = style
        }
    }

    static let space = 2
    /// Most cells to which a shrinkable column is padded if there is no width to fit: one long title would push all others away.
    static let paddingMax = 40

    package var columns: [Column]
    package var rows: [[Cell]] = []

    package init(_ columns: [Column]) { self.columns = columns }

    /// The lines of the table. Without a `width` nothing is cut, because the reader of a pipe needs everything.
    package func lines(width: Int?, palette: Palette) -> [String] {
        let widths = columnWidths(width)
        let isCut = width != nil
        var lines = [line(columns.map { Cell($0.title, .dim) }, widths, palette, isCut: isCut)]
        for row in rows { lines.append(line(row, widths, palette, isCut: isCut)) }
        return lines
    }

    /// The columns' widths; 0 leaves a column out. If there is too little room, empty columns are left out first; then flexible
    /// ones shrink, the widest first, one cell at a time; then optional ones are left out, the widest first.
    func columnWidths(_ width: Int?) -> [Int] {
        var widths = columns.indices.map { index in
            rows.reduce(DisplayWidth.of(columns[index].title)) { max($0, DisplayWidth.of($1[index].text)) }
        }
        guard let width else {
            return columns.indices.map { columns[$0].flexibleMin == nil ? widths[$0] : min(widths[$0], Self.paddingMax) }
        }
        guard Self.total(widths) > width else { return widths }
        for index in columns.indices where rows.allSatisfy({ $0[index].text.isEmpty }) { widths[index] = 0 }
        var fitting = shrunk(widths, to: width)
        while Self.total(fitting) > width {
            let optional = columns.indices.filter { columns[$0].isOptional && widths[$0] > 0 }
            guard let widest = optional.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] = 0
            fitting = shrunk(widths, to: width)
        }
        return fitting
    }

    private static func total(_ widths: [Int]) -> Int {
        let shown = widths.filter { $0 > 0 }
        return shown.reduce(0, +) + space * max(0, shown.count - 1)
    }

    private func shrunk(_ widths: [Int], to width: Int) -> [Int] {
        var widths = widths
        var total = Self.total(widths)
        while total > width {
            let flexible = columns.indices.filter { widths[$0] > columns[$0].flexibleMin ?? .max }
            guard let widest = flexible.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            total -= 1
        }
        return widths
    }

    private func line(_ cells: [Cell], _ widths: [Int], _ palette: Palette, isCut: Bool) -> String {
        var line = ""
        let last = widths.lastIndex { $0 > 0 }
        for (index, cell) in cells.enumerated() where widths[index] > 0 {
            let isLast = index == last
            let alignsRight = columns[index].alignsRight
            let text =
                !isCut && DisplayWidth.of(cell.text) > widths[index]
                ? cell.text
                : isLast && !alignsRight
                    ? DisplayWidth.cut(cell.text, to: widths[index])
                    : DisplayWidth.fit(cell.text, to: widths[index], alignsRight: alignsRight)
            line += palette.paint(text, cell.style)
            if !isLast { line += String(repeating: " ", count: Self.space) }
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}
