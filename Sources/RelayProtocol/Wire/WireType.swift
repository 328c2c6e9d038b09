/// Values of one field of the wire, with their limits.
package struct WireType: Sendable {
    package indirect enum Shape: Sendable {
        case flag
        case integer(ClosedRange<Int64>)
        case text(bytesMax: Int)
        /// A text that matches this regular expression; `example` does.
        case pattern(String, example: String)
        /// One of a closed set of words.
        case word([String])
        /// One of these words, but readers accept unknown ones too.
        case openWord([String], bytesMax: Int = .max)
        case object(WireObject)
        /// The object that belongs to the listed field that is present, else the first one.
        case either(WireObject, with: KeyValuePairs<String, WireObject>)
        case list(WireType, ClosedRange<Int>)
        /// An event of this kind, or of any; `isOfHost` limits it to kinds that hosts may send.
        case event(EventKind?, isOfHost: Bool)
        /// An object that is carried unchanged.
        case fields
    }

    package let shape: Shape
    /// Name in the schema, the page's types and the protocol document; nil if it is spelled out at each field.
    package let name: String?
    package let meaning: String?

    package init(_ shape: Shape, name: String? = nil, _ meaning: String? = nil) {
        self.shape = shape
        self.name = name
        self.meaning = meaning
    }
}

// MARK: - Shared by many fields

extension WireType {
    package static let flag = WireType(.flag)
    package static let fields = WireType(.fields)
    package static let identifier = WireType(
        .pattern("^[A-Za-z0-9_-]{1,64}$", example: "an-identifier"), name: "identifier", "A name on the wire.")
    package static let digest = WireType(
        .pattern("^[0-9a-f]{64}$", example: String(repeating: "ab", count: 32)), name: "digest",
        "SHA-256 in lowercase hexadecimal.")
    package static let hostKey = WireType(
        .pattern("^[A-Za-z0-9_-]{21}[AQgw]$", example: "c2l4dGVlbi1rZXktYnl0ZQ"), name: "host-key",
        "Names a host's keys: the first 16 bytes of a hash over its signing key, in base64url without padding.")
    package static let deviceKey = WireType(
        .pattern("^[A-Za-z0-9_-]{21}[AQgw]$", example: "ZGV2aWNlLWtleS1ieXRlcw"), name: "device-key",
        "Names a device's keys, as `host-key` does a host's.")
    package static let sealedLine = sealed(bytesMax: WireLimits.sealedLineBytesMax)
    package static let letter = WireType(
        .pattern("^[A-Za-z0-9_-]{2,\(Base64URL.textCount(of: WireLimits.letterBytesMax))}$", example: "bGV0dGVy"),
        name: "letter-bytes",
        "At most 4,096 bytes in base64url without padding.")
    package static let keys = WireType(
        .pattern("^[A-Za-z0-9_-]{2,\(Base64URL.textCount(of: WireLimits.keysBytesMax))}$", example: "aWhlbGxv"),
        name: "keys-bytes", "Bytes as a keyboard sends them: at most 4,096, in base64url without padding.")
    package static let count = WireType(
        .integer(0...JSONValue.integerMax), name: "count", "A whole number, written without fraction or exponent.")
    package static let time = WireType(.integer(0...JSONValue.integerMax), name: "time", "Milliseconds since 1970 UTC.")
    package static let money = WireType(
        .integer(0...Usage.costMicroUSDMax), name: "money", "Whole micro-US-dollars, at most a million dollars.")
    package static let name = WireType(.text(bytesMax: WireLimits.nameBytesMax), name: "name", "At most 256 bytes.")
    package static let line = WireType(
        .text(bytesMax: WireLimits.lineBytesMax), name: "line", "A line that lists show; at most 4,096 bytes.")
    package static let typed = WireType(
        .text(bytesMax: WireLimits.textBytesMax), name: "text", "What a person types; at most 32,768 bytes.")
    /// A text limited only by the size of its message.
    package static let anyText = WireType(.text(bytesMax: .max))

    /// A sealed text for the host's devices only; the relay carries it.
    package static func sealed(bytesMax: Int) -> WireType {
        WireType(.pattern("^[A-Za-z0-9_-]{1,\(bytesMax)}$", example: "c2VhbGVk"))
    }
    package static func text(bytesMax: Int) -> WireType { WireType(.text(bytesMax: bytesMax)) }
    package static func integer(_ range: ClosedRange<Int64>) -> WireType { WireType(.integer(range)) }
    package static func event(_ kind: EventKind? = nil, isOfHost: Bool = false) -> WireType {
        WireType(.event(kind, isOfHost: isOfHost))
    }
    package static func object(_ object: WireObject) -> WireType { WireType(.object(object), name: object.name) }
    /// An object without a name, spelled out in place.
    package static func object(_ fields: [WireField]) -> WireType { WireType(.object(WireObject(nil, fields))) }
    package static func list(_ type: WireType, _ range: ClosedRange<Int> = 0...Int.max) -> WireType {
        WireType(.list(type, range))
    }

    package static func word<Words: RawRepresentable & CaseIterable>(_: Words.Type, name: String? = nil) -> WireType
    where Words.RawValue == String {
        WireType(.word(Words.allCases.map(\.rawValue)), name: name)
    }

    package static func words(_ words: String...) -> WireType { WireType(.word(words)) }
}
