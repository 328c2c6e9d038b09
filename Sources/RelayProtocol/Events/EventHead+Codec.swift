extension EventHead {
    /// Decodes the head of an event of this kind. `known`: nil for an unknown kind, whose event is carried unchanged.
    init(_ known: EventKind?, kind: String, head: JSONValue) throws(WireError) {
        guard let known else {
            self = .unsupported(kind: kind)
            return
        }
        let line = WireLimits.lineBytesMax
        let name = WireLimits.nameBytesMax
        switch known {
        case .sessionStarted: self = .sessionStarted(try SessionFacts(from: head))
        case .sessionRenamed: self = .sessionRenamed(title: try head.string("title", bytesMax: line))
        case .sessionEnded:
            self = .sessionEnded(reason: try head.optionalString("reason", bytesMax: line), failed: try head.flag("failed"))
        case .statusChanged:
            self = .statusChanged(try head.word("status"), reason: try head.optionalString("reason", bytesMax: line))
        case .message:
            self = .message(
                try head.word("role"), summary: try head.optionalString("summary", bytesMax: line),
                message: try head.optionalString("message", bytesMax: name),
                agent: try head.optionalString("agent", bytesMax: name))
        case .toolStarted: self = .toolStarted(try ToolStart(from: head))
        case .toolFinished: self = .toolFinished(try ToolFinish(from: head))
        case .fileChanged:
            self = .fileChanged(
                path: try head.string("path", bytesMax: line), added: try head.integer("added"),
                removed: try head.integer("removed"), call: try head.optionalString("call", bytesMax: name))
        case .todoChanged:
            self = .todoChanged(
                TodoProgress(
                    completed: try head.integer("completed"), total: try head.integer("total"),
                    current: try head.optionalString("current", bytesMax: line)))
        case .usage: self = .usage(try Usage(from: head))
        case .approvalRequested: self = .approvalRequested(try ApprovalRequest(from: head))
        case .approvalDecided:
            self = .approvalDecided(try head.identifier("approval"), try Decision(from: try head.required("decision")))
        case .approvalDelivered: self = .approvalDelivered(try head.identifier("approval"))
        case .approvalApplied: self = .approvalApplied(try head.identifier("approval"), outcome: try head.word("outcome"))
        case .approvalExpired: self = .approvalExpired(try head.identifier("approval"))
        case .approvalCancelled:
            self = .approvalCancelled(try head.identifier("approval"), reason: try head.string("reason", bytesMax: line))
        case .approvalStale:
            self = .approvalStale(try head.identifier("approval"), reason: try head.string("reason", bytesMax: line))
        case .subagentStarted:
            self = .subagentStarted(
                agent: try head.string("agent", bytesMax: name), name: try head.optionalString("name", bytesMax: name),
                call: try head.optionalString("call", bytesMax: name))
        case .subagentFinished:
            self = .subagentFinished(
                agent: try head.string("agent", bytesMax: name), name: try head.optionalString("name", bytesMax: name))
        case .budgetCrossed: self = .budgetCrossed(try BudgetCrossing(from: head))
        case .steeringOffered: self = .steeringOffered(try SteeringOffer(from: head))
        case .steeringRequested: self = .steeringRequested(try SteeringCall(from: head))
        case .steeringChanged: self = .steeringChanged(try SteeringChange(from: head))
        case .steeringTyped:
            self = .steeringTyped(by: try Named(from: head.required("by")), bytes: try head.integer("bytes"))
        case .error:
            self = .error(message: try head.string("message", bytesMax: line), recoverable: try head.flag("recoverable"))
        case .truncated: self = .truncated(count: try head.optionalInteger("count"))
        case .rewound: self = .rewound(to: try head.integer("to"))
        }
    }

    package var kind: String {
        if let knownKind { return knownKind.rawValue }
        guard case .unsupported(let kind) = self else { preconditionFailure("only what is unsupported has no known kind") }
        return kind
    }

    /// Nil if the kind is unsupported.
    package var knownKind: EventKind? {
        switch self {
        case .sessionStarted: .sessionStarted
        case .sessionRenamed: .sessionRenamed
        case .sessionEnded: .sessionEnded
        case .statusChanged: .statusChanged
        case .message: .message
        case .toolStarted: .toolStarted
        case .toolFinished: .toolFinished
        case .fileChanged: .fileChanged
        case .todoChanged: .todoChanged
        case .usage: .usage
        case .approvalRequested: .approvalRequested
        case .approvalDecided: .approvalDecided
        case .approvalDelivered: .approvalDelivered
        case .approvalApplied: .approvalApplied
        case .approvalExpired: .approvalExpired
        case .approvalCancelled: .approvalCancelled
        case .approvalStale: .approvalStale
        case .subagentStarted: .subagentStarted
        case .subagentFinished: .subagentFinished
        case .budgetCrossed: .budgetCrossed
        case .steeringOffered: .steeringOffered
        case .steeringRequested: .steeringRequested
        case .steeringChanged: .steeringChanged
        case .steeringTyped: .steeringTyped
        case .error: .error
        case .truncated: .truncated
        case .rewound: .rewound
        case .unsupported: nil
        }
    }

    func write(to writer: inout JSONWriter) {
        switch self {
        case .sessionStarted(let facts): facts.write(to: &writer)
        case .sessionRenamed(let title): writer.field("title", title)
        case .sessionEnded(let reason, let failed):
            writer.field("reason", reason)
            writer.flag("failed", failed)
        case .statusChanged(let status, let reason):
            writer.field("status", status.rawValue)
            writer.field("reason", reason)
        case .message(let role, let summary, let message, let agent):
            writer.field("role", role.rawValue)
            writer.field("summary", summary)
            writer.field("message", message)
            writer.field("agent", agent)
        case .toolStarted(let start): start.write(to: &writer)
        case .toolFinished(let finish): finish.write(to: &writer)
        case .fileChanged(let path, let added, let removed, let call):
            writer.field("path", path)
            writer.field("added", added)
            writer.field("removed", removed)
            writer.field("call", call)
        case .todoChanged(let progress): progress.write(to: &writer)
        case .usage(let usage): usage.write(to: &writer)
        case .approvalRequested(let request): request.write(to: &writer)
        case .approvalDecided(let approval, let decision):
            writer.field("approval", approval)
            writer.object("decision") { decision.write(to: &$0) }
        case .approvalDelivered(let approval), .approvalExpired(let approval): writer.field("approval", approval)
        case .approvalApplied(let approval, let outcome):
            writer.field("approval", approval)
            writer.field("outcome", outcome.rawValue)
        case .approvalCancelled(let approval, let reason), .approvalStale(let approval, let reason):
            writer.field("approval", approval)
            writer.field("reason", reason)
        case .subagentStarted(let agent, let name, let call):
            writer.field("agent", agent)
            writer.field("name", name)
            writer.field("call", call)
        case .subagentFinished(let agent, let name):
            writer.field("agent", agent)
            writer.field("name", name)
        case .budgetCrossed(let crossing): crossing.write(to: &writer)
        case .steeringOffered(let offer): offer.write(to: &writer)
        case .steeringRequested(let call): call.write(to: &writer)
        case .steeringChanged(let change): change.write(to: &writer)
        case .steeringTyped(let client, let bytes):
            writer.object("by") { client.write(to: &$0) }
            writer.field("bytes", bytes)
        case .error(let message, let recoverable):
            writer.field("message", message)
            writer.flag("recoverable", recoverable)
        case .truncated(let count): writer.field("count", count)
        case .rewound(let to): writer.field("to", to)
        case .unsupported: break
        }
    }
}

