/// Tools in words: agents call some of theirs by names that tell nobody else what they do.
package enum ToolWords {
    /// "Bash", "create_issue of github", "a plan". Whatever is not known is left as it is.
    package static func name(_ tool: String) -> String {
        switch tool {
        case planTool: "a plan"
        case questionTool: "a question"
        default: server(tool).map { "\($0.tool) of \($0.server)" } ?? tool
        }
    }

    /// The action of a call: "run Bash", "use create_issue of github".
    package static func deed(_ tool: String) -> String {
        switch tool {
        case planTool: "go ahead with a plan"
        case questionTool: "ask a question"
        default: server(tool) == nil ? "run \(tool)" : "use \(name(tool))"
        }
    }

    /// True if the request is a question in itself, which its title asks.
    package static func isQuestion(_ tool: String) -> Bool { tool == planTool || tool == questionTool }

    private static let planTool = "ExitPlanMode"
    private static let questionTool = "AskUserQuestion"
    private static let prefix = "mcp__"
    private static let separator = "__"

    /// Nil also where two tools would be called alike.
    private static func server(_ tool: String) -> (server: Substring, tool: Substring)? {
        guard tool.hasPrefix(prefix) else { return nil }
        let parts = tool.dropFirst(prefix.count).split(separator: separator, omittingEmptySubsequences: false)
        func isPlain(_ part: Substring) -> Bool {
            !part.isEmpty && !part.hasPrefix("_") && !part.hasSuffix("_")
                && part.unicodeScalars.allSatisfy {
                    $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || "_-.".unicodeScalars.contains($0))
                }
        }
        guard parts.count == 2, parts.allSatisfy(isPlain) else { return nil }
        return (parts[0], parts[1])
    }
}
