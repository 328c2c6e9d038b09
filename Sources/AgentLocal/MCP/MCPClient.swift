internal import RelayProtocol

/// The client's own facts, sent once when it began, or with each of its requests.
struct MCPClient {
    /// Versions that begin with `initialize`, oldest first.
    static let handshakeVersions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
    /// Versions in which each request is independent.
    static let statelessVersions = ["2026-07-28"]

    var name = "MCP"
    var version: String?
    /// True if it can show its person a form.
    var takesForms = false
    var isStateless = false

    init() {}

    /// Reads the parameters of `initialize`.
    init(greeting: JSONValue) {
        read(greeting.optional("clientInfo"), greeting.optional("capabilities"))
    }

    /// Reads a request's `_meta`; nil if that has no version.
    init?(meta: JSONValue?) {
        guard let meta, meta.isObject, meta.optional("io.modelcontextprotocol/protocolVersion") != nil else { return nil }
        isStateless = true
        read(meta.optional("io.modelcontextprotocol/clientInfo"), meta.optional("io.modelcontextprotocol/clientCapabilities"))
    }

    private mutating func read(_ info: JSONValue?, _ capabilities: JSONValue?) {
        if let info, info.isObject {
            if let name = try? info.string("name", bytesMax: WireLimits.nameBytesMax), !name.isEmpty { self.name = name }
            version = (try? info.optionalString("version", bytesMax: WireLimits.nameBytesMax)) ?? nil
        }
        guard let capabilities, capabilities.isObject, let forms = capabilities.optional("elicitation"), forms.isObject else {
            return
        }
        // An empty object means forms, from the time before there were other kinds.
        takesForms = (try? forms.members().isEmpty) == true || forms.optional("form") != nil
    }
}
