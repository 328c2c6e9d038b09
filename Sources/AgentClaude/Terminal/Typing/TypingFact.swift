package import HostCore
package import RelayProtocol

/// What happens at a terminal in which Claude Code shows its own screen.
package enum TypingFact: Sendable {
    /// Its registry names the session that it has open now: another one than before.
    case opened
    /// What its registry says that it does; nil where that cannot be read.
    case does(TypingDoing?)
    /// Its screen, looked at just now: the input line, or nil where something else is there.
    case shows(PromptBox?)
    /// The person at the terminal typed. What was held back does not count until it is let go.
    case keyTyped
    /// Its hook says that it takes this prompt, in this permission mode, and waits for our word.
    case prompted(String, mode: String?, TypingToken)
    /// Its transcript says that a turn was interrupted.
    case interruptWritten
    /// A client steers it; the host's desk has checked it already.
    case steered(SteeringRequest)
    /// We are asked to end.
    case terminated
    /// Its process is gone.
    case ended
    /// `nextDeadline` has passed.
    case timerFired
}

/// What its own registry says that it does.
package enum TypingDoing: Sendable, Equatable {
    case idle, busy
    /// A dialog or a menu is open.
    case waiting
    /// A word of another version: its screen tells.
    case unknown
}

/// Names a hook that waits for our word.
package struct TypingToken: Sendable, Hashable {
    package let number: Int
    package init(_ number: Int) { self.number = number }
}

package enum TypingOrder: Sendable, Equatable {
    case write([UInt8])
    /// What the person types is kept from the agent until `release`, and given to it then, in order.
    case hold
    case release
    /// To a hook that waits; with a reason the agent gives the text back to its input line.
    case answer(TypingToken, refusal: String?)
    /// The transcript is looked at from its end on.
    case followTranscript
    case stand(SteeringOffer, SteeringStanding)
    case tell(SteeringChange)
    /// Its terminal is closed, by which it ends.
    case hangUp
    case kill
}
