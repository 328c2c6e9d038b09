/// Names of tools for people: some agents name theirs in ways that explain nothing.
package enum ToolWords {
    /// The tool's name for people: "Bash", "create_issue of github", "a plan". An unknown name is unchanged.
    package static func name(_ tool: String) -> String {
        switch tool {
        case planTool: "a plan"
        case questionTool: "a question"
        default: server(tool).map { "\($0.tool) of \($0.server)" } ?? tool
        }
    }

    package static func deed(_ tool: String) -> ToolDeed {
        switch tool {
        case planTool: .plan
        case questionTool: .question
        default:
            server(tool).map {
                .use(tool: VisibleText.exactLine(String($0.tool)), server: VisibleText.exactLine(String($0.server)))
            }
                ?? .run(tool: VisibleText.exactLine(tool))
        }
    }

    /// True if the tool asks a question itself, so that the request's title is that question.
    package static func isQuestion(_ tool: String) -> Bool { tool == planTool || tool == questionTool }

    private static let planTool = "ExitPlanMode"
    private static let questionTool = "AskUserQuestion"
    private static let prefix = "mcp__"
    private static let separator = "__"

    /// The tool's server and its name there; nil also if that name would be ambiguous.
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
