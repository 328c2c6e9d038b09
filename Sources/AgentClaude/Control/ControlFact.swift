package import HostCore
package import RelayProtocol

/// What happens to a Claude Code that is run without a terminal of its own.
package enum ControlFact: Sendable {
    case started
    /// What it wrote, in pieces of any length.
    case received([UInt8])
    /// It writes no more, and its process is gone.
    case ended(exit: Int32)
    /// A line that was typed here.
    case typed(String)
    /// Nobody types any more: the session is to end.
    case inputClosed
    /// Ctrl-C at the terminal.
    case interrupted
    /// We are asked to end.
    case terminated
    /// Another process has the same session open: two that write one lose what one of them wrote.
    case openedElsewhere(process: Int32)
    /// What a server asks was answered by a client, as an Elicitation hook would say it.
    case answeredAfar(request: String, [UInt8])
    /// A client steers it; the host's desk has checked it already.
    case steered(SteeringRequest)
    /// `nextDeadline` has passed.
    case timerFired
}

/// What is to be done for it.
package enum ControlOrder: Sendable, Equatable {
    /// A line for the agent, with its line feed.
    case send([UInt8])
    /// The end of its input, by which it ends.
    case closeInput
    case terminate
    case kill
    case show(String)
    /// What can be done to the session now, and whether it could take a prompt: told again only where it changes.
    case stand(SteeringOffer, SteeringStanding)
    case tell(SteeringChange)
    /// Cost of the session so far, in the form of a status line.
    case spent([UInt8])
    /// Clients are to be asked, with what the agent would tell an Elicitation hook.
    case ask(request: String, [UInt8])
    /// They need not answer any more.
    case askNoMore(request: String)
}