extension SessionFacts {
    init(from head: JSONValue) throws(WireError) {
        let agent = try head.required("agent").object()
        self.init(agentName: try agent.string("name", bytesMax: WireLimits.nameBytesMax))
        agentVersion = try agent.optionalString("version", bytesMax: WireLimits.nameBytesMax)
        model = try head.optionalString("model", bytesMax: WireLimits.nameBytesMax)
        title = try head.optionalString("title", bytesMax: WireLimits.lineBytesMax)
        project = try head.optionalString("project", bytesMax: WireLimits.lineBytesMax)
        workingDirectory = try head.optionalString("cwd", bytesMax: WireLimits.lineBytesMax)
        folder = try head.optionalString("folder", bytesMax: WireLimits.lineBytesMax)
        branch = try head.optionalString("branch", bytesMax: WireLimits.lineBytesMax)
        run = try head.optionalString("run", bytesMax: WireLimits.nameBytesMax)
        isResumed = try head.flag("resumed")
    }

    func write(to writer: inout JSONWriter) {
        writer.object("agent") {
            $0.field("name", agentName)
            $0.field("version", agentVersion)
        }
        writer.field("model", model)
        writer.field("title", title)
        writer.field("project", project)
        writer.field("cwd", workingDirectory)
        writer.field("folder", folder)
        writer.field("branch", branch)
        writer.field("run", run)
        writer.flag("resumed", isResumed)
    }
}

