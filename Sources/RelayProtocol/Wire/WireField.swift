/// One field of a message, a head or an object.
package struct WireField: Sendable {
    package enum Presence: Sendable, Equatable {
        /// Required: decoding fails without it.
        case required
        /// Always written; if absent, the default applies.
        case defaulted
        /// Written only if there is a value.
        case optional
        /// Present if another field has one of these words: always with the first list, optionally with the second.
        case with(String, always: [String], perhaps: [String])
        /// At most one of an object's alternatives is present.
        case alternative
        /// Required if this alternative is present.
        case beside(String)

        /// Present if another field has this word; `isRequired` says whether always.
        package static func with(_ field: String, is word: String, isRequired: Bool) -> Presence {
            .with(field, always: isRequired ? [word] : [], perhaps: isRequired ? [] : [word])
        }
    }

    package let name: String
    package let type: WireType
    package let presence: Presence
    package let meaning: String?
    /// A JSON example for fields whose reader accepts nothing else.
    package let example: String?
    /// In an event's head: what the relay can read of the field if its host seals. Nil outside of heads, and inside values that are
    /// wholly readable or wholly sealed.
    package private(set) var side: WireSide?

    package init(_ name: String, _ type: WireType, _ presence: Presence, _ meaning: String? = nil, example: String? = nil) {
        self.name = name
        self.type = type
        self.presence = presence
        self.meaning = meaning
        self.example = example
    }

    package static func required(_ name: String, _ type: WireType, _ meaning: String? = nil, example: String? = nil)
        -> WireField
    {
        WireField(name, type, .required, meaning, example: example)
    }

    package static func defaulted(_ name: String, _ type: WireType, _ meaning: String? = nil) -> WireField {
        WireField(name, type, .defaulted, meaning)
    }

    package static func optional(_ name: String, _ type: WireType, _ meaning: String? = nil) -> WireField {
        WireField(name, type, .optional, meaning)
    }

    /// A copy of the field with this side, for an event's head.
    package func on(_ side: WireSide) -> WireField {
        var field = self
        field.side = side
        return field
    }

    package var isRequired: Bool { presence == .required }

    /// A text for people: the words of another field with which this one is present; nil if it depends on no other field.
    package var standing: String? {
        guard case .with(let other, let always, let perhaps) = presence else { return nil }
        var parts: [String] = []
        if !always.isEmpty { parts.append("where `\(other)` is \(Self.list(always))") }
        if !perhaps.isEmpty { parts.append("perhaps where \(always.isEmpty ? "`\(other)`" : "it") is \(Self.list(perhaps))") }
        return parts.joined(separator: "; ")
    }

    private static func list(_ words: [String]) -> String {
        let spelled = words.map { "`\($0)`" }
        return [spelled.dropLast().joined(separator: ", "), spelled.last ?? ""].filter { !$0.isEmpty }.joined(separator: " or ")
    }
}
