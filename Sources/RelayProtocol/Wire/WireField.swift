/// One field of a message, a head or an object.
package struct WireField: Sendable {
    package enum Presence: Sendable, Equatable {
        /// Reading refuses what lacks it.
        case required
        /// Always written; what lacks it means the default.
        case defaulted
        /// Written where there is something to say.
        case optional
        /// It stands where another field says this word, and there it may be required.
        case with(String, is: String, isRequired: Bool)
        /// It may stand where another field says another word than this.
        case without(String, is: String)
        /// At most one of an object's alternatives stands.
        case alternative
        /// Required where this alternative stands.
        case beside(String)
    }

    package let name: String
    package let type: WireType
    package let presence: Presence
    package let meaning: String?
    /// As JSON: what examples hold that a reader takes nothing but this from.
    package let example: String?

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

    package var isRequired: Bool { presence == .required }
}
