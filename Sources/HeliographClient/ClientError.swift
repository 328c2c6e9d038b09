/// The reason why a client command cannot go on: a sentence for the person, and the exit status.
package struct ClientError: Error, Equatable, Sendable {
    package let exit: ClientExit
    package let message: String
    /// Advice, as a second line.
    package let advice: String?

    package init(_ exit: ClientExit, _ message: String, advice: String? = nil) {
        self.exit = exit
        self.message = message
        self.advice = advice
    }
}
