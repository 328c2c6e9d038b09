/// One fact about a session, in past tense; immutable. Its number is next to it, not in it.
package struct Event: Sendable {
    /// Milliseconds since 1970, by the clock of the machine that saw it; for display, never for order.
    package let at: Int64
    package let head: EventHead
    /// From a host that seals: what lists say of the session from here on, for its devices.
    package let line: String?
    /// The whole event as JSON, exactly as it came: what is stored is what is sent.
    package let bytes: [UInt8]

    /// An event made here.
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

    /// An event that came from a peer.
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

    /// More for what devices sign as one text, and for what only they can open.
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

    /// True if its host seals: its numbers are for the host's devices, which miss each one that is not in the log. Reads all of the event.
    package var isSealed: Bool { (try? JSONDocument(parsing: bytes).root).flatMap(Self.onlyContent) == "sealed" }

    /// An event that the store gave back; it was checked when it came.
    package init(stored bytes: [UInt8]) throws(WireError) {
        try self.init(from: JSONDocument(parsing: bytes).root)
    }
}
