import RelayProtocol

@testable import RelayCore

/// The stored fields of sessions, budgets and costs, in the form in which `WireTable` describes messages. `StoredRecordTests`
/// checks readers and writers against it. Approvals are stored in their wire form, and events unchanged.
enum StoredTable {
    static let session = WireObject(
        nil,
        [
            .required("summary", .object(WireTable.summary)), .required("hostSeq", .count),
            .defaulted("eventBytes", .count), .defaulted("touchedAt", .time),
        ] + usage + [
            .required("subagents", .list(.anyText)), .required("agentStatus", .word(SessionStatus.self)),
            .optional("currentCall", .anyText), .optional("openSteering", .list(.object(WireTable.steeringName))),
            .defaulted("agent", .object([.optional("reason", .anyText), .optional("operation", .anyText)])),
        ])

    /// The part of a session that is kept when retention removes it.
    static let removedSession = WireObject(
        nil,
        [
            .optional("costMicroUSD", .count), .optional("estimateMicroUSD", .count),
            .optional("tokens", .object(WireTable.tokens)),
        ] + usage)

    private static let usage: [WireField] = [
        .required("pastCostMicroUSD", .count), .optional("pastEstimateMicroUSD", .count),
        .required("pastTokens", .object(WireTable.tokens)), .optional("run", .anyText),
        .required("runCostMicroUSD", .count), .optional("runEstimateMicroUSD", .count),
        .required("runTokens", .object(WireTable.tokens)),
    ]

    static let budget = WireObject(
        nil,
        WireTable.budget.fields + [
            WireField("spentMicroUSD", .count, .with("scope", is: "workspace", isRequired: true))
        ])

    /// Cost of a day; its number counts days since 1970.
    static let day = WireObject(
        nil,
        [
            .required("day", .integer(-JSONValue.integerMax...JSONValue.integerMax)), .required("microUSD", .count),
        ])

    /// Usage of one session on one day.
    static let cost = WireObject(
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
                        .optional("unpricedTokens", .integer(-JSONValue.integerMax...JSONValue.integerMax)),
                    ]), 0...CostRow.entriesMax)),
        ])
}
