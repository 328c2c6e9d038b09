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
                    .required("agent", .object([.required("name", .name), .optional("version", .name)])),
                    .optional("model", .name), .optional("title", .line), .optional("project", .line),
                    .optional("cwd", .line), .optional("folder", .line), .optional("branch", .line), .optional("run", .name),
                    .optional("resumed", .flag),
                ]
            )
        case .sessionRenamed: (nil, [.required("title", .line)])
        case .sessionEnded: (nil, [.optional("reason", .line), .optional("failed", .flag)])
        case .statusChanged: (nil, [.required("status", status), .optional("reason", .line)])
        case .message:
            (
                nil,
                [
                    .required("role", .word(MessageRole.self)), .optional("summary", .line), .optional("message", .name),
                    .optional("agent", .name),
                ]
            )
        case .toolStarted:
            (
                nil,
                [
                    .required("call", .name), .required("tool", .name), .required("operation", .line),
                    .optional("file", .line), .optional("agent", .name), .optional("redacted", .flag),
                ]
            )
        case .toolFinished:
            (
                nil,
                [
                    .required("call", .name), .required("tool", .name), .required("ok", .flag),
                    .optional("exit", .integer(-(1 << 31)...(1 << 31 - 1))), .optional("durationMs", .count),
                    .optional("summary", .line), .optional("agent", .name),
                ]
            )
        case .fileChanged:
            (
                nil,
                [
                    .required("path", .line), .required("added", .count), .required("removed", .count),
                    .optional("call", .name),
                ]
            )
        case .todoChanged: (nil, todo.fields)
        case .usage:
            (
                "Cumulative within a run; what is absent is unchanged.",
                [
                    .optional("run", .name), .optional("model", .name), .optional("tokens", .object(tokens)),
                    .optional("costMicroUSD", .money), .optional("costDeltaMicroUSD", .money),
                    .optional(
                        "estimateMicroUSD", .money,
                        "A guess of the agent, for models whose price it does not know, and no part of the cost."),
                    .optional("contextUsed", .count), .optional("contextLimit", .count),
                ]
            )
        case .approvalRequested: (nil, request)
        case .approvalDecided: (nil, [.required("approval", .identifier), .required("decision", .object(decision))])
        case .approvalDelivered, .approvalExpired: (nil, [.required("approval", .identifier)])
        case .approvalApplied: (nil, [.required("approval", .identifier), .required("outcome", outcome)])
        case .approvalCancelled, .approvalStale:
            (nil, [.required("approval", .identifier), .required("reason", .line)])
        case .subagentStarted:
            (
                nil,
                [
                    .required("agent", .name), .optional("name", .name),
                    .optional("call", .name, "The tool call that started it, where that is known."),
                ]
            )
        case .subagentFinished: (nil, [.required("agent", .name), .optional("name", .name)])
        case .budgetCrossed:
            (
                nil,
                [
                    .required("level", .count, "In percent."),
                    .optional(
                        "scope",
                        WireType(.openWord(Budget.ScopeName.allCases.map(\.rawValue), bytesMax: WireLimits.nameBytesMax))),
                    .optional("limitMicroUSD", .count),
                    .optional("costMicroUSD", .count, "What is spent under this budget."),
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
                [.required("by", .object(named)), .required("bytes", .count)]
            )
        case .error: (nil, [.required("message", .line), .optional("recoverable", .flag)])
        case .truncated: (nil, [.optional("count", .count)])
        case .rewound:
            (
                nil,
                [
                    .required(
                        "to", .count,
                        "The last event that still counts. 0 where its number is not known: the body may have the last prompt that counts as `text`."
                    )
                ]
            )
        }
    }

    private static let request: [WireField] = [
        .required("approval", .identifier), .required("kind", .word(ApprovalKind.self)), .required("tool", .name),
        .required("title", .line), .required("digest", .digest), .optional("redacted", .flag), .optional("cut", .flag),
        .optional("expiresAt", .time), .optional("call", .name), .optional("agent", .name),
        .optional("agentName", .name, "What the subagent was started for."),
        .optional(
            "questions",
            .list(
                .object([
                    .required("id", .name), .required("choices", .list(.typed, 0...WireLimits.questionsMax)),
                    .optional("multiple", .flag), .optional("choicesOnly", .flag),
                ]), 0...WireLimits.questionsMax),
            "What an answer may choose: the relay refuses another. Left out if it is long."),
        .optional(
            "modes", .list(.name, 0...WireLimits.modesMax), "In which the agent can go on when it is allowed."),
        .optional(
            "offers", .list(.object(offer), 0...WireLimits.offersMax),
            "What the agent itself offers besides a plain yes and no; `digest` covers them. None if the approval is cut."),
        .optional(
            "risks", .list(.line, 0...WireLimits.risksMax),
            "What a person should look at twice, as sentences of the host that every client shows. Without any it is not said that all is well."
        ),
        .optional(
            "alert",
            .object([
                .optional("full", alertText, "All that is asked."), .optional("summary", alertText, "The command alone."),
                .optional("whole", .flag, "It may be allowed from what `full` shows."),
            ]), "What a notification may say of it; without it, no more than the title."),
        .optional(
            "rule",
            .object([
                .required("name", .name), .required("digest", .digest, "Of the file of rules."),
                .required("decision", .word(AppliedRule.Answer.self)),
                .optional("message", .line, "A denial's words for the agent's model."),
            ]), "The owner's rule that has answered it at the host: the approval begins as `delivered`, and nobody is asked."),
    ]

    private static let offer = WireObject(
        "offer", "One of an agent's own options, such as to allow always: taken only if a person chose it by its id.",
        [
            .required("id", .name), .required("label", .name, "In the agent's own words if it has any."),
            .optional("rule", .line, "Exactly what would be written, an entry a line."),
            .optional("mode", .name, "In which the agent goes on, where that is what it offers."),
            .required("scope", .word(Offer.Scope.self), "Where it is written."),
            .required("effect", .word(Offer.Effect.self)),
        ])

    private static let alertText = WireType.text(bytesMax: RequestWords.bytesMax)
}
