package import RelayProtocol

/// Reads the fields of consent's files.
extension JSONValue {
    /// The object in a file of `version`. The error names the place of the fault.
    package static func file(_ bytes: [UInt8], bytesMax: Int, version: Int64) throws(ConsentError) -> JSONValue {
        guard bytes.count <= bytesMax else { throw ConsentError(.badLength, at: "$", "longer than \(bytesMax) bytes") }
        do throws(WireError) {
            let file = try JSONDocument(parsing: bytes).root.object()
            _ = try file.integer("version", in: version...version)
            return file
        } catch { throw ConsentError(error) }
    }

    package func fixed<Form>(_ key: StaticString) throws(WireError) -> FixedBytes<Form> { try required(key).fixed() }

    func fixedIfAny<Form>(_ key: StaticString) throws(WireError) -> FixedBytes<Form>? {
        guard let value = optional(key) else { return nil }
        return try value.fixed()
    }

    package func fixed<Form>() throws(WireError) -> FixedBytes<Form> {
        guard let value = FixedBytes<Form>(text: try string()) else {
            throw WireError(.badValue, at: path, "\(Form.count) bytes of the expected form in base64url")
        }
        return value
    }

    func consentName(_ key: StaticString) throws(WireError) -> String {
        let value = try required(key)
        let name = try value.string()
        guard ConsentName.isSpelled(name) else {
            throw WireError(.badValue, at: value.path, "a name is one line without control characters, of at most 256 bytes")
        }
        return name
    }
}
