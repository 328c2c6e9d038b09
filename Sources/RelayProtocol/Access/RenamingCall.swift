/// The body of `POST /v1/tokens/ID/rename`.
package struct RenamingCall: Equatable, Sendable {
    package var name: String

    package init(parsing bytes: [UInt8]) throws(WireError) {
        name = try JSONDocument(parsing: bytes).root.object().string("name", bytesMax: WireLimits.nameBytesMax)
    }

    package var bytes: [UInt8] { JSONWriter.object { $0.field("name", name) } }
}
