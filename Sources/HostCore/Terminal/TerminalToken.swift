/// One element of what a program sends to its terminal, or a terminal to its program.
package enum TerminalToken: Sendable, Equatable {
    case text(Unicode.Scalar)
    /// A control character of C0, or DEL.
    case control(UInt8)
    case escape(intermediate: UInt8?, final: UInt8)
    case sequence(TerminalSequence)
    /// A title, a colour, an answer to a question: its content is not kept.
    case string
}

/// `ESC [ prefix parameters intermediate final`.
package struct TerminalSequence: Sendable, Equatable {
    /// One of `< = > ?`.
    package var prefix: UInt8?
    package var parameters: [Int] = []
    package var intermediate: UInt8?
    package var final: UInt8 = 0

    /// Zero counts as not given, as it does for all that move or count.
    func count(_ place: Int = 0) -> Int {
        guard place < parameters.count, parameters[place] > 0 else { return 1 }
        return parameters[place]
    }

    func number(_ place: Int = 0) -> Int { place < parameters.count ? parameters[place] : 0 }
}
