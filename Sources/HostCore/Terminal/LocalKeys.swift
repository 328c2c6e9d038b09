/// Distinguishes a person's keys from a terminal's own reports: the mouse's position, the window's focus, the terminal's kind.
package struct LocalKeys: Sendable {
    private var parser = TerminalParser()

    package init() {}

    /// Returns true if a person has typed, also in case of doubt.
    package mutating func take(_ bytes: [UInt8]) -> Bool {
        let tokens = parser.take(bytes)
        return parser.isWithin || tokens.contains { !Self.isReport($0) }
    }

    private static func isReport(_ token: TerminalToken) -> Bool {
        switch token {
        case .text, .control, .escape: false
        case .string: true
        case .sequence(let sequence):
            switch (sequence.prefix, sequence.final) {
            case (UInt8(ascii: "<"), UInt8(ascii: "M")), (UInt8(ascii: "<"), UInt8(ascii: "m")): true
            case (nil, UInt8(ascii: "I")), (nil, UInt8(ascii: "O")): sequence.parameters.isEmpty
            case (nil, UInt8(ascii: "n")), (nil, UInt8(ascii: "t")): true
            case (UInt8(ascii: "?"), let final): [UInt8]("cunRy".utf8).contains(final)
            case (UInt8(ascii: ">"), UInt8(ascii: "c")): true
            default: false
            }
        }
    }
}
