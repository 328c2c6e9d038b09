/// The purpose of a tool call, as far as the tool's name shows it.
package enum ToolDeed: Sendable, Equatable {
    /// Goes ahead with a plan.
    case plan
    /// Asks a question.
    case question
    /// A tool of an MCP server.
    case use(tool: String, server: String)
    case run(tool: String)
}
