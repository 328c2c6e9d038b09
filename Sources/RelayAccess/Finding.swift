/// What `heliograph doctor` found out about one thing, and how to mend it.
package struct Finding: Sendable, Equatable {
    package enum State: String, Sendable {
        case well
        /// It works, and may not for long, or not as somebody expects.
        case doubtful
        case wrong
    }

    /// A word or two: `Clock`.
    package let subject: String
    package let state: State
    /// A sentence.
    package let text: String
    /// What to do, as a sentence or a command; nil where there is nothing to.
    package let mend: String?

    package init(_ subject: String, _ state: State, _ text: String, mend: String? = nil) {
        self.subject = subject
        self.state = state
        self.text = text
        self.mend = mend
    }
}
