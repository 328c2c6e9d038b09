package import HostCore
package import RelayProtocol

/// Facts about a Claude Code that runs without a terminal of its own.
package enum ControlFact: Sendable {
    case started
    /// Output of the agent, in pieces of any length.
    case received([UInt8])
    /// The output has ended, and the process is gone.
    case ended(exit: Int32)
    /// A line that was typed at our terminal.
    case typed(String)
    /// Our standard input has ended: the session is to end.
    case inputClosed
    /// Ctrl-C at the terminal.
    case interrupted
    /// We are asked to end.
    case terminated
    /// Another process has the same session open: if two write one session, what one of them wrote is lost.
    case openedElsewhere(process: Int32)
    /// A client answered a server's question, in the form of an Elicitation hook's output.
    case answeredAfar(request: String, [UInt8])
    /// A client steers the session; the host's desk has checked the request already.
    case steered(SteeringRequest)
    /// `nextDeadline` has passed.
    case timerFired
}

/// Orders to whoever runs the agent.
package enum ControlOrder: Sendable, Equatable {
    /// A line for the agent, with its line feed.
    case send([UInt8])
    /// Closes the agent's input, which makes it end.
    case closeInput
    case terminate
    case kill
    case show(String)
    /// Actions that the session takes now, and if it could take a prompt: sent again only after a change.
    case stand(SteeringOffer, SteeringStanding)
    case tell(SteeringChange)
    /// Cost of the session so far, in the form of a status line.
    case spent([UInt8])
    /// Clients are to be asked, with the input that the agent would give an Elicitation hook.
    case ask(request: String, [UInt8])
    /// The clients' answer is not needed any more.
    case askNoMore(request: String)
}
