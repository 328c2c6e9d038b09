/// The reduced state of a session: what lists, pushes and the Lock Screen show.
package struct Summary: Sendable, Equatable {
    package var session: SessionID
    /// Number of the last event that this summary includes.
    package var seq: Int64
    /// The first event that the log still holds; 1 unless retention removed some.
    package var first: Int64 = 1
    package var host: Named<HostTag>
    package var hostIsConnected: Bool
    package var agentName: String
    package var agentVersion: String?
    package var model: String?
    package var title: String?
    package var project: String?
    package var workingDirectory: String?
    /// The full path, if `workingDirectory` is shortened with `~`.
    package var folder: String?
    /// The Git branch of its folder at the session's start.
    package var branch: String?
    package var status: SessionStatus
    package var statusReason: String?
    package var operation: String?
    package var file: String?
    /// Number of tools started.
    package var operations: Int64 = 0
    package var messages: Int64 = 0
    package var todo: TodoProgress?
    /// Approvals, and below them questions, that are pending now.
    package var approvals: Int64 = 0
    package var questions: Int64 = 0
    package var subagents: Int64 = 0
    /// Number of calls that the owner's rules have answered.
    package var ruleAnswers: Int64 = 0
    package var tokens: Tokens?
    package var costMicroUSD: Int64?
    /// Estimated cost in addition to the cost; nil if nothing is estimated.
    package var estimateMicroUSD: Int64?
    /// The cost; nil also if all of it is estimated: then a zero would be as wrong as the estimate.
    package var knownCostMicroUSD: Int64? { costMicroUSD == 0 && estimateMicroUSD != nil ? nil : costMicroUSD }
    package var contextUsed: Int64?
    package var contextLimit: Int64?
    package var linesAdded: Int64 = 0
    package var linesRemoved: Int64 = 0
    /// Nil while no budget that applies to the session has reached a level.
    package var budget: BudgetMark?
    /// The actions that clients can take; nil if the host offers nothing.
    package var steering: SteeringOffer?
    package var error: String?
    /// The latest sealed text from a host that seals: title, place and operation, for its devices.
    package var line: String?
    /// Milliseconds since 1970.
    package var startedAt: Int64
    package var lastActivityAt: Int64
    package var endedAt: Int64?

    /// Nil for a session without a project, and for a sealed one.
    package var hostProject: HostProject? { project.map { HostProject(host: host.id, project: $0) } }
    /// True if this is no conversation but stands for its host: commands to the host are sent to it.
    package var standsForHost: Bool { steering?.projects != nil }

    package init(session: SessionID, host: Named<HostTag>, hostIsConnected: Bool, agentName: String, startedAt: Int64) {
        self.session = session
        seq = 0
        self.host = host
        self.hostIsConnected = hostIsConnected
        self.agentName = agentName
        status = .starting
        self.startedAt = startedAt
        lastActivityAt = startedAt
    }

    package init(from value: JSONValue) throws(WireError) {
        session = try value.object().identifier("session")
        seq = try value.integer("seq")
        first = try value.optionalInteger("first") ?? 1
        host = try Named(from: value.required("host"))
        hostIsConnected = try value.required("host").flag("connected")
        let agent = try value.required("agent")
        agentName = try agent.string("name")
        agentVersion = try agent.optionalString("version")
        model = try value.optionalString("model")
        title = try value.optionalString("title")
        project = try value.optionalString("project")
        workingDirectory = try value.optionalString("cwd")
        folder = try value.optionalString("folder")
        branch = try value.optionalString("branch")
        status = try value.word("status")
        statusReason = try value.optionalString("statusReason")
        operation = try value.optionalString("operation")
        file = try value.optionalString("file")
        operations = try value.integer("operations")
        messages = try value.integer("messages")
        if let todo = value.optional("todo") { self.todo = try TodoProgress(from: todo) }
        approvals = try value.integer("approvals")
        questions = try value.integer("questions")
        subagents = try value.integer("subagents")
        ruleAnswers = try value.optionalInteger("ruleAnswers") ?? 0
        if let tokens = value.optional("tokens") { self.tokens = try Tokens(from: tokens) }
        costMicroUSD = try value.optionalInteger("costMicroUSD")
        estimateMicroUSD = try value.optionalInteger("estimateMicroUSD")
        if let context = value.optional("context") {
            contextUsed = try context.optionalInteger("used")
            contextLimit = try context.optionalInteger("limit")
        }
        linesAdded = try value.integer("linesAdded")
        linesRemoved = try value.integer("linesRemoved")
        if let mark = value.optional("budget") { budget = try BudgetMark(from: mark) }
        if let offer = value.optional("steering") { steering = try SteeringOffer(from: offer) }
        error = try value.optionalString("error")
        line = try value.optionalString("line")
        startedAt = try value.integer("startedAt")
        lastActivityAt = try value.integer("lastActivityAt")
        endedAt = try value.optionalInteger("endedAt")
    }

    package var bytes: [UInt8] { JSONWriter.object { write(to: &$0) } }

    package func write(to writer: inout JSONWriter) {
        writer.field("session", session)
        writer.field("seq", seq)
        writer.field("first", first > 1 ? first : nil)
        writer.object("host") {
            host.write(to: &$0)
            $0.field("connected", hostIsConnected)
        }
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
        writer.field("status", status.rawValue)
        writer.field("statusReason", statusReason)
        writer.field("operation", operation)
        writer.field("file", file)
        writer.field("operations", operations)
        writer.field("messages", messages)
        if let todo { writer.object("todo") { todo.write(to: &$0) } }
        writer.field("approvals", approvals)
        writer.field("questions", questions)
        writer.field("subagents", subagents)
        writer.field("ruleAnswers", ruleAnswers > 0 ? ruleAnswers : nil)
        if let tokens { writer.object("tokens") { tokens.write(to: &$0) } }
        writer.field("costMicroUSD", costMicroUSD)
        writer.field("estimateMicroUSD", estimateMicroUSD)
        if contextUsed != nil || contextLimit != nil {
            writer.object("context") {
                $0.field("used", contextUsed)
                $0.field("limit", contextLimit)
            }
        }
        writer.field("linesAdded", linesAdded)
        writer.field("linesRemoved", linesRemoved)
        if let budget { writer.object("budget") { budget.write(to: &$0) } }
        if let steering { writer.object("steering") { steering.write(to: &$0) } }
        writer.field("error", error)
        writer.field("line", line)
        writer.field("startedAt", startedAt)
        writer.field("lastActivityAt", lastActivityAt)
        writer.field("endedAt", endedAt)
    }
}
