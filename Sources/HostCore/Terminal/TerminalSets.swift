/// The character sets that a terminal can switch between: text, or box-drawing lines, as installers and `curses` use them.
struct TerminalSets: Sendable, Equatable {
    private static let lines = Array("◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·".unicodeScalars)
    private static let firstLine: UInt32 = 0x60

    private var drawsFirst = false
    private var drawsSecond = false
    /// True if the second set is in use.
    var isShifted = false

    /// Handles `ESC ( 0` and similar sequences, which choose a set.
    mutating func choose(_ final: UInt8, for intermediate: UInt8) {
        switch intermediate {
        case UInt8(ascii: "("): drawsFirst = final == UInt8(ascii: "0")
        case UInt8(ascii: ")"): drawsSecond = final == UInt8(ascii: "0")
        default: break
        }
    }

    func shown(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard isShifted ? drawsSecond : drawsFirst, scalar.value >= Self.firstLine else { return scalar }
        let place = Int(scalar.value - Self.firstLine)
        return place < Self.lines.count ? Self.lines[place] : scalar
    }
}
