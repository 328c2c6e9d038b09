internal import HostCore
internal import RelayProtocol

/// Subject of a permission, as shown to a person who decides at a client: complete, or not at all.
struct PermissionSubject {
    let tool: String
    let title: String
    let input: [UInt8]
    let calls: Set<String>

    /// Calls to which one question may apply; a person does not read through more.
    private static let callsMax = 16

    /// Nil if there is nothing to judge by, more than can be shown, or something that two readers could understand differently.
    init?(_ request: JSONValue, _ known: [ToolCall], in folder: String?, _ limits: ACPLimits) {
        guard known.allSatisfy(\.isExact), known.count <= Self.callsMax else { return nil }
        // The request may describe its call itself; that description counts last.
        var call = known.count == 1 ? known[0] : ToolCall(id: request.text("toolCallId") ?? "", startedAt: 0)
        let input = CallInput(request.optional("rawInput"))
        let isNamed =
            known.count == 1
            && (known[0].id == request.text("toolCallId") || (input != nil && CallInput(known[0].input) == input))
        let generic = call.title
        call.take(request, isExact: true, limits)
        if !isNamed, known.count == 1, !generic.isEmpty {
            // "Confirm Agent Actions" says less than the action's own title.
            title = TextCut.line(generic)
            tool = known[0].tool
        } else {
            title = call.title.isEmpty ? call.tool : TextCut.line(call.title)
            tool = call.tool
        }
        calls = Set(known.map(\.id))
        if known.count > 1 {
            let entries = known.map { one in Self.json(one, title: one.title) }
            self.input = JSONWriter.object { $0.array("calls", entries) }
        } else if let raw = call.input, raw.first == UInt8(ascii: "{"), raw.count > 2 {
            guard let whole = Self.withFiles(of: call, raw, in: folder) else { return nil }
            self.input = whole
        } else {
            guard isNamed || known.count == 1 || call.content != nil || call.input != nil else { return nil }
            self.input = Self.json(call, title: title)
        }
        guard self.input.count <= limits.texts.approvalInputBytes, let root = try? JSONDocument(parsing: self.input).root,
            !root.isDeeper(than: WireLimits.eventDepthMax - 2)
        else { return nil }
    }

    /// The call's own input, and what its agent reports to be written if the input does not name it. Nil if the input has members
    /// of those names.
    private static func withFiles(of call: ToolCall, _ raw: [UInt8], in folder: String?) -> [UInt8]? {
        guard let root = try? JSONDocument(parsing: raw).root, let members = try? root.members() else { return nil }
        let named = RequestRisks.written(in: root, of: call.tool)
        let base = (folder ?? "") + "/"
        let files = (call.changes.map(\.path) + (call.writes ? [call.file].compactMap(\.self) : [])).filter { file in
            !named.contains { file == $0 || file == base + $0 || $0 == base + file }
        }
        guard !files.isEmpty else { return raw }
        guard !members.contains(where: { ["filesReported", "contentReported"].contains($0.key) }) else { return nil }
        return JSONWriter.object { writer in
            for (key, value) in members { writer.raw(dynamic: key, value.bytes) }
            writer.strings("filesReported", files)
            if let content = call.content { writer.raw("contentReported", content) }
        }
    }

    private static func json(_ call: ToolCall, title: String) -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("tool", call.tool)
            writer.field("kind", call.kind == call.tool ? nil : call.kind)
            writer.field("title", title)
            writer.field("file", call.file)
            if let input = call.input { writer.raw("input", input) }
            if let content = call.content { writer.raw("content", content) }
        }
    }
}
