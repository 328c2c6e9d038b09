internal import HostCore
internal import RelayProtocol

/// Approvals: the app-server asks all attached clients, and the first answer wins.
///
/// | event | evidence |
/// |---|---|
/// | `serverRequest/resolved`, and we had not answered | answeredAtTerminal |
/// | the same of a question that we had answered | answersTaken; our denial if we declined it |
/// | the item ends, not declined | carriedOut |
/// | the item ends, declined | reported: our denial if we denied, else a rejection |
/// | the turn ends | turnEnded |
/// | the connection is back, and the question does not come again | answeredAtTerminal |
extension CodexAdapter {
    mutating func requested(_ id: [UInt8], _ method: String, _ params: JSONValue, _ token: HookToken) {
        guard let name = params.text("threadId") ?? params.text("conversationId"), threads[name]?.isWatched == true else {
            return
        }
        let session = sessionID(name)
        switch CodexQuestion.reading(method, params, id: id, cleaner, changes: { sessions[session]?.changes[$0] }) {
        // Nobody is asked in an ended session: a subagent's question stays at the terminal.
        case .known where sessions[shown(session)]?.isEnded == true: break
        case .known(let question):
            let files = Self.files(of: question)
            guard !files.isEmpty else { return ask(question, id, token, in: session) }
            guard unasked.count < limits.requestsMax else { return ask(question, id, token, links: nil, in: session) }
            unasked[token] = (question, id, session)
            order(.own(.findLinks(token, files, in: paths(of: shown(session)).workingDirectory)))
        // Nothing is answered: neither "no", which a person has to say, nor an error, which Codex takes for a "no".
        case .unknown(let kind):
            waitAtTerminal(kind, in: session)
            guard method == "item/fileChange/requestApproval", let item = params.text("itemId"),
                sessions[session]?.seeks(item, countMax: limits.callsMax) == true
            else { return }
            // Once resumed, the thread repeats its open questions.
            call(.readWhole(thread: name))
        case .service: break
        }
    }

    mutating func linksFound(_ token: HookToken, _ links: [String: String]?) {
        guard let waiting = unasked.removeValue(forKey: token), sessions[shown(waiting.session)]?.isEnded == false else {
            return
        }
        ask(waiting.question, waiting.request, token, links: links, in: waiting.session)
        stirred.formUnion([waiting.session, shown(waiting.session)])
    }

    /// All files that the question's changes write.
    private static func files(of question: CodexQuestion) -> [String] {
        (question.changes ?? []).flatMap { [$0.text("path"), $0.optional("kind")?.text("move_path")] }.compactMap(\.self)
    }

    /// Reads planned changes of files, for items that began before we connected.
    mutating func changesRead(_ result: JSONValue, in session: SessionID) {
        guard let turn = result.optional("thread")?.list("turns").last, turn.text("status") == "inProgress" else { return }
        for item in turn.list("items") where item.text("status") == "inProgress" {
            if let item = CodexItem(item) { begin(item, in: session) }
        }
    }

    private mutating func ask(
        _ asked: CodexQuestion, _ id: [UInt8], _ token: HookToken, links: [String: String]? = [:], in session: SessionID
    ) {
        // The request is known, and was repeated because its thread was resumed.
        guard requests.opened(id, token) else { return }
        var question = ApprovalQuestion(
            session: shown(session), kind: asked.questions.isEmpty ? .tool : .question, tool: asked.tool, input: asked.input,
            digests,
            form: CodexForm(offers: asked.offers, userInput: asked.userInput, elicited: asked.elicited), token: token)
        if sessions[session]?.delegation != nil { question.agent = sessions[session]?.thread }
        question.prompt = asked.turn
        question.call = asked.item
        question.run = asked.run
        // The request may come from an earlier connection, which `run` shows. One that was answered on this connection is asked
        // again.
        question.attempt = desk.approvals.contains { $0.run == asked.run && answeredHere.contains($0.id) } ? 1 : 2
        var shown = (json: Array("{}".utf8), isRedacted: false, isCut: true)
        if let input = try? JSONDocument(parsing: asked.input).root {
            // The search for secrets takes time in proportion to the input; a request that comes again has passed it.
            shown.isCut = false
            if desk.isNew(question) { shown = cleaner.clean(input, of: asked.tool, bytesMax: limits.texts.approvalInputBytes) }
        }
        question.isCut = shown.isCut || !asked.canBeAllowed
        for order in consult(.asked(question)) {
            guard case .show(let name) = order, let approval = desk[name] else {
                carryOut(order)
                continue
            }
            show(approval, asked, shown.json, isRedacted: shown.isRedacted, links: links)
        }
        if isWaitingAtTerminal(in: session) { setStatus(.running, in: session) }
    }

