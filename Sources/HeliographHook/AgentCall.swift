/// Frequent calls of coding agents: `hook AGENT EVENT` and `statusline AGENT [--wrap COMMAND]`. The command answers them, and so does
/// `heliograph-hook`, which can do nothing else and therefore starts in a fraction of the time.
package enum AgentCall {
    /// Returns the exit status; nil if the words, of which the first is the program, are another command.
    package static func run(_ arguments: [String]) -> Int32? {
        if arguments.count == 4, arguments[1] == "hook" { return hook(agent: arguments[2], event: arguments[3]) }
        if arguments.count >= 3, arguments[1] == "statusline", arguments[2].utf8.first != UInt8(ascii: "-") {
            return statusLine(
                agent: arguments[2], wrapped: arguments.count == 5 && arguments[3] == "--wrap" ? arguments[4] : nil)
        }
        return nil
    }

    package static func hook(agent: String, event: String) -> Int32 {
        HookCall.run(agent: agent, event: event, hooks: part(of: agent))
    }

    package static func statusLine(agent: String, wrapped: String?) -> Int32 {
        StatusLineCall.run(agent: agent, wrapped: wrapped, hooks: part(of: agent))
    }

    /// The hooks of an agent; nil if it has none of ours.
    static func part(of agent: String) -> HookPart? { agent == ClaudeHooks.agent ? ClaudeHooks.part : nil }
}
