/// The head of each kind of event.
extension WireTable {
    package static func head(_ kind: EventKind) -> WireObject {
        let (meaning, fields) = content(kind)
        return WireObject("head.\(kind.rawValue)", meaning, fields)
    }

    private static func content(_ kind: EventKind) -> (String?, [WireField]) {
        switch kind {
        case .sessionStarted:
            (
                nil,
                [
                    .required("agent", .object([.required("name", .name), .optional("version", .name)])).on(.head),
                    .optional("model", .name).on(.head), .optional("title", .line).on(.sealed),
                    .optional("project", .line).on(.sealed), .optional("cwd", .line).on(.sealed),
                    .optional("folder", .line).on(.sealed), .optional("branch", .line).on(.sealed),
                    .optional("run", .name).on(.head), .optional("resumed", .flag).on(.head),
                ]
            )
        case .sessionRenamed: (nil, [.required("title", .line).on(.standIn("Sealed session"))])
        case .sessionEnded:
            (nil, [.optional("reason", .line).on(.named(else: nil)), .optional("failed", .flag).on(.head)])
        case .statusChanged:
            (nil, [.required("status", status).on(.head), .optional("reason", .line).on(.named(else: nil))])
        case .message:
            (
                nil,
                [
                    .required("role", .word(MessageRole.self)).on(.head), .optional("summary", .line).on(.sealed),
                    .optional("message", .name).on(.head), .optional("agent", .name).on(.head),
                ]
            )
        case .toolStarted:
            (
                nil,
                [
                    .required("call", .name).on(.head), .required("tool", .name).on(.standIn("sealed")),
                    .required("operation", .line).on(.standIn("Works on something sealed")),
                    .optional("file", .line).on(.sealed), .optional("agent", .name).on(.head),
                    .optional("redacted", .flag).on(.head),
                ]
            )
        case .toolFinished:
            (
                nil,
                [
                    .required("call", .name).on(.head), .required("tool", .name).on(.standIn("sealed")),
                    .required("ok", .flag).on(.head), .optional("exit", .integer(-(1 << 31)...(1 << 31 - 1))).on(.head),
                    .optional("durationMs", .count).on(.head), .optional("summary", .line).on(.sealed),
                    .optional("agent", .name).on(.head),
                ]
            )
        case .fileChanged:
            (
                nil,
                [
                    .required("path", .line).on(.standIn("sealed")), .required("added", .count).on(.head),
                    .required("removed", .count).on(.head), .optional("call", .name).on(.head),
                ]
            )
        case .todoChanged: (nil, todo.fields)
        case .usage:
            (
                "Cumulative within a run; what is absent is unchanged.",
                [
                    .optional("run", .name).on(.head), .optional("model", .name).on(.head),
                    .optional("tokens", .object(tokens)).on(.head), .optional("costMicroUSD", .money).on(.head),
                    .optional("costDeltaMicroUSD", .money).on(.head),
                    .optional(
                        "estimateMicroUSD", .money,
                        "A guess of the agent, for models whose price it does not know, and no part of the cost."
                    ).on(.head),
                    .optional("contextUsed", .count).on(.head), .optional("contextLimit", .count).on(.head),
                ]
            )
        case .approvalRequested: (nil, request)
        case .approvalDecided: (nil, [approvalName, .required("decision", .object(decision)).on(.head)])
        case .approvalDelivered, .approvalExpired: (nil, [approvalName])
        case .approvalApplied: (nil, [approvalName, .required("outcome", outcome).on(.head)])
        case .approvalCancelled, .approvalStale:
            (nil, [approvalName, .required("reason", .line).on(.named(else: "sealed"))])
        case .subagentStarted:
            (
                nil,
                [
                    .required("agent", .name).on(.head), .optional("name", .name).on(.sealed),
                    .optional("call", .name, "The tool call that started it, where that is known.").on(.head),
                ]
            )
        case .subagentFinished:
            (nil, [.required("agent", .name).on(.head), .optional("name", .name).on(.sealed)])
        case .budgetCrossed:
            (
                nil,
                [
                    .required("level", .count, "In percent.").on(.head),
                    .optional(
                        "scope",
                        WireType(.openWord(Budget.ScopeName.allCases.map(\.rawValue), bytesMax: WireLimits.nameBytesMax))
                    ).on(.head),
                    .optional("limitMicroUSD", .count).on(.head),
                    .optional("costMicroUSD", .count, "What is spent under this budget.").on(.head),
                ]
            )
        case .steeringOffered: (steeringOffer.meaning, steeringOffer.fields)
        case .steeringRequested:
            (
                "A person steers the session; only the relay states it. The text of a prompt is in the body, as `text`.",
                steeringRequested
            )
        case .steeringChanged: ("What has become of it.", steeringChanged)
        case .steeringTyped:
            (
                "A client has typed at the session's terminal: so many bytes since the event before.",
                [.required("by", .object(named)).on(.head), .required("bytes", .count).on(.head)]
            )
        case .error:
            (
                nil,
                [
                    .required("message", .line).on(.standIn("A sealed error")), .optional("recoverable", .flag).on(.head),
                ]
            )
        case .truncated: (nil, [.optional("count", .count).on(.head)])
        case .rewound:
            (
                nil,
                [
                    .required(
                        "to", .count,
                        "The last event that still counts. 0 where its number is not known: the body may have the last prompt that counts as `text`."
                    ).on(.head)
                ]
            )
        }
    }

