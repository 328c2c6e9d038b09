/// The published JSON Schema of every message, as the relay serves it.
package enum Schema {
    package static var json: StaticString {
        guard let file = EmbeddedFiles.all.first(where: { $0.path == "schema.json" }) else {
            preconditionFailure("the build puts schema.json into this module")
        }
        return file.content
    }
}
