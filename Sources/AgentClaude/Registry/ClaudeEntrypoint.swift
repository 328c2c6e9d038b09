/// Claude Code's word for how it was started, as in its registry and in its hooks' environment; early versions give none.
package enum ClaudeEntrypoint {
    /// True for Claude Code at its own screen.
    package static func isScreen(_ entrypoint: String?) -> Bool { entrypoint ?? "cli" == "cli" }
}
