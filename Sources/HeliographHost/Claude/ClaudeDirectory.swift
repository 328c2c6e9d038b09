internal import HeliographHook

/// Folder of Claude Code's settings, registry and transcripts.
enum ClaudeDirectory {
    static func path(environment: (String) -> String? = HostPaths.variable) -> String {
        if let own = environment("CLAUDE_CONFIG_DIR"), !own.isEmpty { return own }
        return HostPaths(environment: environment).home + "/.claude"
    }
}
