package import RelayProtocol

/// An order of the host, carried out in this order. Facts that it causes at once may be handled before the next is carried out.
package enum HostOrder: Sendable {
    /// Connects to the relay. The heartbeat is that of the last welcome; it sets how long the connection waits for the relay.
    case connect(Heartbeat?)
    case send([UInt8])
    /// Sends something live. It is dropped if much waits for the relay already.
    case stream([UInt8])
    case close(UInt16)
    case arm(HostTimer, after: Duration)
    case disarm(HostTimer)
    /// Saves the holds. `holdsNotSaved` reports a failure.
    case saveHolds(Holds)
    /// Fetches the pictures of this prompt from the relay. `picturesFetched` reports the result.
    case fetchPictures(SteeringName, [Picture])
    /// Tries rules on what was asked before, as the relay keeps it: the rules in this text, or the host's own if it is empty.
    /// `rulesTried` reports the result.
    case tryRules(SteeringName, String)
    /// Asks the process that holds the session's terminal. `terminalAnswered` reports the answer.
    case askTerminal(ScreenCall)
    /// Answers a waiting caller; nil is no decision.
    case respond(HookToken, [UInt8]?)
    /// Checks these processes; each that is gone is reported by `agentGone`.
    case checkAgents([AgentProcess])
    /// An order that only the named agent has.
    case carryOut(agent: String, any Sendable)
    case log(HostLog)
}
