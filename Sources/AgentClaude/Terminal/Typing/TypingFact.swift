package import HostCore
package import RelayProtocol

/// Facts about a terminal in which Claude Code shows its own screen.
package enum TypingFact: Sendable {
    /// The registry names another session as the open one.
    case opened
    /// State in the registry; nil if that cannot be read.
    case does(TypingDoing?)
    /// The current screen: the input line, or nil if it shows something else.
    case shows(PromptBox?)
    /// The person at the terminal typed. Held keys do not count until they are released.
    case keyTyped
    /// The person typed, and the keys are held back.
    case keyHeld
    /// A hook reports this prompt in this session and permission mode, and waits for our answer. `isProvable`: `submitted` follows.
    case prompted(String, in: SessionID?, mode: String?, isProvable: Bool = false, TypingToken)
    /// The transcript shows what became of the last prompt that a hook has reported.
    case submitted(SubmissionLine)
    /// The transcript reports that a turn was interrupted.
    case interruptWritten
    /// A client steers the session; the host's desk has checked the request already.
    case steered(SteeringRequest)
    /// This process was asked to end.
    case terminated
    /// The agent's process has ended.
    case ended
    /// `nextDeadline` has passed.
    case timerFired
}

/// State of the agent in its own registry.
package enum TypingDoing: Sendable, Equatable {
    case idle, busy
    /// A dialog or a menu is open.
    case waiting
    /// A word of another version; the screen shows the state instead.
    case unknown
}

/// Identifies a hook that waits for our answer.
package struct TypingToken: Sendable, Hashable {
    package let number: Int
    package init(_ number: Int) { self.number = number }
}

package enum TypingOrder: Sendable, Equatable {
    case write([UInt8])
    /// Holds the person's keys back from the agent until `release`, which passes them on in order.
    case hold
    case release
    /// Answers a waiting hook. With a reason the agent returns the text to its input line.
    case answer(TypingToken, refusal: String?)
    /// Watches the transcript from its end on.
    case followTranscript
    case stand(SteeringOffer, SteeringStanding)
    case tell(SteeringChange)
    /// Closes the agent's terminal, which makes it end.
    case hangUp
    case kill
}
