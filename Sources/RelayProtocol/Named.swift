/// A name with the identifier it belongs to.
package struct Named<Tag>: Sendable, Equatable {
    package var id: Identifier<Tag>
    package var name: String

    package init(id: Identifier<Tag>, name: String) {
        self.id = id
        self.name = name
    }

    package init(from value: JSONValue) throws(WireError) {
        id = try value.object().identifier("id")
        name = try value.string("name", bytesMax: WireLimits.nameBytesMax)
    }

    package func write(to writer: inout JSONWriter) {
        writer.field("id", id)
        writer.field("name", name)
    }
}
