internal import HostCore
internal import RelayProtocol

/// One request for approval, or one question of the model's, that clients can answer.
struct CodexQuestion {
    enum Reading {
        case known(CodexQuestion)
        /// Only the terminal shows what it is about.
        case unknown(ApprovalKind)
        /// Nothing for people.
        case service
    }

    let tool: String
    let turn: String?
    /// Nil if a tool server asks: the request does not say in which call.
    let item: String?
    /// Identifies the question over connections and restarts of the daemon.
    let run: String
    /// Codex's own description of it, without names and without options of the terminal alone.
    let input: [UInt8]
    /// Nil but for a change of files.
    let changes: [JSONValue]?
    /// Codex takes a plain yes.
    let canBeAllowed: Bool
    let offers: [AgentOffer]
    /// Nil but for a question of the model's.
    private(set) var userInput: CodexUserInput?
    /// Nil but for a form of a server of tools.
    private(set) var elicited: ElicitedForm?
    private let command: String?

    /// No part of what a person decides on: names, times, what is shown otherwise, and what only the terminal offers.
    private static let leftOut: Set<String> = [
        "threadId", "turnId", "itemId", "approvalId", "startedAtMs", "kind", "commandActions", "availableDecisions",
        "proposedExecpolicyAmendment", "proposedNetworkPolicyAmendments", "isBlocking", "autoResolutionMs",
    ]

    /// The questions; empty if a yes or a no is asked for.
    var questions: [AskedQuestion] { elicited?.questions ?? userInput?.questions.map(\.asked) ?? [] }

    /// `id` is the server's id of the request. `changes` returns an item's announced file changes, which the request itself does not
    /// contain.
    static func reading(
        _ method: String, _ params: JSONValue, id: [UInt8], _ cleaner: Cleaner, changes: (String) -> [UInt8]?
    ) -> Reading {
        switch method {
        case "item/commandExecution/requestApproval":
            // Input for a program that runs, or the network alone, is another question than this command.
            guard params.text("kind") ?? "command" == "command", let command = params.text("command"), !command.isEmpty else {
                return .unknown(.tool)
            }
            let offers = CodexOffer.ofCommand(params, cleaner)
            return CodexQuestion(tool: CodexTool.command, params, command: command, changes: nil, offers)
                .map(Reading.known) ?? .unknown(.tool)
        case "item/fileChange/requestApproval":
            // A whole folder for the rest of the session is more than this change.
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

    /// With more about it than the form (`_meta`) it may be another question, such as whether a tool may be used: that is the terminal's.
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
        self.item = TextCut.line(item, bytesMax: WireLimits.nameBytesMax)
        self.command = command
        self.offers = offers
        turn = params.text("turnId")
        run = [turn ?? "", item, params.text("approvalId") ?? ""].joined(separator: "/")
        let list = params.list("availableDecisions")
        canBeAllowed = list.isEmpty || list.contains { (try? $0.string()) == "accept" }
        input = JSONWriter.object {
            for (key, value) in members where !Self.leftOut.contains(key) && !value.isNull {
                // On this machine, as nearly always.
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

    /// "Run: swift test".
    func words(_ paths: ShownPaths, clean: (String) -> String) -> String {
        if let elicited { return elicited.message }
        if let first = userInput?.questions.first { return first.asked.shownText }
        if let command { return "Run: " + CodexTool.words(command: command, clean: clean) }
        return "Change " + CodexTool.words(changes: changes ?? [], paths, clean: clean)
    }
}
