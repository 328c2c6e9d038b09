internal import HostCore
internal import RelayProtocol

/// One approval request, or one question of the model, that clients can answer.
struct CodexQuestion {
    enum Reading {
        case known(CodexQuestion)
        /// A request whose subject only the terminal shows.
        case unknown(ApprovalKind)
        /// A request that does not concern people.
        case service
    }

    let tool: String
    let turn: String?
    /// The item that asks; nil if a tool server asks, whose request does not say in which call, and for text that is to be typed
    /// into a command that runs, whose item is that command's.
    let item: String?
    /// Identifies the question over connections and restarts of the daemon.
    let run: String
    /// Codex's own description of the request, without names and without options that only the terminal offers.
    let input: [UInt8]
    /// The changes of files; nil for other requests.
    let changes: [JSONValue]?
    /// True if Codex accepts a plain yes.
    let canBeAllowed: Bool
    let offers: [AgentOffer]
    /// The model's questions; nil for other requests.
    private(set) var userInput: CodexUserInput?
    /// The form of a tool server; nil for other requests.
    private(set) var elicited: ElicitedForm?
    private let command: String?

    /// Members on which no person decides: names, times, parts that are shown elsewhere, and options that only the terminal offers.
    private static let leftOut: Set<String> = [
        "threadId", "turnId", "itemId", "approvalId", "startedAtMs", "kind", "commandActions", "availableDecisions",
        "proposedExecpolicyAmendment", "proposedNetworkPolicyAmendments", "isBlocking", "autoResolutionMs",
    ]

    /// The questions; empty for a yes or no.
    var questions: [AskedQuestion] { elicited?.questions ?? userInput?.questions.map(\.asked) ?? [] }

    /// Reads a request. `id`: the server's id of it. `changes`: returns an item's announced file changes, which the request itself
    /// does not contain.
    static func reading(
        _ method: String, _ params: JSONValue, id: [UInt8], _ cleaner: Cleaner, changes: (String) -> [UInt8]?
    ) -> Reading {
        switch method {
        case "item/commandExecution/requestApproval":
            guard let command = params.text("command"), !command.isEmpty else { return .unknown(.tool) }
            switch params.text("kind") ?? "command" {
            case "command":
                let offers = CodexOffer.ofCommand(params, cleaner)
                return CodexQuestion(tool: CodexTool.command, params, command: command, changes: nil, offers)
                    .map(Reading.known) ?? .unknown(.tool)
            case "writeStdin" where params.text("approvalId") != nil:
                return CodexQuestion(tool: CodexTool.typing, params, command: command, changes: nil, [])
                    .map(Reading.known) ?? .unknown(.tool)
            // A request for the network alone is another question than this command.
            default: return .unknown(.tool)
            }
        case "item/fileChange/requestApproval":
            // Access to a whole folder for the rest of the session is more than this change.
            guard params.optional("grantRoot") == nil, let item = params.text("itemId"), let bytes = changes(item) else {
                return .unknown(.tool)
            }
            return CodexQuestion(tool: CodexTool.changes, params, command: nil, changes: bytes, CodexOffer.ofChanges())
                .map(Reading.known) ?? .unknown(.tool)
        case CodexUserInput.method:
            guard let asked = CodexUserInput(params, clean: cleaner.clean),
                var question = CodexQuestion(tool: CodexUserInput.tool, params, command: nil, changes: nil, [])
            else { return .unknown(.question) }
            question.userInput = asked
            return .known(question)
        case "item/permissions/requestApproval", "applyPatchApproval", "execCommandApproval": return .unknown(.tool)
        case Self.elicitation:
            return CodexQuestion(elicitation: params, id: id, clean: cleaner.clean).map(Reading.known) ?? .unknown(.question)
        default: return .service
        }
    }

    static let elicitation = "mcpServer/elicitation/request"
    private static let elicitationTool = "mcp_elicitation"

    /// With more than the form (`_meta`) it may be another question, such as whether a tool may be used, which is left to the
    /// terminal.
    private init?(elicitation params: JSONValue, id: [UInt8], clean: (String) -> String) {
        guard params.text("mode") == "form", params.optional("_meta")?.isNull ?? true, let server = params.text("serverName"),
            let message = params.text("message"), let schema = params.optional("requestedSchema"),
            let form = ElicitedForm(message: message, schema: schema, clean: clean)
        else { return nil }
        tool = Self.elicitationTool
        item = nil
        turn = params.text("turnId")
        run = [turn ?? "", Self.elicitationTool, String(decoding: id, as: UTF8.self)].joined(separator: "/")
        input = JSONWriter.object {
            $0.field("server", server)
            $0.field("message", message)
            $0.raw("form", schema.bytes)
        }
        (changes, canBeAllowed, offers, command) = (nil, true, [], nil)
        elicited = form
    }

    private init?(
        tool: String, _ params: JSONValue, command: String?, changes: [UInt8]?, _ offers: [AgentOffer]
    ) {
        guard let item = params.text("itemId"), let members = try? params.members() else { return nil }
        self.tool = tool
        self.item = tool == CodexTool.typing ? nil : TextCut.line(item, bytesMax: WireLimits.nameBytesMax)
        self.command = command
        self.offers = offers
        turn = params.text("turnId")
        run = Self.run(turn, item) + (params.text("approvalId") ?? "")
        let list = params.list("availableDecisions")
        canBeAllowed = list.isEmpty || list.contains { (try? $0.string()) == "accept" }
        input = JSONWriter.object {
            for (key, value) in members where !Self.leftOut.contains(key) && !value.isNull {
                // The environment is this machine, as nearly always.
                if key == "environmentId", (try? value.string()) == "local" { continue }
                $0.raw(dynamic: key, value.bytes)
            }
            if let changes { $0.raw("changes", changes) }
        }
        guard let changes else {
            self.changes = nil
            return
        }
        guard let list = try? JSONDocument(parsing: changes).root.array() else { return nil }
        self.changes = list
    }

    /// The beginning of the `run` of each question of this item.
    static func run(_ turn: String?, _ item: String) -> String { "\(turn ?? "")/\(item)/" }

    /// The request in words: "Run: swift test".
    func words(_ paths: ShownPaths, clean: (String) -> String) -> String {
        if let elicited { return elicited.message }
        if let first = userInput?.questions.first { return first.asked.shownText }
        if tool == CodexTool.typing {
            // `write_stdin --session-id 7 'text'`
            let quoted = command?.split(separator: " ", maxSplits: 3).last.map(String.init) ?? ""
            let text = quoted.hasPrefix("'") && quoted.hasSuffix("'") ? String(quoted.dropFirst().dropLast()) : quoted
            return "Type into a running command: " + clean(TextCut.rough(text, bytesMax: WireLimits.lineBytesMax))
        }
        if let command { return "Run: " + CodexTool.words(command: command, clean: clean) }
        return "Change " + CodexTool.words(changes: changes ?? [], paths, clean: clean)
    }
}