extension ToolStart {
    init(from head: JSONValue) throws(WireError) {
        self.init(
            call: try head.string("call", bytesMax: WireLimits.nameBytesMax),
            tool: try head.string("tool", bytesMax: WireLimits.nameBytesMax),
            operation: try head.string("operation", bytesMax: WireLimits.lineBytesMax))
        file = try head.optionalString("file", bytesMax: WireLimits.lineBytesMax)
        agent = try head.optionalString("agent", bytesMax: WireLimits.nameBytesMax)
        isRedacted = try head.flag("redacted")
    }

    func write(to writer: inout JSONWriter) {
        writer.field("call", call)
        writer.field("tool", tool)
        writer.field("operation", operation)
        writer.field("file", file)
        writer.field("agent", agent)
        writer.flag("redacted", isRedacted)
    }
}

extension ToolFinish {
    init(from head: JSONValue) throws(WireError) {
        self.init(
            call: try head.string("call", bytesMax: WireLimits.nameBytesMax),
            tool: try head.string("tool", bytesMax: WireLimits.nameBytesMax), succeeded: try head.required("ok").bool())
        exitCode = try head.optionalInteger("exit", in: Int64(Int32.min)...Int64(Int32.max))
        durationMilliseconds = try head.optionalInteger("durationMs")
        summary = try head.optionalString("summary", bytesMax: WireLimits.lineBytesMax)
        agent = try head.optionalString("agent", bytesMax: WireLimits.nameBytesMax)
    }

    func write(to writer: inout JSONWriter) {
        writer.field("call", call)
        writer.field("tool", tool)
        writer.field("ok", succeeded)
        writer.field("exit", exitCode)
        writer.field("durationMs", durationMilliseconds)
        writer.field("summary", summary)
        writer.field("agent", agent)
    }
}

extension TodoProgress {
    package init(from value: JSONValue) throws(WireError) {
        self.init(
            completed: try value.integer("completed"), total: try value.integer("total"),
            current: try value.optionalString("current", bytesMax: WireLimits.lineBytesMax))
    }

    package func write(to writer: inout JSONWriter) {
        writer.field("completed", completed)
        writer.field("total", total)
        writer.field("current", current)
    }
}

extension Tokens {
    package init(from value: JSONValue) throws(WireError) {
        self.init(
            input: try value.object().optionalInteger("input") ?? 0, output: try value.optionalInteger("output") ?? 0,
            cacheRead: try value.optionalInteger("cacheRead") ?? 0, cacheWrite: try value.optionalInteger("cacheWrite") ?? 0)
    }

    package func write(to writer: inout JSONWriter) {
        writer.field("input", input)
        writer.field("output", output)
        writer.field("cacheRead", cacheRead)
        writer.field("cacheWrite", cacheWrite)
    }
}

extension Usage {
    /// A limit for costs: more than a million dollars is a mistake, not a bill.
    static let costMicroUSDMax: Int64 = 1_000_000_000_000

    init(from head: JSONValue) throws(WireError) {
        self.init()
        run = try head.optionalString("run", bytesMax: WireLimits.nameBytesMax)
        model = try head.optionalString("model", bytesMax: WireLimits.nameBytesMax)
        if let value = head.optional("tokens") { tokens = try Tokens(from: value) }
        costMicroUSD = try head.optionalInteger("costMicroUSD", in: 0...Self.costMicroUSDMax)
        costDeltaMicroUSD = try head.optionalInteger("costDeltaMicroUSD", in: 0...Self.costMicroUSDMax)
        estimateMicroUSD = try head.optionalInteger("estimateMicroUSD", in: 0...Self.costMicroUSDMax)
        contextUsed = try head.optionalInteger("contextUsed")
        contextLimit = try head.optionalInteger("contextLimit")
    }

