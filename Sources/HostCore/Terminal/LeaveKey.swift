/// Finds the key that leaves a window in a terminal's input, and passes on everything else. The key is Ctrl-\, or Ctrl-4, which
/// most terminals send as the same character, for keyboards that reach \ only with a modifier.
package struct LeaveKey: Sendable {
    /// The character sent by terminals that do not report every key.
    private static let character: UInt8 = 0x1C
    private static let codes: Set<UInt32> = [92, 52]
    private static let escape: UInt8 = 0x1B
    private static let pasteBegins = Array("\u{1B}[200~".utf8)
    private static let pasteEnds = Array("\u{1B}[201~".utf8)
    /// Longest sequence that can be a key: three codes, modifiers, and the text that it types.
    private static let sequenceBytesMax = 64

    /// The beginning of a sequence that may become the key.
    private var held: [UInt8] = []
    /// Number of bytes of `pasteBegins` that were passed on before the rest came.
    private var passedOn = 0
    /// True within pasted text, which is never the key, whatever characters it has.
    private var isPasting = false
    /// Number of bytes of `pasteEnds` that the input so far ends with.
    private var matched = 0

    package init() {}

    /// True if bytes are held until the next ones, which may be late or never come. Call `flush` if they do not come soon.
    package var isHolding: Bool { !held.isEmpty }

    /// Returns the input before the key, or all of it. Nothing is passed on after `leaves`.
    package mutating func take(_ bytes: [UInt8]) -> (passed: [UInt8], leaves: Bool) {
        var passed: [UInt8] = []
        for byte in bytes {
            if isPasting {
                passed.append(byte)
                paste(byte)
                continue
            }
            if goesOn(byte) {
                passed.append(byte)
                continue
            }
            if held.count > 1 || (held.count == 1 && byte == UInt8(ascii: "[")) {
                if (0x30...0x3F).contains(byte) || held.count == 1, held.count < Self.sequenceBytesMax {
                    held.append(byte)
                    continue
                }
                if (0x40...0x7E).contains(byte) {
                    let sequence = takeSequence() + [byte]
                    if Self.isKey(sequence) { return (passed, true) }
                    isPasting = sequence == Self.pasteBegins
                    passed += sequence
                    continue
                }
            }
            passed += takeSequence()
            switch byte {
            case Self.character: return (passed, true)
            case Self.escape: held = [byte]
            default: passed.append(byte)
            }
        }
        return (passed, false)
    }

    /// Returns the held bytes, which are not the key. They may still be the beginning of a paste, which a slow line has cut.
    package mutating func flush() -> [UInt8] {
        passedOn = Self.pasteBegins.starts(with: held) ? held.count : 0
        return takeSequence()
    }

    private mutating func takeSequence() -> [UInt8] {
        defer { held = [] }
        return held
    }

    /// Returns true if the byte continues a paste's beginning that was passed on.
    private mutating func goesOn(_ byte: UInt8) -> Bool {
        guard passedOn > 0 else { return false }
        guard byte == Self.pasteBegins[passedOn] else {
            passedOn = 0
            return false
        }
        passedOn += 1
        guard passedOn == Self.pasteBegins.count else { return true }
        (isPasting, passedOn) = (true, 0)
        return true
    }

    private mutating func paste(_ byte: UInt8) {
        matched = byte == Self.pasteEnds[matched] ? matched + 1 : byte == Self.escape ? 1 : 0
        guard matched == Self.pasteEnds.count else { return }
        (isPasting, matched) = (false, 0)
    }

    /// True if a sequence is the key: `CSI CODE:SHIFTED:BASE ; MODIFIERS:EVENT ; TEXT u`, or `CSI 27 ; MODIFIERS ; CODE ~`.
    private static func isKey(_ sequence: [UInt8]) -> Bool {
        let fields = sequence[2..<(sequence.count - 1)].split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map {
                $0.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map {
                    UInt32(String(decoding: $0, as: UTF8.self))
                }
            }
        switch (sequence.last, fields.count) {
        case (UInt8(ascii: "u"), 2...): return isKey(fields[0], fields[1])
        case (UInt8(ascii: "~"), 3) where fields[0] == [27]: return isKey(fields[2], fields[1])
        default: return false
        }
    }

    private static func isKey(_ candidates: [UInt32?], _ modifiers: [UInt32?]) -> Bool {
        guard let sent = modifiers[0], sent > 0, candidates.contains(where: { $0.map(codes.contains) == true }) else {
            return false
        }
        let (shift, control, capsLock, numLock): (UInt32, UInt32, UInt32, UInt32) = (1, 4, 64, 128)
        let isRelease = modifiers.count > 1 && modifiers[1] == 3
        return (sent - 1) & ~(shift | capsLock | numLock) == control && !isRelease
    }
}
