internal import HostCore
internal import RelayProtocol

/// One item of a turn, as far as it is reported to people.
struct CodexItem {
    enum Kind {
        /// A prompt; `client` is the name that a client, mostly the terminal, gave it.
        case prompt(String, client: String?)
        case answer(String)
        case thought(String)
        case tool(CodexTool)
        /// An item that is not reported.
        case other
    }

    let id: String
    let kind: Kind

    init?(_ item: JSONValue) {
        guard let id = item.text("id").map({ TextCut.line($0, bytesMax: WireLimits.nameBytesMax) }), !id.isEmpty else {
            return nil
        }
        self.id = id
        switch item.text("type") {
        case "userMessage":
            kind = .prompt(
                item.list("content").compactMap { $0.text("text") }.joined(separator: "\n"), client: item.text("clientId"))
        case "agentMessage", "plan": kind = .answer(item.text("text") ?? "")
        case "reasoning": kind = .thought(item.list("summary").compactMap { try? $0.string() }.joined(separator: "\n\n"))
        default: kind = CodexTool(item).map(Kind.tool) ?? .other
        }
    }
}
