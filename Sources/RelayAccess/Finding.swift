/// One result of `heliograph doctor`, and how to mend it.
package struct Finding: Sendable, Equatable {
    package enum State: String, Sendable {
        case well
        /// Works, but perhaps not for long, or not as expected.
        case doubtful
        case wrong
    }

    /// A word or two: `Clock`.
    package let subject: String
    package let state: State
    /// A sentence.
    package let text: String
    /// Remedy, as a sentence or a command; nil if there is none.
    package let mend: String?

    package init(_ subject: String, _ state: State, _ text: String, mend: String? = nil) {
        self.subject = subject
        self.state = state
        self.text = text
        self.mend = mend
    }
}
