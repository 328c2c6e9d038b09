package import HostCore

/// A session that Claude Code's registry shows open although no hook has reported it.
package struct ClaudeUnheard: Hashable, Sendable {
    /// Claude's own name of the session.
    package var name: String
    package var process: AgentProcess
    package var folder: String?

    package init(name: String, process: AgentProcess, folder: String?) {
        (self.name, self.process, self.folder) = (name, process, folder)
    }
}
