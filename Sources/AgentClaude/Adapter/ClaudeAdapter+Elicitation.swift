internal import HostCore
internal import RelayProtocol

/// Questions of tool servers in the middle of a call (MCP's elicitation).
///
/// The hook runs before Claude Code's own dialog: while clients are asked there is no dialog, and a key at the terminal ends the
/// hook (`TerminalKeys`). So the dialog is not delayed for a question that clients could not answer: an unknown form, a web page to
/// be opened, a form that is not shown whole. In a `heliograph run`, that program asks as if it were the hook, and can answer
/// meanwhile.
extension ClaudeAdapter {
    mutating func elicitationRequested(_ id: SessionID, _ hook: ClaudeHook, _ payload: JSONValue) {
        guard let token = hook.token else { return }
        guard hook.isWhole, payload.text("mode") ?? "form" == "form", let server = payload.text("mcp_server_name"),
            let schema = payload.optional("requested_schema"),
            let form = ElicitedForm(message: payload.text("message") ?? "", schema: schema, clean: clean)
        else { return order(.respond(token, nil)) }
        let taken = Set(approvals.compactMap(\.call))
        let calls =
            sessions[id]?.calls.values.filter { $0.tool.hasPrefix(Self.prefix(of: server)) && !taken.contains($0.id) } ?? []
        // The payload does not say which call asks.
        let call = calls.count == 1 ? calls.first : nil
        let tool = call?.tool ?? Self.tool(of: server)
        let input = JSONWriter.object {
            $0.field("server", server)
            $0.field("message", payload.text("message"))
            $0.raw("form", schema.bytes)
        }
        var question = ApprovalQuestion(
            session: id, kind: .question, tool: tool, input: input, digests, form: ClaudeForm(tool: tool, form), token: token)
        question.agent = call?.agent
        question.call = call?.id
        question.prompt = Self.prompt(payload)
        question.process = hook.process
        question.attempt = hook.attempt
        question.run = hook.run
        // The agent's own dialog waits for us, so we do not wait for a relay that is away.
        question.isAttended = false
        if hook.isAttended { question.life = limits.approvals.life }
        var shown = (json: Array("{}".utf8), isRedacted: false, isCut: false)
        let document = try? JSONDocument(parsing: input)
        if let document, desk.isNew(question) {
            shown = clean(document.root, of: tool, bytesMax: limits.texts.approvalInputBytes)
        }
        question.isCut = shown.isCut || document == nil
        if question.isCut, hook.isAttended, !hook.isRun { return order(.respond(token, nil)) }
        put(question, payload, input: document?.root, file: nil, shown: shown.json, isRedacted: shown.isRedacted)
    }

    /// Handles an answer that the server got from elsewhere than our hook: from the dialog, or from `heliograph run`, where people
    /// here or at a client gave it.
    mutating func elicitationOver(_ id: SessionID, _ payload: JSONValue) {
        workedOn(id)
        guard let server = payload.text("mcp_server_name"),
            let approval = approvals.first(where: {
                $0.session == id && $0.isElicitation
                    && ($0.tool == Self.tool(of: server) || $0.tool.hasPrefix(Self.prefix(of: server)))
            })
        else { return }
        if payload.text("action") == "accept" {
            let values = ElicitedForm.values(of: payload.optional("content"))
            tellDesk(.shown(approval.id, .carriedOut(answers: values, failed: false)))
        } else {
            tellDesk(.shown(approval.id, .reported(approval.isDenied ? .ourDenial : .rejection)))
        }
    }

    /// Handles the end of the call in which the server asked, without a reported dialog: the server continued with our hook's
    /// answer.
    mutating func elicitationProven(_ approval: PendingApproval<ClaudeForm>) {
        tellDesk(.shown(approval.id, approval.isDenied ? .reported(.ourDenial) : .answersTaken))
    }

    /// The name that stands for a server's tools. Tool names contain no other characters of a server's name than these.
    private static func tool(of server: String) -> String {
        let name = server.map { $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) ? $0 : "_" }
        return TextCut.line("mcp__" + String(name), bytesMax: WireLimits.nameBytesMax)
    }

    private static func prefix(of server: String) -> String { tool(of: server) + "__" }
}
