import RelayProtocol

extension RequestText {
    /// The command of a tool that runs one, for a person who chose summaries: nothing else of the input, and so never a reason to allow.
    /// Nil where it has none, was cut, or has more lines than a notification shows.
    static func command(of approval: Approval) -> String? {
        guard !approval.request.isCut, approval.request.kind == .tool,
            let body = try? JSONDocument(parsing: approval.requestBytes).root.optional("body"),
            let command = try? body.optional("input")?.optionalString("command"), !command.isEmpty
        else { return nil }
        let lines = VisibleText.exact(command).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count < linesMax else { return nil }
        return lines.count == 1 ? "Run: \(lines[0])" : (["Run:"] + lines.map { "│ " + $0 }).joined(separator: "\n")
    }
}
