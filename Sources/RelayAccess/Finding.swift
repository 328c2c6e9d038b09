/// One result of `heliograph doctor`, with its remedy.
package struct Finding: Sendable, Equatable {
    package enum State: String, Sendable {
        case well
        /// Works, but perhaps not for long, or not as expected.
        case doubtful
        case wrong
    }

    /// A word or two, such as `Clock`.
    package let subject: String
    package let state: State
    /// Text of the finding: a sentence.
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
