/// The fields of a message, a head or an object that several of them share.
package struct WireObject: Sendable {
    /// `quiet-hours`; nil if it is spelled out in its only place.
    package let name: String?
    package let meaning: String?
    package let fields: [WireField]

    package init(_ name: String?, _ meaning: String?, _ fields: [WireField]) {
        self.name = name
        self.meaning = meaning
        self.fields = fields
    }

    package init(_ name: String?, _ fields: [WireField]) { self.init(name, nil, fields) }

    package subscript(_ field: String) -> WireField? { fields.first { $0.name == field } }
}
