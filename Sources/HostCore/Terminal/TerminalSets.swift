/// The character sets that a terminal can switch between: text, or the lines of boxes, as installers and `curses` draw them.
struct TerminalSets: Sendable, Equatable {
    private static let lines = Array("◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·".unicodeScalars)
    private static let firstLine: UInt32 = 0x60

    private var drawsFirst = false
    private var drawsSecond = false
    /// The second set is in use.
    var isShifted = false

    /// `ESC ( 0`, and the like.
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
