package import RelayProtocol

/// An order to start a session, or to list past ones: its project was checked, and is one that the host's owner has allowed.
package struct LaunchOrder: Sendable, Equatable {
    package var name: SteeringName
    package var launch: Launch
    /// The project itself: absolute, and behind every link.
    package var folder: String

    package init(name: SteeringName, launch: Launch, folder: String) {
        self.name = name
        self.launch = launch
        self.folder = folder
    }
}

/// Steps of a launch, in the order in which they come.
package enum LaunchOutcome: Sendable, Equatable {
    /// This session began, in this process if it has one of its own.
    case began(SessionID, AgentProcess?)
    /// The process that was begun, and no other that has the session, offers prompts.
    case arrived
    /// Nothing was started.
    case refused(String)
    case listed([PastSession])
    /// The process of a session that began is over; in its own last words if it had any.
    case ended(SessionID, words: String?)
}
