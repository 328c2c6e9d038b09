package import RelayProtocol

/// Stored fields of sessions, budgets and costs, as `WireTable` has them for messages. `StoredRecordTests` holds readers and writers to it.
/// Approvals are stored as they are on the wire, and events as they came.
package enum StoredTable {
    package static let session = WireObject(
        nil,
        [
            .required("summary", .object(WireTable.summary)), .required("hostSeq", .count),
            .defaulted("eventBytes", .count), .optional("approvalBytes", .count), .defaulted("touchedAt", .time),
        ] + usage + [
            .required("subagents", .list(.anyText)), .required("agentStatus", .word(SessionStatus.self)),
            .optional("currentCall", .anyText), .optional("openSteering", .list(.object(WireTable.steeringName))),
            .defaulted("agent", .object([.optional("reason", .anyText), .optional("operation", .anyText)])),
        ])

    /// The part of a session that remains after retention has removed it.
    package static let removedSession = WireObject(
        nil,
        [
            .optional("costMicroUSD", .count), .optional("estimateMicroUSD", .count),
            .optional("tokens", .object(WireTable.tokens)),
        ] + usage)

    private static let usage: [WireField] = [
        .required("pastCostMicroUSD", .count), .optional("pastEstimateMicroUSD", .count),
        .required("pastTokens", .object(WireTable.tokens)), .optional("run", .anyText),
        .required("runCostMicroUSD", .count), .optional("runEstimateMicroUSD", .count),
        .required("runTokens", .object(WireTable.tokens)), .optional("auditBytes", .count),
    ]

    package static let budget = WireObject(
        nil,
        WireTable.budget.fields + [
            WireField("spentMicroUSD", .count, .with("scope", is: "workspace", isRequired: true))
        ])

    /// One day's cost, by its number since 1970.
    package static let day = WireObject(
        nil,
        [
            .required("day", .integer(-JSONValue.integerMax...JSONValue.integerMax)), .required("microUSD", .count),
        ])

    /// What a session has used on a day.
    package static let cost = WireObject(
        nil,
        [
            .required("day", .count), .required("session", .identifier), .required("host", .object(WireTable.named)),
            .required("agent", .anyText), .optional("project", .anyText),
            .required(
                "entries",
                .list(
                    .object([
                        .required("quarter", .count), .optional("model", .anyText), .optional("costMicroUSD", .count),
                        .optional("estimateMicroUSD", .integer(-JSONValue.integerMax...JSONValue.integerMax)),
                        .optional("tokens", .object(WireTable.tokens)),
                    ]), 0...CostRow.entriesMax)),
        ])
}
