internal import HostCore
internal import RelayProtocol

/// The one cell of a Jupyter notebook that an edit is about.
enum ClaudeNotebook {
    enum Deed: String { case replace, insert, delete }

    struct Cell: Equatable {
        var deed: Deed
        /// The cell's present or future position, counted from 1.
        var number: Int
        /// Number of cells before the change.
        var count: Int
    }

    /// The change of a cell; nil if this is not a notebook, or it has no such cell.
    static func change(_ input: JSONValue, of notebook: String) -> (cell: Cell, before: String, after: String)? {
        guard let root = try? JSONDocument(parsing: Array(notebook.utf8)).root, root.optional("cells") != nil,
            let deed = Deed(rawValue: input.text("edit_mode") ?? "replace")
        else { return nil }
        let cells = root.list("cells")
        let isNamed = input.optional("cell_id") != nil || input.optional("cell_number") != nil
        let index = input.text("cell_id").flatMap { place(of: $0, in: cells) } ?? input.whole("cell_number").map(Int.init)
        let source = input.text("new_source") ?? ""
        if deed == .insert {
            // A new cell goes behind the named one, or to the beginning.
            guard index.map(cells.indices.contains) ?? !isNamed else { return nil }
            return (Cell(deed: deed, number: index.map { $0 + 2 } ?? 1, count: cells.count), "", source)
        }
        guard let index, cells.indices.contains(index) else { return nil }
        let cell = Cell(deed: deed, number: index + 1, count: cells.count)
        return (cell, text(of: cells[index]), deed == .delete ? "" : source)
    }

    /// Index of the cell with this id. Cells of older notebooks have none, and Claude numbers them: `cell-0`.
    private static func place(of id: String, in cells: [JSONValue]) -> Int? {
        if let index = cells.firstIndex(where: { $0.text("id") == id }) { return index }
        guard id.hasPrefix("cell-"), let number = Int(id.dropFirst(5)), cells.indices.contains(number) else { return nil }
        return number
    }

    private static func text(of cell: JSONValue) -> String {
        cell.text("source") ?? cell.list("source").compactMap { try? $0.string() }.joined()
    }
}
