package import RelayProtocol

/// An order of the host, carried out in this order. Facts that it causes at once may be handled before the next is carried out.
package enum HostOrder: Sendable {
    /// The heartbeat of the last welcome, whose patience the connection takes over.
    case connect(Heartbeat?)
    case send([UInt8])
    /// Live only: not sent if much waits for the relay already.
    case stream([UInt8])
    case close(UInt16)
    case arm(HostTimer, after: Duration)
    case disarm(HostTimer)
    /// Answered by `holdsNotSaved` if it is not on disk.
    case saveHolds(Holds)
    /// Fetch the pictures of this prompt from the relay; comes back as `picturesFetched`.
    case fetchPictures(SteeringName, [Picture])
    /// Hold rules against what was asked before, as the relay keeps it: this text's, or without text the host's own. Comes back as `rulesTried`.
    case tryRules(SteeringName, String)
    /// To the process that holds the session's terminal; comes back as `terminalAnswered`.
    case askTerminal(ScreenCall)
    /// Answers a waiting caller; nil is no decision.
    case respond(HookToken, [UInt8]?)
    /// Processes that are gone come back as `agentGone`.
    case checkAgents([AgentProcess])
    /// One that only the agent of that name has.
    case carryOut(agent: String, any Sendable)
    case log(HostLog)
}