    private mutating func show(
        _ approval: PendingApproval<CodexForm>, _ asked: CodexQuestion, _ shown: [UInt8], isRedacted: Bool,
        links: [String: String]?
    ) {
        let paths = paths(of: approval.session)
        let title = TextCut.line(asked.words(paths, clean: cleaner.clean), bytesMax: limits.texts.operationBytes)
        var request = ApprovalRequest(
            approval: approval.id, kind: approval.kind, tool: approval.tool, title: title, digest: approval.digest)
        let changes = asked.changes.flatMap { CodexChange.all($0, redactor) }
        request.isRedacted = isRedacted || changes?.contains { $0.lines.isRedacted } == true
        request.isCut = approval.isCut
        request.expiresAt = approval.expiresAt
        request.call = approval.call
        request.agent = approval.agent
        request.agentName = approval.agent.flatMap { sessions[sessionID($0)]?.delegation?.name }
        request.offers = approval.offers
        if approval.kind == .tool {
            let input = try? JSONDocument(parsing: asked.input).root
            request.risks = RequestRisks.of(input, writes: Self.files(of: asked), paths: paths, links: links).map { line($0) }
            if asked.tool == CodexTool.typing { request.risks.insert(RequestRisks.typing, at: 0) }
        }
        let questions = asked.questions
        request.questions = AskedQuestion.offers(of: questions)
        // Changes of files are read as a diff, for which no notification has room.
        if !questions.isEmpty {
            request.alert = RequestWords(request, questions: questions.map(\.shown))
        } else if changes == nil {
            request.alert = (try? JSONDocument(parsing: shown).root).flatMap { RequestWords(request, input: $0) }
        }
        // The diff is shown whole or not at all, because people decide by it. It may use the room that the input leaves.
        let room = limits.texts.approvalDiffBytes + max(0, limits.texts.approvalInputBytes - shown.count)
        let diff = changes.flatMap { cleaner.cleanWhole(CodexChange.diff(of: $0, name: paths.short), bytesMax: room) }
        // The body repeats the questions for people; both together must fit.
        let hasInput = questions.isEmpty || shown.count < limits.texts.approvalDiffBytes
        let isShown = emit(.approvalRequested(request), in: approval.session) {
            if hasInput { $0.raw("input", shown) }
            if !questions.isEmpty { $0.array("questions", questions.map(\.bytes)) }
            $0.field("diff", diff)
        }
        if !isShown { tellDesk(.cut(approval.id)) }
    }

    private func isWaitingAtTerminal(in id: SessionID) -> Bool { sessions[id].map(isWaitingAtTerminal) ?? false }

    // MARK: Over

    mutating func requestResolved(_ id: [UInt8], in session: SessionID) {
        if let waiting = unasked.first(where: { $0.value.request == id && $0.value.session == session })?.key {
            unasked[waiting] = nil
        }
        guard let (token, isAnswered) = requests.resolved(id) else {
            // A request that we could not answer is closed.
            if isWaitingAtTerminal(in: session), !hasOpenCard(session) { setStatus(.running, in: session) }
            return
        }
        guard isAnswered else {
            if let approval = desk.approvals.first(where: { $0.token == token }) {
                tellDesk(.shown(approval.id, .answeredAtTerminal))
            }
            return
        }
        // For an allowed or denied request the item shows the outcome. A question has no item.
        guard let name = answeredQuestions.removeValue(forKey: token), let approval = desk[name] else { return }
        tellDesk(.shown(name, approval.isDenied ? .reported(.ourDenial) : .answersTaken))
    }

    /// Handles the end of an approval's item.
    mutating func proven(_ tool: CodexTool, _ call: String, in session: SessionID) {
        for approval in desk.approvals where isOwn(approval, of: session) && approval.call == call {
            guard tool.isDeclined else {
                tellDesk(.shown(approval.id, .carriedOut(answers: nil, failed: !tool.succeeded)))
                continue
            }
            tellDesk(.shown(approval.id, .reported(approval.isDenied ? .ourDenial : .rejection)))
        }
    }

    /// Judges a question after a break so long that it would have been repeated if it were still open.
    private mutating func judge(_ id: ApprovalID) {
        guard let approval = desk[id] else { return }
        // Nothing shows afterwards whether the answer arrived before the connection broke.
        if approval.kind == .question, approval.answer != nil { return tellDesk(.shown(id, .withdrawn)) }
        let thread = approval.agent ?? sessions[approval.session]?.thread
        let isWatched = thread.map { threads[$0]?.isWatched == true } ?? false
        tellDesk(.shown(id, isWatched ? .answeredAtTerminal : .turnEnded(wentOn: false)))
    }

    // MARK: Orders of the desk

    mutating func tellDesk(_ fact: ApprovalFact<CodexForm>) {
        for order in consult(fact) { carryOut(order) }
    }

    private mutating func carryOut(_ order: ApprovalOrder) {
        switch order {
        case .show: preconditionFailure("only what Codex asks is shown")
        case .remember(let id, let note): self.order(.remember(id.rawValue, note))
        case .deliver(let id, let token, let output): deliver(id, token, output)
        case .abstain(let token): requests.forget(token)
        case .settled(let session, let end?): emit(end, in: session)
        case .emit(let session, let head): emit(head, in: session)
        case .judge(let id): judge(id)
        // Nothing to do: Codex's processes are not known, so none is checked, and a repeated question has its card already.
        case .reopened, .settled, .check: break
        }
    }

    private mutating func deliver(_ id: ApprovalID, _ token: HookToken, _ output: [UInt8]) {
        guard let approval = desk[id], let request = requests.answer(token) else { return }
        answeredHere.formIntersection(desk.approvals.map(\.id))
        answeredHere.insert(id)
        emit(.approvalDelivered(id), in: approval.session)
        var output = output
        if approval.kind == .question {
            answeredQuestions[token] = id
            if approval.isDenied { output = approval.form?.declined ?? CodexUserInput.declined }
        }
        order(.respond(token, CodexMessage.answer(request, output)))
    }
}
