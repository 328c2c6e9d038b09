package import HostCore

/// A session that Claude Code's registry shows open although no hook has reported it, or although none can any more.
package struct ClaudeUnheard: Hashable, Sendable {
    /// Claude's own name of the session.
    package var name: String
    package var process: AgentProcess
    package var folder: String?
    /// True if the settings in force for the session stop our hooks.
    package var isBlocked: Bool

    package init(name: String, process: AgentProcess, folder: String?, isBlocked: Bool = false) {
        (self.name, self.process, self.folder, self.isBlocked) = (name, process, folder, isBlocked)
    }
}
