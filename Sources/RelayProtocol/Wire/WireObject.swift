/// The fields of a message or a head, or of an object that several of them have.
package struct WireObject: Sendable {
    /// Name such as `quiet-hours`; nil if the object is used in one place and spelled out there.
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
