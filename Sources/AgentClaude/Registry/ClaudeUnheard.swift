package import HostCore

/// A session that is open by Claude Code's registry though no hook has reported it.
package struct ClaudeUnheard: Hashable, Sendable {
    /// Claude's own name of the session.
    package var name: String
    package var process: AgentProcess
    package var folder: String?

    package init(name: String, process: AgentProcess, folder: String?) {
        (self.name, self.process, self.folder) = (name, process, folder)
    }
}
