package import RelayProtocol

/// What an agent of this host is to start, or to list: its project was looked at, and is one that the host's owner has allowed.
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

/// What came of it, in the order in which it comes.
package enum LaunchOutcome: Sendable, Equatable {
    /// This session was begun, in this process where it has one of its own.
    case began(SessionID, AgentProcess?)
    /// What was begun, and nobody else who has that session, offers prompts.
    case arrived
    /// Nothing was started.
    case refused(String)
    case listed([PastSession])
    /// The process of a session that began is over; in its own last words where it had any.
    case ended(SessionID, words: String?)
}
