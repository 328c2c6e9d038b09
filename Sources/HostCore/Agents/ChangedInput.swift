internal import RelayProtocol

/// A call that ran with another input than was shown.
package enum ChangedInput {
    /// The sentence for people, on one line. `ran`: the command, path or address with which it ran, or its whole input.
    package static func sentence(_ tool: String, ran: String) -> String {
        VisibleText.line("Changed before it ran, by a hook or program other than Heliograph. \(tool) ran: \(ran)")
    }
}
