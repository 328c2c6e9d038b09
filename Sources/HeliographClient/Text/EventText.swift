internal import Consent
internal import DeviceConsent
package import RelayProtocol

/// One event for people: a line, and for messages the whole text.
package struct EventText: Sendable {
    package var at: Int64
    /// The event in one line that is safe to print.
    package var line: String
    /// The whole message, safe to print, if it is more than the line shows.
    package var block: String?
    package var style: Style?
    /// The approval that this event concerns.
    package var approval: ApprovalID?
    /// True if this event ends its approval.
    package var isApprovalsEnd = false
    /// The question that this event contains.
    package var question: ApprovalRequest?
    /// True for bookkeeping, which is seldom of interest.
    package var isMinor = false

    package init(_ bytes: [UInt8]) {
        guard let document = try? JSONDocument(parsing: bytes), var event = try? Event(stored: bytes) else {
            at = 0
            line = "an event that this version cannot read"
            style = .dim
            return
        }
        // For a signed host only the signed text is shown, nothing that is around it.
        if case .approvalRequested = event.head, let text = ShownText.text(inEvent: bytes),
            let shown = try? ShownText(parsing: text)
        {
            event = shown.event
        }
        at = event.at
        line = ""
        describe(event.head, body: document.root.optional("body"))
    }

    private mutating func describe(_ head: EventHead, body: JSONValue?) {
        switch head {
        case .sessionStarted(let facts):
            let parts = [facts.model, facts.title, facts.project ?? facts.workingDirectory].compactMap { $0 }
            set("\(facts.isResumed ? "resumed" : "started"): \(([facts.agentName] + parts).joined(separator: " · "))", .bold)
        case .sessionRenamed(let title): set("renamed: \(title)")
        case .sessionEnded(let reason, let failed):
            set("\(failed ? "failed" : "ended")\(Self.tail(reason))", failed ? .red : .bold)
        case .statusChanged(let status, let reason):
            set("\(StatusText(status).word)\(Self.tail(reason))", .dim)
            isMinor = true
        case .message(let role, let summary, _, _):
            let text = (try? body?.optionalString("text")) ?? summary ?? ""
            let name = role == .assistant ? "agent" : role.rawValue
            set("\(name): \(Self.firstLine(text))", role == .thought ? .dim : role == .user ? .cyan : nil)
            if text.contains("\n") || text.utf8.count > 200 { block = VisibleText.prose(text) }
            isMinor = role == .thought
        case .toolStarted(let start):
            set("▸ \(ToolWords.name(start.tool)): \(start.operation)\(start.isRedacted ? " (secrets hidden)" : "")")
        case .toolFinished(let finish):
            var parts: [String] = []
            if let code = finish.exitCode, code != 0 || !finish.succeeded { parts.append("exit \(code)") }
            if let duration = finish.durationMilliseconds { parts.append(Moment.duration(duration)) }
            if let summary = finish.summary { parts.append(Self.firstLine(summary)) }
            let result = parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
            set("\(finish.succeeded ? "✓" : "✗") \(ToolWords.name(finish.tool))\(result)", finish.succeeded ? .dim : .red)
            isMinor = finish.succeeded
        case .fileChanged(let path, let added, let removed, _):
            let mark = ChangeText(body: body)?.mark.map { " (\($0))" } ?? ""
            set("± \(path) +\(added) −\(removed)\(mark)")
        case .todoChanged(let todo):
            set("☑ \(todo.completed)/\(todo.total)\(Self.tail(todo.current))")
        case .usage(let usage):
            var parts: [String] = []
            if let cost = usage.costMicroUSD { parts.append("this run \(Moment.money(microUSD: cost))") }
            if let estimate = usage.estimateMicroUSD, estimate > 0 {
                parts.append("guessed \(Moment.money(microUSD: estimate)) for a model without a known price")
            }
            if let used = usage.contextUsed, let limit = usage.contextLimit, limit > 0 {
                parts.append("context \(Int(Double(used) / Double(limit) * 100)) %")
            }
            set("usage\(parts.isEmpty ? "" : ": " + parts.joined(separator: ", "))", .dim)
            isMinor = true
        case .approvalRequested(let request) where request.rule != nil:
            guard let decision = request.rule?.decision(on: request.approval, at: at) else { return }
            set("\(ToolWords.name(request.tool)) \(DecisionText.sentence(decision)): \(request.title)", .dim)
        case .approvalRequested(let request):
            question = request
            set("\(Self.asks(request)): \(request.title)", .alert)
        case .approvalDecided(_, let decision):
            set(DecisionText.sentence(decision), .green)
            if case .allowEdited(let edit) = decision.verdict { block = VisibleText.prose(edit) }
        case .approvalDelivered(let id):
            minor("the decision reached the agent")
            approval = id
        case .approvalApplied(let id, let outcome):
            minor("the agent did as decided: \(outcome.rawValue)")
            ends(id)
        case .approvalExpired(let id):
            set("nobody decided in time", .yellow)
            ends(id)
        case .approvalCancelled(let id, let reason):
            set("the question was settled elsewhere: \(DecisionText.words(for: reason))", .dim)
            ends(id)
        case .approvalStale(let id, let reason):
            set("the decision was not applied: \(DecisionText.words(for: reason))", .yellow)
            ends(id)
        case .subagentStarted(let agent, let name, _): set("⑂ subagent started: \(name ?? agent)")
        case .subagentFinished(let agent, let name): minor("⑂ subagent finished: \(name ?? agent)")
        case .budgetCrossed(let crossing): set(Self.crossed(crossing), .yellow)
        case .steeringOffered(let offer):
            minor("can be steered: \(SteeringText.actions(of: offer))\(Self.tail(offer.reason))")
        case .steeringRequested(let call):
            let text =
                (try? body?.optionalString("text")) ?? call.choice ?? call.isOn.map { $0 ? "on" : "off" } ?? call.launch.map {
                    "\($0.agent) in \($0.project)"
                } ?? ""
            set("» \(call.by.name): \(call.action.rawValue)\(text.isEmpty ? "" : ": \(Self.firstLine(text))")", .cyan)
            if text.contains("\n") || text.utf8.count > 200 { block = VisibleText.prose(text) }
        case .steeringChanged(let change):
            set(
                "» \(SteeringText.word(of: change.stage))\(Self.tail(change.reason ?? change.started?.rawValue))",
                change.stage == .taken ? .dim : .yellow)
        case .steeringTyped(let client, let bytes):
            set("» \(client.name) typed \(bytes) \(bytes == 1 ? "byte" : "bytes") at the terminal", .cyan)
        case .error(let message, let recoverable): set("error: \(message)", recoverable ? .yellow : .red)
        case .truncated(let count):
            // Without a count the machine crashed, and its last events may not have reached its disk.
            let what = count.map { $0 == 1 ? "1 event is" : "\($0) events are" } ?? "events may be"
            set("\(what) missing here: the host could not keep them", .yellow)
        case .rewound(let to):
            let point = (try? body?.optionalString("text")).map { "“\(Self.firstLine($0))”" } ?? (to > 0 ? "event \(to)" : nil)
            set("went back\(point.map { " to \($0)" } ?? ""): what was said after that no longer counts", .yellow)
        case .unsupported(UnopenedEvent.kind): set((try? body?.optionalString("problem")) ?? UnopenedEvent.kind, .yellow)
        case .unsupported(let kind): minor("\(kind) (this version does not know it)")
        }
    }

    /// The beginning of a request's line: "WANTS TO Bash", or "ASKS" if the title is the question.
    static func asks(_ request: ApprovalRequest) -> String {
        let isQuestion = request.kind == .question || ToolWords.isQuestion(request.tool)
        return isQuestion ? "ASKS" : "WANTS TO \(ToolWords.name(request.tool))"
    }

    private mutating func set(_ text: String, _ style: Style? = nil) {
        line = VisibleText.line(text)
        self.style = style
    }

    private mutating func ends(_ id: ApprovalID) { (approval, isApprovalsEnd) = (id, true) }

    private mutating func minor(_ text: String) {
        set(text, .dim)
        isMinor = true
    }

    private static func crossed(_ crossing: BudgetCrossing) -> String {
        let whose =
            switch crossing.scope {
            case .session, .everySession: "the session's budget"
            case .day: "the day's budget"
            case .workspace: "the workspace's budget"
            case nil: "a budget"
            }
        guard let spent = crossing.spentMicroUSD, let limit = crossing.limitMicroUSD else {
            return "\(crossing.level) % of \(whose) is spent"
        }
        return "\(crossing.level) % of \(whose) is spent: \(Moment.money(microUSD: spent)) of \(Moment.money(microUSD: limit))"
    }

    private static func tail(_ text: String?) -> String { text.map { ": \($0)" } ?? "" }

    private static func firstLine(_ text: String) -> String {
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: true)
        guard let first = lines.first else { return "" }
        return String(first.prefix(400)) + (lines.count > 1 || first.count > 400 ? " …" : "")
    }
}

