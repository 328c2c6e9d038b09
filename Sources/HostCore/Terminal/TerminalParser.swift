/// Splits what is written to a terminal, or typed there, into tokens. Pieces may end anywhere, also within a character.
///
/// Malformed input is left out, as terminals do; no input makes it keep more than some bytes.
package struct TerminalParser: Sendable {
    /// A character whose last bytes are still to come.
    private struct Pending: Sendable {
        var value: UInt32
        var left: Int
        /// Least value for this length; an overlong encoding is no character.
        var min: UInt32
    }

    private enum State: Sendable {
        case ground
        case character(Pending)
        case escape(UInt8?)
        case sequence(TerminalSequence, isBroken: Bool)
        /// A string up to BEL or ESC \.
        case string(endsByBell: Bool)
        case stringEscape(endsByBell: Bool)
    }

    /// Most parameters of a sequence; no known sequence has more.
    private static let parametersMax = 32
    private static let parameterMax = 65_535

    private var state = State.ground

    package init() {}

    /// True in the middle of a sequence or character, to which the next byte belongs.
    package var isWithin: Bool { if case .ground = state { false } else { true } }

    package mutating func take(_ bytes: some Sequence<UInt8>) -> [TerminalToken] {
        var tokens: [TerminalToken] = []
        for byte in bytes { take(byte, &tokens) }
        return tokens
    }

    private mutating func take(_ byte: UInt8, _ tokens: inout [TerminalToken]) {
        switch state {
        case .ground: begin(byte, &tokens)
        case .character(var pending):
            guard byte & 0xC0 == 0x80 else {
                tokens.append(.text("\u{FFFD}"))
                state = .ground
                return begin(byte, &tokens)
            }
            pending.value = pending.value << 6 | UInt32(byte & 0x3F)
            pending.left -= 1
            guard pending.left == 0 else { return state = .character(pending) }
            state = .ground
            let scalar = pending.value >= pending.min ? Unicode.Scalar(pending.value) : nil
            tokens.append(.text(scalar ?? "\u{FFFD}"))
        case .escape(let intermediate): escaped(byte, intermediate, &tokens)
        case .sequence(let sequence, let isBroken): go(on: sequence, isBroken, byte, &tokens)
        case .string(let endsByBell):
            switch byte {
            case 0x07 where endsByBell, 0x18, 0x1A: end(&tokens)
            case 0x1B: state = .stringEscape(endsByBell: endsByBell)
            default: break
            }
        case .stringEscape:
            end(&tokens)
            // Any other byte after ESC ends the string too, and starts something new.
            if byte != UInt8(ascii: "\\") {
                state = .escape(nil)
                take(byte, &tokens)
            }
        }
    }

    private mutating func end(_ tokens: inout [TerminalToken]) {
        tokens.append(.string)
        state = .ground
    }

    private mutating func begin(_ byte: UInt8, _ tokens: inout [TerminalToken]) {
        switch byte {
        case 0x1B: state = .escape(nil)
        case 0..<0x20, 0x7F: tokens.append(.control(byte))
        case 0x20..<0x7F: tokens.append(.text(Unicode.Scalar(byte)))
        case 0xC2..<0xE0: state = .character(.init(value: UInt32(byte & 0x1F), left: 1, min: 0x80))
        case 0xE0..<0xF0: state = .character(.init(value: UInt32(byte & 0x0F), left: 2, min: 0x800))
        case 0xF0..<0xF5: state = .character(.init(value: UInt32(byte & 0x07), left: 3, min: 0x10000))
        default: tokens.append(.text("\u{FFFD}"))
        }
    }

    private mutating func escaped(_ byte: UInt8, _ intermediate: UInt8?, _ tokens: inout [TerminalToken]) {
        switch byte {
        case UInt8(ascii: "[") where intermediate == nil: state = .sequence(TerminalSequence(), isBroken: false)
        case UInt8(ascii: "]") where intermediate == nil: state = .string(endsByBell: true)
        case UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            if intermediate == nil { state = .string(endsByBell: false) } else { state = .ground }
        case 0x20..<0x30: state = .escape(byte)
        case 0x30..<0x7F:
            state = .ground
            tokens.append(.escape(intermediate: intermediate, final: byte))
        case 0x1B: state = .escape(nil)
        case 0x18, 0x1A: state = .ground
        case 0..<0x20, 0x7F: tokens.append(.control(byte))
        default:
            state = .ground
            begin(byte, &tokens)
        }
    }

    private mutating func go(on sequence: TerminalSequence, _ isBroken: Bool, _ byte: UInt8, _ tokens: inout [TerminalToken]) {
        var sequence = sequence
        var isBroken = isBroken
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            if sequence.parameters.isEmpty { sequence.parameters = [0] }
            let place = sequence.parameters.count - 1
            sequence.parameters[place] = min(sequence.parameters[place] * 10 + Int(byte & 0x0F), Self.parameterMax)
        case UInt8(ascii: ";"), UInt8(ascii: ":"):
            if sequence.parameters.isEmpty { sequence.parameters = [0] }
            if sequence.parameters.count < Self.parametersMax { sequence.parameters.append(0) } else { isBroken = true }
        case 0x3C..<0x40:
            if sequence.prefix == nil, sequence.parameters.isEmpty { sequence.prefix = byte } else { isBroken = true }
        case 0x20..<0x30: sequence.intermediate = byte
        case 0x40..<0x7F:
            state = .ground
            sequence.final = byte
            if !isBroken { tokens.append(.sequence(sequence)) }
            return
        case 0x1B: return state = .escape(nil)
        case 0x18, 0x1A: return state = .ground
        case 0..<0x20: tokens.append(.control(byte))
        default: break
        }
        state = .sequence(sequence, isBroken: isBroken)
    }
}
