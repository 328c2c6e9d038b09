/// The clients' query for costs, and its answer.
extension WireTable {
    static let costQuery: [WireField] = [
        .required(
            "days", .list(.time, 1...CostQuery.daysMax),
            "When each day begins, ascending: days are those of the asker's time zone."),
        .required("until", .time, "The end of the last day."),
        .defaulted(
            "sessions", .integer(0...CostQuery.sessionsMax),
            "How many sessions to name; otherwise \(CostQuery.sessionsDefault)."),
    ]

    private static let sum: [WireField] = [
        .optional("costMicroUSD", .count, "Absent if no cost was reported: the price is unknown, and not 0."),
        .optional("estimateMicroUSD", .count, "What agents guess in addition to that."), .optional("tokens", .object(tokens)),
        .optional("unpricedTokens", .count, "How many of all tokens have neither a cost nor an estimate; absent for none."),
    ]

    private static let shares = WireType.list(
        .object(WireObject("cost-share", nil, [.optional("name", .anyText, "Absent for what has none.")] + sum)),
        0...CostReport.sharesMax)

    static let costReport = WireObject(
        "cost-report",
        "What was used on these days. Lists are ordered by cost, the dearest first. What sessions used stays counted when retention removes them.",
        [
            .required("total", .object(sum)),
            .required(
                "days",
                .list(
                    .object([
                        .required("day", .count, "Its place in the days that were asked about."),
                        .required(
                            "models",
                            .list(
                                .object(
                                    [.optional("model", .count, "Its place in `models`; absent for all others of that day.")]
                                        + sum),
                                0...(CostReport.modelsOfDayMax + 1))),
                    ]), 0...CostQuery.daysMax), "Those on which something was used."),
            .required("models", shares), .required("projects", shares), .required("hosts", shares), .required("agents", shares),
            .required(
                "sessions",
                .list(
                    .object(
                        [
                            .required("session", .identifier), .required("host", .anyText), .required("agent", .anyText),
                            .optional("project", .anyText), .optional("model", .anyText, "The one that cost most."),
                        ] + sum), 0...Int(CostQuery.sessionsMax))),
            .required("sessionCount", .count), .optional("since", .time, "Begin of the oldest UTC day on record."),
            .required("lastHourMicroUSD", .count, "Whatever days are asked about."),
        ])
}
