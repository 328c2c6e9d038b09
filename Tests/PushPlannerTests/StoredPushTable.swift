import RelayProtocol

@testable import PushPlanner

/// Stored fields of the planner's records, in the form in which `WireTable` describes messages. `StoredPushTests` checks the code that reads
/// and writes records against it. A push's channel adds fields of its own, and any channel but APNs the field `service`.
enum StoredPushTable {
    static let device = WireObject(
        nil,
        [
            .required("device", .object(WireTable.device)), .optional("told", .object(WireTable.deviceChoices)),
            .optional("onlyWatches", .flag),
            .required("client", .object([.required("id", .identifier), .required("name", .name)])),
            .required("alertTokenAt", .time), .required("startTokenAt", .time), .optional("proven", .flag),
            .defaulted("troubles", .object(PushTrouble.allCases.map { .optional($0.rawValue, .anyText) })),
            .required("urgent", .count), .required("urgentAt", .time), .required("starts", .list(.time)),
            .required("startPendingUntil", .time), .optional("forgottenTimestamp", .count),
            .required("heldBack", .object(AlertKind.allCases.map { .optional($0.rawValue, .count) })),
            .optional(
                "weekly",
                .object([
                    .required("since", .time), .required("weekday", .integer(1...7)), .required("at", .integer(0...1_439)),
                    .required("timeZone", .name),
                ])),
            .optional("heldBackRules", .count), .optional("heldBackSince", .time),
            .defaulted("owed", .list(.object(owedAlert))),
            .optional("waitingTold", .object(waiting)), .optional("waitingShown", .object(waiting)),
        ])

    private static let waiting: [WireField] = [.required("more", .count), .required("all", .count)]

    private static let owedAlert = WireObject(
        nil,
        [
            .required("kind", .word(AlertKind.self)), .required("text", .object(words)), .required("cover", .object(words)),
            .required("chosen", .word(PushText.self)), .required("level", .word(AlertLevel.self)),
            .required("thread", .anyText), .required("collapse", .anyText), .optional("session", .identifier),
            .required("worthUntil", .time), .optional("push", .count),
        ])

    private static let words: [WireField] = [
        .required("title", .anyText), .optional("subtitle", .anyText), .required("body", .anyText),
    ]

    /// The fields of a card in each stage, once for each way of reaching it.
    static let cards: [WireObject] = {
        let (token, channel) = (WireField.optional("token", .anyText), WireField.optional("channel", .anyText))
        return [
            card("none", channel), card("starting", channel), card("starting", .optional("unanswered", .flag)),
            card("active", token), card("active", channel), card("ended", token, channel, .optional("endOwed", .flag)),
        ]
    }()

    private static func card(_ stage: String, _ own: WireField...) -> WireObject {
        let all: [WireField] = [
            .required("device", .identifier), .optional("session", .identifier), .required("stage", .words(stage)),
            .optional("id", .identifier), .defaulted("earlier", .list(.identifier)), .optional("over", .identifier),
            .required("tokenAt", .time), .required("state", .word(CardReport.State.self)), .required("startedAt", .time),
            .required("timestamp", .count), .required("sentAt", .time), .required("urgentAt", .time),
            .defaulted("waitingAt", .time), .optional("attention", .flag),
            .required("face", WireType(.pattern("^[0-9]{1,20}$", example: "17"))), .required("tries", .count),
            .required("rung", .list(.identifier)),
            .defaulted(
                "rungAt",
                .list(
                    .object([
                        .required("approval", .identifier), .required("at", .time), .required("times", .count),
                        .optional("counted", .flag),
                    ]))),
            .optional("runBeganAt", .time), .optional("errorRung", .anyText), .optional("ruleAnswers", .count),
        ]
        return WireObject(nil, all + own)
    }

    static let channel = WireObject(
        nil,
        [
            .required("channel", .anyText), .required("maker", .count), .required("device", .identifier),
            .required("bundle", .anyText), .required("environment", .word(PushEnvironment.self)), .optional("over", .flag),
            .optional("dueAt", .time),
        ])

    /// The fields of a push. `words` are those of its channel.
    static func push(to target: WireField, _ words: [WireField]) -> WireObject {
        WireObject(
            nil,
            [
                .required("order", .object(order(to: target, words))), .optional("cardSession", .identifier),
                .optional("isCard", .flag), .optional("answeredAt", .time), .optional("outcome", .object(outcome)),
                .optional("codeUsed", .flag), .optional("mayAllow", .flag),
                .optional(
                    "calls", .list(.object([.required("session", .identifier), .required("approval", .identifier)]))),
            ])
    }

    static let lastNumber = WireObject(nil, [.required("number", .count)])

    /// The possible targets of a push; the last makes a channel.
    static let targets: [WireField] = [
        .optional("token", .anyText), .optional("broadcast", .anyText), .optional("deleteChannel", .anyText),
        .optional("makeChannel", .flag),
    ]

    private static func order(to target: WireField, _ words: [WireField]) -> [WireField] {
        [
            .required("id", .count), .required("device", .identifier), .required("purpose", .word(PushIntent.Purpose.self)),
            .optional("session", .identifier), .required("bundle", .anyText), target,
            .required("environment", .word(PushEnvironment.self)), .optional("proven", .flag),
        ] + words + [
            .optional("payload", .fields),
            .optional("seal", .object([.required("key", .anyText), .required("text", .fields)])),
            .optional(
                "code",
                .object([
                    .required("session", .identifier), .required("approval", .identifier), .required("digest", .digest),
                    .required("expiresAt", .time),
                ])),
            .required("tokenRegisteredAt", .time), .optional("harmless", .flag), .required("worthUntil", .time),
            .required("plannedAt", .time),
        ]
    }

    private static let outcome: [WireField] = [
        .required("result", .words("accepted", "refused", "unknown", "notSent")),
        WireField("environment", .word(PushEnvironment.self), .with("result", is: "accepted", isRequired: true)),
        WireField("channel", .anyText, .with("result", is: "accepted", isRequired: false)),
        WireField("advice", .word(PushAdvice.self), .with("result", is: "refused", isRequired: true)),
        WireField("text", .anyText, .with("result", always: [], perhaps: ["refused", "unknown", "notSent"])),
    ]
}
