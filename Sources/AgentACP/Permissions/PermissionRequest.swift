internal import HostCore
internal import RelayProtocol

/// Parameters of `session/request_permission`.
struct PermissionRequest {
    /// The agent's name of the session.
    let session: String
    /// The member `toolCall`, which describes as much of the call as the agent gives.
    let call: JSONValue
    let options: [ACPQuestion.Option]

    /// True if the request neither names nor describes a call: OpenHands asks once for all calls that it has reported.
    var isForAll: Bool {
        let id = call.text("toolCallId")
        guard id == nil || id?.hasPrefix("confirmation-") == true else { return false }
        return call.optional("rawInput") == nil && call.optional("content") == nil
    }

    var input: CallInput? { CallInput(call.optional("rawInput")) }

    /// Nil if clients cannot be asked about it: something is missing, or there is more than can be shown.
    init?(_ params: JSONValue?, optionsMax: Int) {
        guard let params, let session = params.text("sessionId"), let call = params.optional("toolCall"), call.isObject else {
            return nil
        }
        let entries = params.list("options")
        let options = entries.compactMap { entry -> ACPQuestion.Option? in
            guard let id = entry.text("optionId"), let name = entry.text("name"), let kind = entry.text("kind"),
                !id.isEmpty, id.utf8.count <= WireLimits.nameBytesMax, name.utf8.count <= WireLimits.lineBytesMax
            else { return nil }
            return ACPQuestion.Option(id: id, name: name, kind: kind, rule: Self.rule(of: entry))
        }
        guard !options.isEmpty, options.count == entries.count, options.count <= optionsMax,
            Set(options.map(\.id)).count == options.count
        else { return nil }
        self.session = session
        self.call = call
        self.options = options
    }

    /// The command patterns that Mistral Vibe will no longer ask about.
    private static func rule(of option: JSONValue) -> String? {
        let entries = option.optional("_meta")?.list("required_permissions") ?? []
        let patterns = entries.compactMap { $0.text("scope") == "command_pattern" ? $0.text("session_pattern") : nil }
        guard !patterns.isEmpty, patterns.count == entries.count, !patterns.contains(where: { $0.contains(where: \.isNewline) })
        else { return nil }
        let rule = patterns.joined(separator: "\n")
        return rule.utf8.count <= WireLimits.lineBytesMax ? rule : nil
    }
}

/// The answer to the agent that expresses a decision.
enum PermissionChoice: Equatable {
    case option(String)
    /// Cancelled. The agent reads it as a no, and ends the turn if it offered no option to reject.
    case cancelled
    /// The filled-in form, as JSON.
    case filledIn([UInt8])
    case declined
    /// A form that nobody has answered, and nobody will.
    case dismissed
    /// None of the offered options matches what the person said.
    case none

    /// Options that are called `allow_once` but change what is asked about from then on (OpenHands).
    static let lasting: Set<String> = ["risk_based"]

    init(_ verdict: ACPVerdict, for question: ACPQuestion) {
        guard question.isForm else {
            self = verdict.content == nil ? PermissionChoice(verdict, among: question.options) : .none
            return
        }
        // A form cannot be allowed, only filled in.
        self = verdict.content.map { .filledIn($0) } ?? (verdict.allows ? .none : .declined)
    }

    init(_ verdict: ACPVerdict, among options: [ACPQuestion.Option]) {
        if let tapped = verdict.option {
            let matches = options.filter { $0.id == tapped || $0.name == tapped }
            // An allow with an option that does not allow, or a deny with one that does not reject, counts as the no that it
            // contains.
            if matches.count == 1, let match = matches.first,
                match.kind.hasPrefix("reject_") || (verdict.allows && match.kind.hasPrefix("allow_"))
            {
                self = .option(match.id)
                return
            }
            if verdict.allows {
                self = .none
                return
            }
        }
        if verdict.allows {
            let plain = options.first { $0.kind == "allow_once" && !Self.lasting.contains($0.id) }
            self = plain.map { .option($0.id) } ?? .none
        } else {
            self = options.first { $0.kind == "reject_once" }.map { .option($0.id) } ?? .cancelled
        }
    }

    /// A line for the agent.
    func answer(to id: [UInt8]) -> [UInt8]? {
        if self == .none { return nil }
        return JSONWriter.object { writer in
            writer.field("jsonrpc", "2.0")
            writer.raw("id", id)
            writer.object("result") { result in
                switch self {
                case .option(let option):
                    result.object("outcome") {
                        $0.field("outcome", "selected")
                        $0.field("optionId", option)
                    }
                case .cancelled, .none: result.object("outcome") { $0.field("outcome", "cancelled") }
                case .filledIn(let content):
                    result.field("action", "accept")
                    result.raw("content", content)
                case .declined: result.field("action", "decline")
                case .dismissed: result.field("action", "cancel")
                }
            }
        } + [UInt8(ascii: "\n")]
    }
}
