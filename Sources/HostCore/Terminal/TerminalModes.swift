/// The terminal modes that a program has set. A terminal that is attached later does not have them: they are repeated when it is
/// attached, and reset when it is detached.
package struct TerminalModes: Sendable, Equatable {
    /// The DEC private modes for the encoding of keys and mouse, and for the screen.
    static let kept: Set<Int> = [1, 7, 25, 47, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1047, 1049, 2004, 2026, 2031]
    /// Modes that are on by default.
    private static let initial: Set<Int> = [7, 25]
    /// Levels of the keyboard protocol that a program may push.
    private static let keyLevelsMax = 8

    private(set) var on = TerminalModes.initial
    private(set) var keyLevels: [Int] = []
    private var otherKeys = 0
    private var isKeypad = false

    package init() {}

    package mutating func take(_ token: TerminalToken) {
        switch token {
        case .sequence(let sequence): take(sequence)
        case .escape(nil, UInt8(ascii: "=")): isKeypad = true
        case .escape(nil, UInt8(ascii: ">")): isKeypad = false
        case .escape(nil, UInt8(ascii: "c")): self = TerminalModes()
        default: break
        }
    }

    private mutating func take(_ sequence: TerminalSequence) {
        switch (sequence.prefix, sequence.intermediate, sequence.final) {
        case (UInt8(ascii: "?"), nil, UInt8(ascii: "h")): on.formUnion(Self.kept.intersection(sequence.parameters))
        case (UInt8(ascii: "?"), nil, UInt8(ascii: "l")): on.subtract(sequence.parameters)
        case (UInt8(ascii: ">"), nil, UInt8(ascii: "u")):
            if keyLevels.count < Self.keyLevelsMax { keyLevels.append(sequence.number()) }
        case (UInt8(ascii: "<"), nil, UInt8(ascii: "u")): keyLevels.removeLast(min(sequence.count(), keyLevels.count))
        case (UInt8(ascii: "="), nil, UInt8(ascii: "u")):
            if let last = keyLevels.indices.last { keyLevels[last] = sequence.number() }
        case (UInt8(ascii: ">"), nil, UInt8(ascii: "m")) where sequence.number() == 4: otherKeys = sequence.number(1)
        default: break
        }
    }

    package var isAlternateScreen: Bool { !on.isDisjoint(with: [47, 1047, 1049]) }
    package var isBracketedPaste: Bool { on.contains(2004) }
    var wraps: Bool { on.contains(7) }
    var isCursorShown: Bool { on.contains(25) }
    /// True if arrow keys are sent in their application form.
    var hasApplicationKeys: Bool { on.contains(1) }
    /// True if the program has reported that it has not drawn all of its screen yet.
    var isUnfinished: Bool { on.contains(2026) }

    /// Sets the modes of a new terminal. Synchronized output (2026) is omitted, because a new terminal has no half-drawn picture.
    package var replay: [UInt8] {
        var text = ""
        for mode in on.subtracting(Self.initial).subtracting([2026]).sorted(by: Self.screenFirst) { text += "\u{1B}[?\(mode)h" }
        for mode in Self.initial.subtracting(on).sorted() { text += "\u{1B}[?\(mode)l" }
        if isKeypad { text += "\u{1B}=" }
        for level in keyLevels { text += "\u{1B}[>\(level)u" }
        if otherKeys != 0 { text += "\u{1B}[>4;\(otherKeys)m" }
        return Array(text.utf8)
    }

    /// Resets the modes of a terminal that is detached.
    package var reset: [UInt8] {
        var text = "\u{1B}[0m"
        if otherKeys != 0 { text += "\u{1B}[>4;0m" }
        if !keyLevels.isEmpty { text += "\u{1B}[<\(keyLevels.count)u" }
        if isKeypad { text += "\u{1B}>" }
        for mode in on.subtracting(Self.initial).sorted(by: { !Self.screenFirst($0, $1) }) { text += "\u{1B}[?\(mode)l" }
        for mode in Self.initial.subtracting(on).sorted() { text += "\u{1B}[?\(mode)h" }
        return Array(text.utf8)
    }

    /// Orders modes. Those that switch screens come first, because some terminals keep the other modes for each of their two
    /// screens.
    private static func screenFirst(_ one: Int, _ other: Int) -> Bool {
        let screens = [47, 1047, 1049]
        let (isOne, isOther) = (screens.contains(one), screens.contains(other))
        return isOne == isOther ? one < other : isOne
    }
}
