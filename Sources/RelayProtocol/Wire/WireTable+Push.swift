/// Wire types of devices, pushes and budgets.
extension WireTable {
    private static let apnsToken = WireType(
        .pattern("^([0-9A-Fa-f]{2}){1,\(WireLimits.tokenBytesMax / 2)}$", example: "0aff"), name: "apns-token",
        "A token of APNs in hexadecimal digits; at most 1,024.")
    private static let sealKey = WireType(
        .pattern(
            "^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$", example: String(repeating: "A", count: 43) + "="),
        "32 bytes in base64.")

    private static let language = WireField.optional(
        "language", WireType(.pattern("^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$", example: "de-AT")),
        "Language of the relay's own words in pushes, as a BCP 47 tag. Default, and for languages that it does not have: English."
    )
    private static let environment = WireType.word(PushEnvironment.self)
    private static let cardWishes: [WireField] = [
        .optional("frequentPushes", .flag), .defaulted("cards", .word(CardMode.self)),
        .defaulted("starts", .word(CardStarts.self)),
    ]
    /// Choices that every device has.
    private static let wishes: [WireField] = [
        .defaulted("kinds", .list(.word(AlertKind.self), 0...AlertKind.allCases.count)),
        .defaulted("muted", .list(.identifier, 0...WireLimits.mutedSessionsMax)), mutedUntil, mutedProjects,
        .optional("quiet", .object(quietHours)), .optional("gather", .object(gathering)),
        .optional("weekly", .object(weeklyCosts)),
        countsRules, .optional("hidesCost", .flag, "No push to it says what something cost."),
    ]
    private static let mutedUntil = WireField.optional(
        "mutedUntil",
        .list(
            .object([
                .required("session", .identifier), .required("until", .time),
                .optional("asked", .list(.identifier, 0...WireLimits.mutedApprovalsMax)),
            ]), 0...WireLimits.mutedSessionsMax),
        "Sessions that are silent until a time, or only these approvals of them. What still waits rings then.")
    private static let mutedProjects = WireField.optional(
        "mutedProjects",
        .list(
            .object([.required("host", .identifier), .required("project", .name)]), 0...WireLimits.mutedProjectsMax),
        "Projects of hosts whose sessions are silent. Of a sealed session the relay does not know the project.")
    private static let countsRules = WireField.optional(
        "countsRules", .flag, "With `gather`: its alert also counts the calls that rules answered.")
    private static let allowOnLockScreen = WireField.optional(
        "allowOnLockScreen", .flag, "A notification that shows the whole input may offer to allow it.")

    /// All choices that a person may change on a registered device.
    package static let deviceChoices: [WireField] = [
        .required("text", .word(PushText.self), "`sealed` if the device has sent a key."),
        .required("kinds", .list(.word(AlertKind.self), 0...AlertKind.allCases.count)),
        .required("muted", .list(.identifier, 0...WireLimits.mutedSessionsMax)), mutedUntil, mutedProjects,
        .optional("quiet", .object(quietHours)), .optional("gather", .object(gathering)),
        .optional("weekly", .object(weeklyCosts)),
        countsRules, .optional("hidesCost", .flag, "No push to it says what something cost."), allowOnLockScreen,
    ]

    package static let device = WireObject(
        "device", "An app's registration for push.",
        [
            .required("device", .identifier), .required("name", .name), .required("profile", .name),
            .required("environment", environment), .required("system", .name, "The version of iOS."),
            .optional("alertToken", apnsToken), .optional("startToken", apnsToken),
            WireField("sealKey", sealKey, .with("text", is: "sealed", isRequired: true)),
        ] + cardWishes + [.defaulted("text", .word(PushText.self))] + wishes + [language])

    package static let webDevice = WireObject(
        "web-device",
        "A browser's registration for push. It has no cards, and nothing to seal: its pushes are encrypted to it.",
        [
            .required("device", .identifier), .required("name", .name),
            .required("system", .name, "Browser and system, such as `Firefox on Linux`."),
            .required("web", .object(webSubscription)),
            .defaulted("text", unsealedText),
        ] + wishes + [allowOnLockScreen, language])

    private static let unsealedText = WireType(.word(PushText.unsealed.map(\.rawValue)))

    package static let ntfyDevice = WireObject(
        "ntfy-device",
        "A topic of an ntfy server as a device. It has no cards; the server and whoever can read the topic read its pushes.",
        [
            .required("device", .identifier), .required("name", .name), .required("ntfy", .object(ntfyTopic)),
            .defaulted("text", unsealedText),
        ] + wishes + [allowOnLockScreen, language])

