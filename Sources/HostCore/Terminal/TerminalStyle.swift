/// The look of a character in a terminal.
package struct TerminalStyle: Sendable, Equatable {
    struct Marks: OptionSet, Sendable {
        let rawValue: UInt8
        static let bold = Marks(rawValue: 1 << 0)
        static let faint = Marks(rawValue: 1 << 1)
        static let italic = Marks(rawValue: 1 << 2)
        static let underlined = Marks(rawValue: 1 << 3)
        static let inverse = Marks(rawValue: 1 << 4)
        static let concealed = Marks(rawValue: 1 << 5)
        static let struck = Marks(rawValue: 1 << 6)

        /// Marks by the numbers that set them, in order.
        static let numbered: [(number: Int, mark: Marks)] = [
            (1, .bold), (2, .faint), (3, .italic), (4, .underlined), (7, .inverse), (8, .concealed), (9, .struck),
        ]
    }

    enum Color: Sendable, Equatable {
        case unset
        case palette(UInt8)
        case rgb(UInt8, UInt8, UInt8)
    }

    var marks: Marks = []
    private var ink = Color.unset
    private var paper = Color.unset

    package init() {}

    var background: TerminalStyle {
        var style = TerminalStyle()
        style.paper = paper
        return style
    }

    var isDrawnWhenBlank: Bool { paper != .unset || !marks.isDisjoint(with: [.underlined, .inverse, .struck]) }

    /// Applies the parameters of SGR; unknown ones change nothing.
    mutating func take(_ parameters: [Int]) {
        var rest = (parameters.isEmpty ? [0] : parameters)[...]
        while let number = rest.popFirst() {
            switch number {
            case 0: self = TerminalStyle()
            case 21: marks.insert(.underlined)
            case 22: marks.subtract([.bold, .faint])
            case 23: marks.remove(.italic)
            case 24: marks.remove(.underlined)
            case 27: marks.remove(.inverse)
            case 28: marks.remove(.concealed)
            case 29: marks.remove(.struck)
            case 30...37: ink = .palette(UInt8(number - 30))
            case 90...97: ink = .palette(UInt8(number - 90 + 8))
            case 39: ink = .unset
            case 40...47: paper = .palette(UInt8(number - 40))
            case 100...107: paper = .palette(UInt8(number - 100 + 8))
            case 49: paper = .unset
            case 38: if let color = Self.color(&rest) { ink = color }
            case 48: if let color = Self.color(&rest) { paper = color }
            case 58: _ = Self.color(&rest)
            default: if let known = Marks.numbered.first(where: { $0.number == number }) { marks.insert(known.mark) }
            }
        }
    }

    private static func color(_ rest: inout ArraySlice<Int>) -> Color? {
        switch rest.popFirst() {
        case 2:
            let parts = rest.prefix(3).map { UInt8(clamping: $0) }
            rest = rest.dropFirst(3)
            return parts.count == 3 ? .rgb(parts[0], parts[1], parts[2]) : nil
        case 5: return rest.popFirst().map { .palette(UInt8(clamping: $0)) }
        default: return nil
        }
    }

    /// The parameters of SGR that set this style on a terminal without one; nil if none are needed.
    package var parameters: String? {
        guard self != TerminalStyle() else { return nil }
        var numbers = Marks.numbered.filter { marks.contains($0.mark) }.map { "\($0.number)" }
        Self.add(ink, 30, &numbers)
        Self.add(paper, 40, &numbers)
        return numbers.joined(separator: ";")
    }

    private static func add(_ color: Color, _ base: Int, _ numbers: inout [String]) {
        switch color {
        case .unset: break
        case .palette(let place) where place < 8: numbers.append("\(base + Int(place))")
        case .palette(let place) where place < 16: numbers.append("\(base + 60 + Int(place) - 8)")
        case .palette(let place): numbers.append("\(base + 8);5;\(place)")
        case .rgb(let red, let green, let blue): numbers.append("\(base + 8);2;\(red);\(green);\(blue)")
        }
    }
}
