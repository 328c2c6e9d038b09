internal import RelayProtocol

/// An app that the simulator was not built with: its `ActivityAttributes` by name and, if they are described, their fields.
///
/// `{"name": "OrderAttributes", "attributes": {"order": "integer"}, "contentState": {"stage": ["cooking", "on its way"], "eta?":
/// "date"}}`; a part that is not described accepts any object. See `FieldType` for the types.
struct DescribedApp: Sendable {
    private let name: String
    private let attributes: FieldType
    private let contentState: FieldType

    init(_ json: JSONValue) throws(WireError) {
        name = try json.string("name")
        attributes = try json.optional("attributes").map { value throws(WireError) in try .structure(value) } ?? .fields([])
        contentState = try json.optional("contentState").map { value throws(WireError) in try .structure(value) } ?? .fields([])
    }

    var activityTypes: ActivityTypes {
        ActivityTypes(name: name) { attributes, state in
            let attributes = try JSONDocument(parsing: attributes).root
            try self.attributes.check(attributes)
            let state = try JSONDocument(parsing: state).root
            try contentState.check(state)
            return try face(attributes, state)
        }
    }

    /// The app's drawing is unknown, so the texts that were sent are shown instead.
    private func face(_ attributes: JSONValue, _ state: JSONValue) throws(WireError) -> CardFace {
        let words = try state.members().compactMap { try? $0.value.string() }
        let title = try attributes.members().lazy.compactMap { try? $0.value.string() }.first
        return CardFace(
            symbol: "app", tint: .gray, title: title ?? name, status: words.first ?? "", detail: words.dropFirst().first)
    }
}