    static let ntfyTopic = WireObject(
        "ntfy-topic", "Where to publish; empty if the topic is to get nothing any more.",
        [
            .optional("server", WireType(.pattern(NtfyTopic.serverPattern, example: "https://ntfy.sh"))),
            WireField(
                "topic", WireType(.pattern(NtfyTopic.topicPattern, example: "heliograph-9f3kd")), .beside("server"), "A secret."
            ),
            .optional(
                "token", WireType(.pattern(NtfyTopic.tokenPattern, example: "tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2")),
                "An access token with which the relay publishes, and a secret."),
        ])

    package static let receiverDevice = WireObject(
        "receiver-device",
        "A program or webhook of the relay's operator as a device. It has no cards, and reads its pushes.",
        [
            .required("device", .identifier), .required("name", .name), .required("receiver", .object(receiver)),
            .defaulted("text", unsealedText),
        ] + wishes + [allowOnLockScreen, language])

    static let receiver = WireObject(
        "receiver", "Which one; empty if it is to get nothing any more.",
        [
            .optional(
                "name", WireType(.pattern(Receiver.namePattern, example: "mail")),
                "As the operator has named it for this workspace."
            )
        ])

    /// The document that a receiver's program reads from standard input, and a webhook gets as the body of a request.
    package static let pushDocument = WireObject(
        "push-document", "One push to a receiver. It may arrive again with the same `id`.",
        [
            .required(
                "version", .integer(1...1), "Later fields leave it as it is; programs ignore those that they do not know."),
            .required("id", .anyText, "Names the push, in all attempts."),
            .required("time", .time, "When it was planned."), .required("workspace", .identifier),
            .required("device", .object([.required("id", .identifier), .required("name", .name)])),
            .required(
                "kind", WireType(.word(AlertKind.allCases.map(\.rawValue) + ["test"])),
                "`test`: the person tries whether pushes arrive."),
            .required("level", .words("passive", "active", "time-sensitive"), "`passive` makes no sound, as what is settled."),
            .required("replaces", .anyText, "A later push of this name takes the place of the earlier ones."),
            .required("title", .anyText), .required("text", .anyText, "May be empty."), .optional("project", .anyText),
            .optional("sessionTitle", .anyText), .optional("session", .identifier), .optional("approval", .identifier),
            .required("link", .anyText, "Opens on the relay's page what it is about."),
            .optional("risks", .list(.anyText, 1...WireLimits.risksMax), "What to look at twice, in words."),
            .optional(
                "actions",
                .list(.object([.required("decision", .words("deny", "allow")), .required("url", .anyText)]), 1...2),
                "Decisions that this push may take, each by `POST` of `{\"decision\":…}` to `url`, once. A secret."),
        ])

    static let webSubscription = WireObject(
        "web-subscription", "What `PushSubscription.toJSON()` says; empty if the browser no longer has one.",
        [
            .optional(
                "endpoint",
                WireType(
                    .pattern(WebSubscription.endpointPattern, example: "https://updates.push.services.mozilla.com/wpush/v2/a")),
                "A URL, and a secret."),
            WireField(
                "p256dh", WireType(.pattern(WebSubscription.publicKeyPattern, example: WebSubscription.publicKeyExample)),
                .beside("endpoint")),
            WireField(
                "auth", WireType(.pattern(WebSubscription.authenticationPattern, example: "BTBZMqHH6r4Tts7J_aSIgg")),
                .beside("endpoint")),
        ])

    static let deviceShown = WireObject(
        "device-shown", "What an app or a browser told of itself and its person, without what it is reached by.",
        [
            .required("device", .identifier), .required("name", .name),
            .required("profile", .name, "For a browser: `web`; for a topic: `ntfy`; for a receiver: `receiver`."),
            .optional("environment", environment, "Only for an app."),
            .required("system", .name, "The version of iOS, or browser and system."),
            .optional("alertToken", .flag, "There is one."), .optional("startToken", .flag, "There is one."),
            .optional(
                "web", .object([.optional("service", .name, "The name of its push service; absent: it has no subscription.")]),
                "It is a browser."),
            .optional(
                "ntfy", .object([.optional("server", .anyText, "Absent: it has no topic.")]), "It is a topic of an ntfy server."
            ),
            .optional("receiver", .object(receiver), "It is a receiver of the operator's."),
        ] + cardWishes + [.defaulted("text", .word(PushText.self))] + wishes + [allowOnLockScreen, language])

