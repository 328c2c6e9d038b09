package import RelayProtocol

/// An order to start a session or to list past ones. Its project was checked, and the host's owner has allowed it.
package struct LaunchOrder: Sendable, Equatable {
    package var name: SteeringName
    package var launch: Launch
    /// The project's absolute path, with all symbolic links resolved.
    package var folder: String

    package init(name: SteeringName, launch: Launch, folder: String) {
        self.name = name
        self.launch = launch
        self.folder = folder
    }
}

/// The steps of a launch, in their order.
package enum LaunchOutcome: Sendable, Equatable {
    /// This session began, in this process if it has one of its own.
    case began(SessionID, AgentProcess?)
    /// The process that was begun, and no other that has the session, offers prompts.
    case arrived
    /// Nothing was started.
    case refused(String)
    case listed([PastSession])
    /// The process of a started session has ended. `words`: its last words, if it had any.
    case ended(SessionID, words: String?)
}
