/// The body of `POST /v1/pair`: exchanges a pairing code for a token.
package struct PairCall: Equatable, Sendable {
    package var code: String
    /// The name that the relay will use for the device.
    package var name: String?
    /// A host's earlier token of the same relay. With it the host keeps its identity and its sessions.
    package var previous: String?
    /// A token that the program made and keeps: it becomes that of the device. Asked for again, it is answered as before, though the code is used.
    package var token: String?
    /// A program's description of itself; a browser's page is recognised by its `Origin`.
    package var kind: String?

    package init(code: String, name: String?, previous: String? = nil, token: String? = nil, kind: String? = nil) {
        self.code = code
        self.name = name
        self.previous = previous
        self.token = token
        self.kind = kind
    }

    package init(parsing bytes: [UInt8]) throws(WireError) {
        let value = try JSONDocument(parsing: bytes).root.object()
        code = try value.string("code", bytesMax: WireLimits.pairingCodeBytesMax)
        previous = try value.optionalString("previous", bytesMax: WireLimits.nameBytesMax)
        token = try value.optionalString("token", bytesMax: WireLimits.secretBytesMax)
        kind = try value.optionalString("kind", bytesMax: WireLimits.tokenKindBytesMax)
        name = try value.optionalString("name", bytesMax: WireLimits.nameBytesMax)
    }

    package var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.field("code", code)
            writer.field("name", name)
            writer.field("previous", previous)
            writer.field("token", token)
            writer.field("kind", kind)
        }
    }
}