    static let quietHours = WireObject(
        "quiet-hours",
        "From minute `from` of the day to minute `to`, in a time zone of the tz database; over midnight where `to` is the smaller.",
        [
            .required("from", .integer(0...1_439)), .required("to", .integer(0...1_439)), .required("timeZone", .name),
            .optional("exceptRisks", .flag, "An approval with `risks` rings all the same. Those of a sealed one are unknown."),
        ])

    static let gathering = WireObject(
        "gathering",
        "When it is told of what needs no answer, all in one: `interval`, so many minutes after the first of it, or `daily`.",
        [
            .required("when", .word(Gathering.Word.self)),
            WireField(
                "minutes", .integer(Gathering.minutesMin...Gathering.minutesMax),
                .with("when", is: "interval", isRequired: true)),
            WireField("at", .integer(0...1_439), .with("when", is: "daily", isRequired: true), "The minute of the day."),
            WireField("timeZone", .name, .with("when", is: "daily", isRequired: true)),
        ])

    static let weeklyCosts = WireObject(
        "weekly-costs", "When it is told once a week what the seven days before have cost.",
        [
            .required("weekday", .integer(1...7), "1 is Monday."),
            .required("at", .integer(0...1_439), "The minute of that day."),
            .required("timeZone", .name),
        ])

    package static let cardReport = WireObject(
        "card-report", "What an app says of one of its cards. Without `session`: the aggregate card.",
        [
            .required("card", .identifier), .optional("session", .identifier), .optional("token", apnsToken),
            .required("state", .word(CardReport.State.self)),
        ])

    package static let deviceState = WireObject(
        "device-state",
        "A device as the relay knows it; of its tokens only whether they are there. `pushes`: the last 20, newest first.",
        [
            .required("device", .object(deviceShown)), .required("client", .object(named)), .required("present", .flag),
            .required("cards", .list(.object(deviceCard))), .optional("trouble", .anyText),
            .required("pushes", .list(.object(push), 0...20), "The newest first."),
        ])

    static let deviceCard = WireObject(
        "device-card",
        [
            .optional("card", .identifier), .optional("session", .identifier),
            .required("state", .words("starting", "active", "stale", "ended", "dismissed")),
            .required("startedAt", .time), .required("updatedAt", .time, "0: nothing was sent to it yet."),
            .required("hasToken", .flag),
        ])

    package static let push = WireObject(
        "push", "A push, and what became of it. No outcome yet: it is planned.",
        [
            .required("push", .count), .required("device", .identifier), .optional("session", .identifier),
            .required("purpose", .words("start", "update", "end", "alert", "channel")), .required("priority", .count),
            .required("plannedAt", .time), .optional("answeredAt", .time),
            .optional("collapse", .anyText, "A notification takes the place of an earlier one with the same."),
            .optional(
                "outcome",
                .object([
                    .required("result", .words("accepted", "refused", "unknown", "notSent")), .optional("text", .anyText),
                ])),
            .optional("payload", .fields, "As it went out."),
        ])

    private static let budgetScope = WireType.word(Budget.ScopeName.self, name: "budget-scope")

    package static let budget = WireObject(
        "budget", "How much may be spent. 0 micro-US-dollars take the budget away.",
        [
            .required("scope", budgetScope),
            WireField("session", .identifier, .with("scope", is: "session", isRequired: true)),
            .required("microUSD", .count),
            .defaulted(
                "levels", .list(.integer(1...1_000), 0...WireLimits.budgetLevelsMax), "In percent, ascending."),
            .optional("hold", .flag),
        ])

    package static let budgetReport = WireObject(
        "budget-report", "A budget that is set, and what has become of it.",
        [
            .required("scope", budgetScope),
            WireField("session", .identifier, .with("scope", is: "session", isRequired: true)),
            .required("microUSD", .integer(1...JSONValue.integerMax)),
            .required(
                "levels", .list(.integer(1...1_000), 0...WireLimits.budgetLevelsMax), "In percent, ascending."),
            .optional("hold", .flag),
            .required("spentMicroUSD", .count, "For `everySession`, the most that one of its sessions has spent."),
            .optional("crossed", .integer(1...1_000), "The highest level that is reached, in percent."),
            WireField(
                "day", WireType(.pattern("^-?[0-9]{1,9}-[0-9]{2}-[0-9]{2}$", example: "2026-11-21")),
                .with("scope", is: "day", isRequired: true), "The day that `spentMicroUSD` is of."),
            .optional(
                "cannotHold", .list(.name, 1...Int.max),
                "Hosts that are connected and cannot do what `hold` asks."),
        ])
}
