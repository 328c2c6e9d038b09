/// One element of a program's output to its terminal, or of a terminal's input to its program.
package enum TerminalToken: Sendable, Equatable {
    case text(Unicode.Scalar)
    /// A control character of C0, or DEL.
    case control(UInt8)
    case escape(intermediate: UInt8?, final: UInt8)
    case sequence(TerminalSequence)
    /// A title, a colour, or an answer to a query; its content is not kept.
    case string
}

/// `ESC [ prefix parameters intermediate final`.
package struct TerminalSequence: Sendable, Equatable {
    /// One of `< = > ?`.
    package var prefix: UInt8?
    package var parameters: [Int] = []
    package var intermediate: UInt8?
    package var final: UInt8 = 0

    /// The parameter as a count. Zero counts as missing, and so as 1, as in all sequences that move or count.
    func count(_ place: Int = 0) -> Int {
        guard place < parameters.count, parameters[place] > 0 else { return 1 }
        return parameters[place]
    }

    func number(_ place: Int = 0) -> Int { place < parameters.count ? parameters[place] : 0 }
}
