/// One fact about a session, in past tense; immutable. Its number is stored beside it.
package struct Event: Sendable {
    /// Milliseconds since 1970, by the clock of the machine that observed it; for display, never for ordering.
    package let at: Int64
    package let head: EventHead
    /// Sealed text from a host that seals: what lists show of the session from this event on, for the host's devices.
    package let line: String?
    /// The whole event as JSON, exactly as received: the stored bytes are the ones that are sent.
    package let bytes: [UInt8]

    /// Creates an event of this process.
    package init(_ head: EventHead, at: Int64, body: (inout JSONWriter) -> Void = { _ in }) {
        self.at = at
        self.head = head
        line = nil
        var writer = JSONWriter()
        writer.field("kind", head.kind)
        writer.field("at", at)
        writer.object("head") { head.write(to: &$0) }
        let content = JSONWriter.object(body)
        if content.count > 2 { writer.raw("body", content) }
        bytes = writer.finish()
    }

    /// Decodes an event received from a peer.
    package init(from value: JSONValue) throws(WireError) {
        let bytes = value.bytes
        let bytesMax = Self.bytesMax(of: value)
        guard bytes.count <= bytesMax else {
            throw WireError(.outOfRange, at: value.path, "an event has at most \(bytesMax) bytes")
        }
        guard !value.isDeeper(than: WireLimits.eventDepthMax) else {
            throw WireError(.tooDeep, at: value.path, "an event is nested at most \(WireLimits.eventDepthMax) deep")
        }
        at = try value.integer("at")
        let (kind, known): (String, EventKind?)
        if let plain = EventKind(plain: "kind", of: value) {
            (kind, known) = (plain.rawValue, plain)
        } else {
            kind = try value.string("kind", bytesMax: WireLimits.nameBytesMax)
            known = EventKind(rawValue: kind)
        }
        guard known != nil || EventKind.isSpelled(kind) else {
            throw WireError(.badValue, at: "\(value.path).kind", "the kind of an event is letters, digits, `.`, `_` and `-`")
        }
        head = try EventHead(known, kind: kind, head: value.object("head"))
        try value.checkOptionalObject("body")
        line = try value.optionalSealed("line", bytesMax: WireLimits.sealedLineBytesMax)
        self.bytes = Array(bytes)
    }

    /// Largest size in bytes. Higher for texts that devices sign as one, and for content that only they can open.
    private static func bytesMax(of value: JSONValue) -> Int {
        guard value.bytes.count > WireLimits.eventBytesMax, let content = onlyContent(of: value) else {
            return WireLimits.eventBytesMax
        }
        let isLonger = content == "sealed" || (content == "shown" && EventKind(plain: "kind", of: value) == .approvalRequested)
        return isLonger ? WireLimits.shownEventBytesMax : WireLimits.eventBytesMax
    }

    private static func onlyContent(of value: JSONValue) -> String? {
        guard let body = try? value.optional("body")?.members(), body.count == 1 else { return nil }
        return body[0].key
    }

    /// True if the event's host seals. The host's devices need every number of such events, and miss each one that is not in the
    /// log. Reads the whole event.
    package var isSealed: Bool { (try? JSONDocument(parsing: bytes).root).flatMap(Self.onlyContent) == "sealed" }

    /// Decodes an event from the store; it was checked when it was received.
    package init(stored bytes: [UInt8]) throws(WireError) {
        try self.init(from: JSONDocument(parsing: bytes).root)
    }
}