/// A session's status as a word and a colour.
package struct StatusText: Sendable {
    package let word: String
    package let style: Style?

    package init(_ status: SessionStatus) {
        switch status {
        case .starting: (word, style) = ("starting", .dim)
        case .running: (word, style) = ("running", .green)
        case .waitingApproval: (word, style) = ("needs approval", .alert)
        case .waitingAnswer: (word, style) = ("needs answer", .alert)
        case .idle: (word, style) = ("idle", nil)
        case .completed: (word, style) = ("completed", .dim)
        case .failed: (word, style) = ("failed", .red)
        case .stale: (word, style) = ("stale", .yellow)
        }
    }
}

/// Decisions and their outcomes, in sentences.
package enum DecisionText {
    /// A decision in words: `allowed by Ada's laptop`.
    package static func sentence(_ decision: Decision) -> String {
        let verb =
            switch decision.verdict.deed {
            case .allow: "allowed"
            case .deny: "denied"
            case .answer: "answered"
            }
        let name = VisibleText.line(decision.clientName)
        if case .allowEdited = decision.verdict { return "edited and allowed by \(name)" }
        if let offer = decision.verdict.offer { return "\(verb) by \(name), by the agent's option \(VisibleText.line(offer))" }
        if case .deny(let message?) = decision.verdict, !message.isEmpty { return "\(verb) by \(name): \(message)" }
        if case .allowIn(let mode) = decision.verdict { return "\(verb) by \(name), \(words(forMode: mode))" }
        return "\(verb) by \(name)"
    }

    /// The mode in which an agent continues after its plan, in words.
    package static func words(forMode mode: String) -> String {
        switch mode {
        case "default": "it asks before each edit"
        case "acceptEdits": "its edits run without a question"
        default: "in the mode \(VisibleText.line(mode))"
        }
    }

    /// The sentence about an earlier decision: `already allowed by Ada's laptop, 3 s ago`.
    package static func conflict(_ winner: Decision, now: Int64) -> String {
        "already \(VisibleText.line(sentence(winner))), \(Moment.age(now - winner.at)) ago"
    }

    /// A reason of the wire in words; other reasons unchanged.
    package static func words(for reason: String) -> String {
        switch reason {
        case "answeredLocally": "answered at the agent"
        case "allowedLocally": "allowed at the agent"
        case "deniedLocally": "denied at the agent"
        case "turnEnded": "the turn ended"
        case "sessionEnded": "the session ended"
        case "agentGone": "the agent is gone"
        case "hostRestarted": "the host restarted"
        case "withdrawn": "the agent took it back"
        case "hookEnded": "only the terminal can answer it now"
        case "unsigned": "the host takes only what a device that it trusts has signed"
        case "badSignature": "its signature is not right"
        case "notTrusted": "the host does not trust that device with this"
        case "restored": "the host was restored from a backup: heliograph trust --renew"
        case "editMalformed": "its edit does not fit the input"
        case "editNotOffered": "its host does not let this call be edited"
        case "editRisky": "as edited it is to be looked at twice, and that was not shown"
        case "editRuled": "a rule of its host denies the call as edited"
        case "notShown": "it was signed for another text than the host showed"
        default: reason
        }
    }

    /// An approval's stage for lists: `decided by …: waits for the host`.
    package static func stage(_ approval: Approval) -> String {
        switch approval.stage {
        case .pending: "pending"
        case .decided: "decided, waits for the host"
        case .delivered: "delivered to the agent"
        case .applied(_, let outcome, _): "applied: \(outcome.rawValue)"
        case .expired: "expired: nobody decided in time"
        case .cancelled(_, let reason, _): "cancelled: \(words(for: reason))"
        case .stale(_, let reason, _): "stale: the decision was not applied (\(words(for: reason)))"
        }
    }
}
