package import HostCore
package import RelayProtocol

/// Facts about a Claude Code that runs without a terminal of its own.
package enum ControlFact: Sendable {
    case started
    /// Output of the agent, in pieces of any length.
    case received([UInt8])
    /// The output has ended, and the process too.
    case ended(exit: Int32)
    /// A line that was typed at our terminal.
    case typed(String)
    /// Our standard input has ended, which is a request to end the session.
    case inputClosed
    /// Ctrl-C at the terminal.
    case interrupted
    /// This process was asked to end.
    case terminated
    /// Another process has the same session open. If two write one session, one loses what it wrote.
    case openedElsewhere(process: Int32)
    /// A client answered a server's question, in the form of an Elicitation hook's output.
    case answeredAfar(request: String, [UInt8])
    /// A client steers the session; the host's desk has checked the request already.
    case steered(SteeringRequest)
    /// `nextDeadline` has passed.
    case timerFired
}

/// Orders to the program that runs the agent.
package enum ControlOrder: Sendable, Equatable {
    /// A line for the agent, with its line feed.
    case send([UInt8])
    /// Closes the agent's input, which makes it end.
    case closeInput
    case terminate
    case kill
    case show(String)
    /// The offer of the session, and its readiness for a prompt; sent again only after a change.
    case stand(SteeringOffer, SteeringStanding)
    case tell(SteeringChange)
    /// Cost of the session so far, in the form of a status line.
    case spent([UInt8])
    /// Asks clients. The input is the one that the agent would give an Elicitation hook.
    case ask(request: String, [UInt8])
    /// Withdraws the question to clients.
    case askNoMore(request: String)
}
