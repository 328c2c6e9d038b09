package import HostCore

/// A session that Claude Code's registry shows open although no hook has reported it, or although none can any more.
package struct ClaudeUnheard: Hashable, Sendable {
    /// Claude's own name of the session.
    package var name: String
    package var process: AgentProcess
    package var folder: String?
    /// Nil if it was not looked at.
    package var settings: Settings?

    /// The settings in force for the session, as far as they concern our hooks.
    package struct Settings: Hashable, Sendable {
        /// True if they have our hooks.
        package var isConnected: Bool
        /// True if they stop our hooks, or have them no longer.
        package var isBlocked: Bool

        package init(isConnected: Bool, isBlocked: Bool) {
            (self.isConnected, self.isBlocked) = (isConnected, isBlocked)
        }
    }

    package init(name: String, process: AgentProcess, folder: String?, settings: Settings? = nil) {
        (self.name, self.process, self.folder, self.settings) = (name, process, folder, settings)
    }
}
