/// One type of message in one direction.
package struct WireMessage: Sendable {
    package enum Direction: String, Sendable, CaseIterable {
        case hostToRelay = "host-to-relay"
        case relayToHost = "relay-to-host"
        case clientToRelay = "client-to-relay"
        case relayToClient = "relay-to-client"
    }

    package let type: String
    package let meaning: String?
    /// The fields besides `type`.
    package let fields: [WireField]
    /// Distinguishes two messages of the same type: only this one has this field.
    package let onlyWith: String?

    init(_ type: String, onlyWith: String? = nil, _ meaning: String?, _ fields: [WireField]) {
        self.type = type
        self.onlyWith = onlyWith
        self.meaning = meaning
        self.fields = fields
    }

    init(_ type: String, _ fields: [WireField]) { self.init(type, nil, fields) }

    /// The message's fields with its `type`.
    package var object: WireObject {
        WireObject(nil, meaning, [.required("type", WireType(.word([type])))] + fields)
    }
}
