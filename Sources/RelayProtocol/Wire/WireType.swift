/// What one field of the wire may hold, with its limits.
package struct WireType: Sendable {
    package indirect enum Shape: Sendable {
        case flag
        case integer(ClosedRange<Int64>)
        case text(bytesMax: Int)
        /// Spelled in one way alone; `example` is.
        case pattern(String, example: String)
        /// One of a closed set.
        case word([String])
        /// Text; a reader takes words that it does not know, too.
        case openWord([String], bytesMax: Int = .max)
        case object(WireObject)
        case list(WireType, ClosedRange<Int>)
        /// An event: of this kind alone, or of any that the peer may state.
        case event(EventKind?, isOfHost: Bool)
        /// An object that is carried as it is.
        case fields
    }

    package let shape: Shape
    /// By which the schema, the page's types and the protocol document know it; nil where it is spelled out at each field.
    package let name: String?
    package let meaning: String?

    init(_ shape: Shape, name: String? = nil, _ meaning: String? = nil) {
        self.shape = shape
        self.name = name
        self.meaning = meaning
    }
}

// MARK: - Shared by many fields

extension WireType {
    static let flag = WireType(.flag)
    static let fields = WireType(.fields)
    static let identifier = WireType(
        .pattern("^[A-Za-z0-9_-]{1,64}$", example: "an-identifier"), name: "identifier", "A name on the wire.")
    static let digest = WireType(
        .pattern("^[0-9a-f]{64}$", example: String(repeating: "ab", count: 32)), name: "digest",
        "SHA-256 in lowercase hexadecimal.")
    static let count = WireType(
        .integer(0...JSONValue.integerMax), name: "count", "A whole number, written without fraction or exponent.")
    static let time = WireType(.integer(0...JSONValue.integerMax), name: "time", "Milliseconds since 1970 UTC.")
    static let money = WireType(
        .integer(0...Usage.costMicroUSDMax), name: "money", "Whole micro-US-dollars, at most a million dollars.")
    static let name = WireType(.text(bytesMax: WireLimits.nameBytesMax), name: "name", "At most 256 bytes.")
    static let line = WireType(
        .text(bytesMax: WireLimits.lineBytesMax), name: "line", "A line that lists show; at most 4,096 bytes.")
    static let typed = WireType(
        .text(bytesMax: WireLimits.textBytesMax), name: "text", "What a person types; at most 32,768 bytes.")
    /// Limited by the message alone.
    static let anyText = WireType(.text(bytesMax: .max))

    static func text(bytesMax: Int) -> WireType { WireType(.text(bytesMax: bytesMax)) }
    static func integer(_ range: ClosedRange<Int64>) -> WireType { WireType(.integer(range)) }
    static func event(_ kind: EventKind? = nil, isOfHost: Bool = false) -> WireType {
        WireType(.event(kind, isOfHost: isOfHost))
    }
    static func object(_ object: WireObject) -> WireType { WireType(.object(object), name: object.name) }
    /// An object that is spelled out where it stands.
    static func object(_ fields: [WireField]) -> WireType { WireType(.object(WireObject(nil, fields))) }
    static func list(_ type: WireType, _ range: ClosedRange<Int> = 0...Int.max) -> WireType { WireType(.list(type, range)) }

    static func word<Word: RawRepresentable & CaseIterable>(_: Word.Type, name: String? = nil) -> WireType
    where Word.RawValue == String {
        WireType(.word(Word.allCases.map(\.rawValue)), name: name)
    }

    static func words(_ words: String...) -> WireType { WireType(.word(words)) }
}
