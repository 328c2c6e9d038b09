/// What a call does, as far as the name of its tool says so.
package enum ToolDeed: Sendable, Equatable {
    /// Goes ahead with a plan.
    case plan
    /// Asks a question.
    case question
    /// A tool of an MCP server.
    case use(tool: String, server: String)
    case run(tool: String)
}