    private static let approvalName = WireField.required("approval", .identifier).on(.head)

    private static let request: [WireField] = [
        approvalName, .required("kind", .word(ApprovalKind.self)).on(.head),
        .required("tool", .name).on(.standIn("sealed")), .required("title", .line).on(.standIn(WireSide.request)),
        .required("digest", .digest).on(.head), .optional("redacted", .flag).on(.head), .optional("cut", .flag).on(.head),
        .optional(
            "passkey", .flag,
            "Its host takes an allow or answer only if the device's passkey has confirmed it. A denial needs none."
        ).on(.head),
        .optional("expiresAt", .time).on(.head), .optional("call", .name).on(.head), .optional("agent", .name).on(.head),
        .optional("agentName", .name, "What the subagent was started for.").on(.sealed),
        .optional(
            "questions", .list(.object(question), 0...WireLimits.questionsMax),
            "What an answer may choose: the relay refuses another. Left out if it is long."
        ).on(.parts),
        .optional(
            "modes", .list(.name, 0...WireLimits.modesMax), "In which the agent can go on when it is allowed."
        ).on(.head),
        .optional(
            "offers", .list(.object(offer), 0...WireLimits.offersMax),
            "What the agent itself offers besides a plain yes and no; `digest` covers them. None if the approval is cut."
        ).on(.parts),
        .optional(
            "editable", .list(.name, 0...WireLimits.editableMax),
            "Members of the input that a client with the right to steer may change as it allows the call. Each is a text."
        ).on(.sealed),
        .optional(
            "risks", .list(.line, 0...WireLimits.risksMax),
            "What a person should look at twice, as sentences of the host that every client shows. Without any it is not said that all is well."
        ).on(.sealed),
        .optional(
            "alert",
            .object([
                .optional("full", alertText, "All that is asked."), .optional("summary", alertText, "The command alone."),
                .optional("whole", .flag, "It may be allowed from what `full` shows."),
            ]), "What a notification may say of it; without it, no more than the title."
        ).on(.sealed),
        .optional(
            "rule", .object(appliedRule),
            "The owner's rule that has answered it at the host: the approval begins as `delivered`, and nobody is asked."
        ).on(.parts),
        .optional(
            "consent",
            .object([
                .required("host", .hostKey), .required("shown", .digest, "SHA-256 of what devices are shown, with its salt."),
            ]), "Of a host that seals: what the signature of a decision on it is over."
        ).on(.added),
    ]

    private static let question: [WireField] = [
        .required("id", .name).on(.head),
        .required("choices", .list(.typed, 0...WireLimits.questionsMax)).on(.places),
        .optional("multiple", .flag).on(.head), .optional("choicesOnly", .flag).on(.head),
    ]

    private static let offer = WireObject(
        "offer", "One of an agent's own options, such as to allow always: taken only if a person chose it by its id.",
        [
            .required("id", .name).on(.head),
            .required("label", .name, "In the agent's own words if it has any.").on(.same(as: "id")),
            .optional("rule", .line, "Exactly what would be written, an entry a line.").on(.sealed),
            .optional("mode", .name, "In which the agent goes on, where that is what it offers.").on(.head),
            .required("scope", .word(Offer.Scope.self), "Where it is written.").on(.head),
            .required("effect", .word(Offer.Effect.self)).on(.head),
        ])

    private static let appliedRule: [WireField] = [
        .required("name", .name).on(.standIn("sealed")),
        // A placeholder, because rule files are short, and the hash of one can be found by trying.
        .required("digest", .digest, "Of the file of rules.").on(.standIn(String(repeating: "0", count: 64))),
        .required("decision", .word(AppliedRule.Answer.self)).on(.head),
        .optional("message", .line, "A denial's words for the agent's model.").on(.sealed),
    ]

    private static let alertText = WireType.text(bytesMax: RequestWords.bytesMax)
}
