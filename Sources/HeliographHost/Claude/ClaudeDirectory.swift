internal import HeliographHook

/// Where Claude Code keeps its settings, its registry and its transcripts.
enum ClaudeDirectory {
    static func path(environment: (String) -> String? = HostPaths.variable) -> String {
        if let own = environment("CLAUDE_CONFIG_DIR"), !own.isEmpty { return own }
        return HostPaths(environment: environment).home + "/.claude"
    }
}
