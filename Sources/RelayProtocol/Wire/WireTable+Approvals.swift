/// Wire types of sessions, approvals and decisions.
extension WireTable {
    static let status = WireType.word(SessionStatus.self, name: "status")
    static let stage = WireType.word(ApprovalStage.Word.self, name: "stage")
    static let outcome = WireType.word(ApprovalOutcome.self, name: "outcome")

    package static let summary = WireObject(
        "summary", "The reduced state of a session after event `seq`.",
        [
            .required("session", .identifier), .required("seq", .count),
            .optional("first", .count, "The first event that the relay still holds; 1 if it is left out."),
            .required("host", .object(named.fields + [.required("connected", .flag)])),
            .required("agent", .object([.required("name", .anyText), .optional("version", .anyText)])),
            .optional("model", .anyText), .optional("title", .anyText), .optional("project", .anyText),
            .optional("cwd", .anyText), .optional("folder", .anyText, "In full, where `cwd` says `~`."),
            .optional("branch", .anyText, "Of the Git checkout that it works in, as of its start."),
            .required("status", status), .optional("statusReason", .anyText),
            .optional("operation", .anyText), .optional("file", .anyText),
            .required("operations", .count, "Tools started."), .required("messages", .count),
            .optional("todo", .object(todo)), .required("approvals", .count, "Pending now."),
            .required("questions", .count), .required("subagents", .count),
            .optional("ruleAnswers", .count, "Calls that the owner's rules have answered so far; 0 if it is left out."),
            .optional("tokens", .object(tokens)),
            .optional("costMicroUSD", .count),
            .optional("estimateMicroUSD", .count, "What agents guess for models whose price they do not know. In no budget."),
            .optional("context", .object([.optional("used", .count), .optional("limit", .count)])),
            .required("linesAdded", .count), .required("linesRemoved", .count), .optional("budget", .object(budgetMark)),
            .optional("steering", .object(steeringOffer)), .optional("error", .anyText),
            .optional("line", .sealedLine, "As the latest event that had one."), .required("startedAt", .time),
            .required("lastActivityAt", .time),
            .optional("endedAt", .time),
        ])

    static let budgetMark = WireObject(
        "budget-mark",
        "The highest level that a budget which concerns the session has reached, that budget's limit, and whether every tool needs approval.",
        [
            .required("level", .count, "In percent."), .required("microUSD", .count),
            WireField("held", .flag, .alternative),
            WireField(
                "hold", WireType(.openWord(HoldReach.allCases.map(\.rawValue))), .alternative,
                "In place of `held`, if a budget that holds is spent and not every tool needs approval: as in the session's `steering`."
            ),
        ])

    package static let approval = WireObject(
        "approval", "An approval, and all that became of it by event `seq`.",
        [
            .required("approval", .identifier), .required("session", .identifier), .required("seq", .count),
            .required("stage", stage), .required("requestedAt", .time),
            .optional("expiresAt", .time, "By the relay's clock."), .required("request", .event(.approvalRequested)),
            WireField("decision", .object(decision), .with("stage", always: given, perhaps: ended)),
            WireField("deliveredAt", .time, .with("stage", always: ["delivered"], perhaps: ["applied", "cancelled", "stale"])),
            WireField("resolvedAt", .time, .with("stage", always: ["applied"] + ended, perhaps: [])),
            WireField("outcome", outcome, .with("stage", is: "applied", isRequired: true)),
            WireField("reason", .anyText, .with("stage", always: ["cancelled", "stale"], perhaps: [])),
        ])

    /// Stages that only a decision leads to.
    private static let given = ["decided", "delivered", "applied"]
    /// Stages that an approval may reach without a decision.
    private static let ended = ["expired", "cancelled", "stale"]

    static let decision = WireObject(
        "decision", "The one answer to an approval, and who gave it.",
        [
            .required("decision", .word(VerdictWord.self)),
            WireField(
                "message", .typed, .with("decision", is: "deny", isRequired: false), "It reaches the agent's model."),
            WireField(
                "mode", .name, .with("decision", is: "allow", isRequired: false),
                "In which the agent goes on: one that the approval offers."),
            WireField(
                "offer", .name, .with("decision", always: [], perhaps: ["allow", "deny"]),
                "The agent's own option that was chosen, by its id."),
            edit, WireField("answers", answers, .with("decision", is: "answer", isRequired: true)),
            .required("by", .object([.required("client", .identifier), .required("name", .name)])),
            .required("at", .time), .required("command", .identifier),
            signature,
        ])

    static let edit = WireField(
        "edit", .typed, .with("decision", is: "edit", isRequired: true),
        "It is allowed with these words: the JSON text of an object with the members of the input that change, each one of `editable` and a text."
    )

    static let signature = WireField.optional(
        "signature", .text(bytesMax: WireLimits.signatureBytesMax), "The device's own, carried and not read by the relay.")

    static let answers = WireType(.list(.object(answer), 0...WireLimits.questionsMax))

    static let answer = WireObject(
        "answer",
        [
            .required("question", .name),
            .required("choices", .list(.typed, 0...WireLimits.questionsMax), "Labels, as they were shown."),
            .optional(
                "indexes", .list(.integer(Answer.indexRange), 0...WireLimits.questionsMax),
                "The places of `choices` in the question's list, from 0."),
            .optional("text", .typed, "In the person's own words."),
        ])

    static let verdict: [WireField] = [
        .required("session", .identifier), .required("approval", .identifier), .required("digest", .digest),
    ]
}
