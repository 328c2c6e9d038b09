/// The answer of `GET /v1/me`: the relay's description of the holder of a token.
package struct Identity: Equatable, Sendable {
    package enum Holder: Equatable, Sendable {
        case client(Named<ClientTag>)
        case host(Named<HostTag>)

        package var name: String {
            switch self {
            case .client(let client): client.name
            case .host(let host): host.name
            }
        }
    }

    package var holder: Holder
    package var workspace: Named<WorkspaceTag>
    /// Version of the relay's software.
    package var software: String
    /// The relay's clock, in milliseconds since 1970.
    package var at: Int64

    package init(holder: Holder, workspace: Named<WorkspaceTag>, software: String, at: Int64) {
        self.holder = holder
        self.workspace = workspace
        self.software = software
        self.at = at
    }

    package init(parsing bytes: [UInt8]) throws(WireError) {
        let value = try JSONDocument(parsing: bytes).root.object()
        if let host = value.optional("host") {
            holder = .host(try Named(from: host))
        } else {
            holder = .client(try Named(from: try value.required("client")))
        }
        workspace = try Named(from: try value.required("workspace"))
        software = try value.string("software", bytesMax: WireLimits.nameBytesMax)
        at = try value.integer("at")
    }

    package var bytes: [UInt8] {
        JSONWriter.object { writer in
            switch holder {
            case .client(let client): writer.object("client") { client.write(to: &$0) }
            case .host(let host): writer.object("host") { host.write(to: &$0) }
            }
            writer.object("workspace") { workspace.write(to: &$0) }
            writer.field("software", software)
            writer.field("at", at)
        }
    }
}