    func write(to writer: inout JSONWriter) {
        writer.field("run", run)
        writer.field("model", model)
        if let tokens { writer.object("tokens") { tokens.write(to: &$0) } }
        writer.field("costMicroUSD", costMicroUSD)
        writer.field("costDeltaMicroUSD", costDeltaMicroUSD)
        writer.field("estimateMicroUSD", estimateMicroUSD)
        writer.field("contextUsed", contextUsed)
        writer.field("contextLimit", contextLimit)
    }
}

extension BudgetCrossing {
    init(from head: JSONValue) throws(WireError) {
        self.init(
            level: try head.integer("level"), limitMicroUSD: try head.optionalInteger("limitMicroUSD"),
            spentMicroUSD: try head.optionalInteger("costMicroUSD"))
        // A newer relay may have other scopes: the crossing is valid even with an unknown one.
        scope = try head.optionalString("scope", bytesMax: WireLimits.nameBytesMax).flatMap(Budget.ScopeName.init)
    }

    func write(to writer: inout JSONWriter) {
        writer.field("level", level)
        writer.field("scope", scope?.rawValue)
        writer.field("limitMicroUSD", limitMicroUSD)
        writer.field("costMicroUSD", spentMicroUSD)
    }
}

extension ApprovalRequest {
    init(from head: JSONValue) throws(WireError) {
        self.init(
            approval: try head.identifier("approval"), kind: try head.word("kind"),
            tool: try head.string("tool", bytesMax: WireLimits.nameBytesMax),
            title: try head.string("title", bytesMax: WireLimits.lineBytesMax), digest: try head.digest("digest"))
        isRedacted = try head.flag("redacted")
        isCut = try head.flag("cut")
        needsPasskey = try head.flag("passkey")
        expiresAt = try head.optionalInteger("expiresAt")
        call = try head.optionalString("call", bytesMax: WireLimits.nameBytesMax)
        agent = try head.optionalString("agent", bytesMax: WireLimits.nameBytesMax)
        agentName = try head.optionalString("agentName", bytesMax: WireLimits.nameBytesMax)
        questions = try QuestionOffer.list(from: head)
        offers = try Offer.list(from: head)
        if let words = head.optional("alert") { alert = try RequestWords(from: words) }
        if let answering = head.optional("rule") { rule = try AppliedRule(from: answering) }
        if let signed = head.optional("consent") { consent = try RequestConsent(from: signed) }
        if head.optional("editable") != nil {
            for name in try head.array("editable", countMax: WireLimits.editableMax) {
                editable.append(try name.string(bytesMax: WireLimits.nameBytesMax))
            }
        }
        if head.optional("risks") != nil {
            for risk in try head.array("risks", countMax: WireLimits.risksMax) {
                risks.append(try risk.string(bytesMax: WireLimits.lineBytesMax))
            }
        }
        guard head.optional("modes") != nil else { return }
        for mode in try head.array("modes", countMax: WireLimits.modesMax) {
            modes.append(try mode.string(bytesMax: WireLimits.nameBytesMax))
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.field("approval", approval)
        writer.field("kind", kind.rawValue)
        writer.field("tool", tool)
        writer.field("title", title)
        writer.field("digest", digest.rawValue)
        writer.flag("redacted", isRedacted)
        writer.flag("cut", isCut)
        writer.flag("passkey", needsPasskey)
        writer.field("expiresAt", expiresAt)
        writer.field("call", call)
        writer.field("agent", agent)
        writer.field("agentName", agentName)
        if !questions.isEmpty {
            writer.array("questions", questions.map { offer in JSONWriter.object { offer.write(to: &$0) } })
        }
        if !modes.isEmpty { writer.strings("modes", modes) }
        if !offers.isEmpty { writer.array("offers", offers.map(\.bytes)) }
        if !editable.isEmpty { writer.strings("editable", editable) }
        if !risks.isEmpty { writer.strings("risks", risks) }
        if let alert { writer.object("alert") { alert.write(to: &$0) } }
        if let rule { writer.object("rule") { rule.write(to: &$0) } }
        if let consent { writer.object("consent") { consent.write(to: &$0) } }
    }
}
