/// Messages between a client and the relay.
extension WireTable {
    private static let snapshotEventsMax = 200

    static func command(_ type: String, _ meaning: String? = nil, _ fields: [WireField] = []) -> WireMessage {
        WireMessage(type, meaning, [.required("id", .identifier)] + fields)
    }

    static let clientToRelay: [WireMessage] = [
        WireMessage("hello", "First message.", hello),
        command(
            "subscribe", "Without `session`: the workspace.",
            [.optional("session", .identifier), .optional("after", .object(position))]),
        command(
            "olderSessions",
            "The sessions that the workspace's snapshot counts in `older` follow as `summary`, 768 KiB at a time."),
        command("unsubscribe", nil, [.optional("session", .identifier)]),
        command(
            "history", "Older events.",
            [
                .required("session", .identifier), .required("before", .count),
                .required("limit", .integer(1...Int64(WireLimits.historyEventsMax))),
            ]),
        command(
            "decide", nil,
            verdict + [
                .required("decision", .word(DecideWord.self)),
                WireField("message", .typed, .with("decision", is: "deny", isRequired: false)),
                WireField(
                    "mode", .name, .with("decision", is: "allow", isRequired: false),
                    "With an allow: one of the modes that the approval offers."),
                WireField(
                    "offer", .name, .with("decision", always: [], perhaps: ["allow", "deny"]),
                    "The id of one of the approval's offers, of this effect. Never with a mode."),
                edit,
                signature,
            ]),
        command("answer", "Answers a question.", verdict + [.required("answers", answers), signature]),
        command("ping", "Is the link alive? A browser cannot see the WebSocket's own pings."),
        command("pair", "Makes a pairing code.", [.defaulted("role", .word(PairingRole.self))]),
        command(
            "presence",
            "Whether the client is in the foreground, what is on its screen, and which device it is. Holds for 30 s after the last thing that the client said.",
            [.required("foreground", .flag), .optional("session", .identifier), .optional("device", .identifier)]),
        command(
            "seen", "The approval is on the screen: this device need not ring for it.",
            [.required("session", .identifier), .required("approval", .identifier)]),
        command(
            "device", "Registers a device, or what has changed about it.",
            [
                .required(
                    "device",
                    WireType(.either(device, with: ["web": webDevice, "ntfy": ntfyDevice, "receiver": receiverDevice])))
            ]),
        command(
            "deviceChoices",
            "Changes what a person hears on a device; what is left out is switched off. It lasts until the device chooses otherwise.",
            [.required("device", .identifier)] + deviceChoices),
        command(
            "card", "What has become of a card on this device.",
            [.required("device", .identifier), .required("card", .object(cardReport))]),
        command("forget", "Takes back a device's registration.", [.required("device", .identifier)]),
        command(
            "devices", "Lists the devices; with `watch` also, from now on, what becomes of each push.",
            [.optional("watch", .flag)]),
        command("testPush", "An alert that says that pushes arrive.", [.required("device", .identifier)]),
        command("budget", "Sets a budget, or takes it away.", [.required("budget", .object(budget))]),
        command("budgets", "Lists the budgets, with what is spent."),
        command("costs", "Sums up what was used on some days.", costQuery),
        command("remove", "Removes a session and its events.", [.required("session", .identifier)]),
        command(
            "letter", "Bytes for the connected host that has these keys. Live only; the relay does not read them.",
            [.required("to", .hostKey), .required("bytes", .letter)]),
        WireMessage(
            "letter", onlyWith: "client", "Bytes for another client of the workspace, for all its connections. Live only.",
            [.required("id", .identifier), .required("client", .identifier), .required("bytes", .letter)]),
    ]

    static let relayToClient: [WireMessage] = [
        WireMessage(
            "welcome",
            welcome + [
                .required("client", .object(named)), .required("workspace", .object(named)),
                .defaulted(
                    "may", .list(WireType(.openWord(ClientRight.allCases.map(\.rawValue)))),
                    "What this client is allowed to do."),
            ]),
        WireMessage(
            "snapshot", "A snapshot of the workspace.",
            [
                .required("sessions", .list(.object(summary))), .required("approvals", .list(.object(approval))),
                .optional("more", .flag, "The rest follows as `summary` and `approval`, and then `snapshotEnd`."),
                .optional("older", .integer(1...JSONValue.integerMax), "Sessions that are left out; none if it is."),
            ]),
        WireMessage(
            "snapshot", onlyWith: "session", "A snapshot of the session that it names.",
            [
                .required("session", .identifier), .required("epoch", .identifier), .required("seq", .count),
                .required("first", .count), .required("events", .list(.event(), 0...snapshotEventsMax)),
                .required("summary", .object(summary)), .required("approvals", .list(.object(approval))),
            ]),
        WireMessage("snapshotEnd", "All of the workspace's snapshot that had `more` has come.", []),
        WireMessage(
            "events", "Events as the relay numbers them, from `first` on, without gap or repeat.",
            [
                .required("session", .identifier), .required("epoch", .identifier),
                .required("first", .integer(1...JSONValue.integerMax)),
                .required("events", .list(.event(), 1...Int.max)),
            ]),
        WireMessage("deltas", delta.meaning, delta.fields), WireMessage("output", output.meaning, output.fields),
        WireMessage("summary", [.required("summary", .object(summary))]),
        WireMessage("approval", [.required("approval", .object(approval))]),
        WireMessage(
            "reset", "The position given, or reached, is not continued; a snapshot follows.",
            [.required("session", .identifier), .required("reason", .word(ResetReason.self))]),
        WireMessage(
            "removed",
            "Retention removed the session; should its host go on with it, it comes back with its numbering.",
            [.required("session", .identifier)]),
        WireMessage(
            "reply", "The answer to the command `id`: the fields of its result, or an error.",
            [
                .required("id", .identifier), WireField("error", .object(error), .alternative),
                WireField("stage", stage, .alternative), WireField("delivery", .word(Reply.Delivery.self), .alternative),
                WireField("first", .count, .beside("events")),
                WireField("events", .list(.event(), 0...WireLimits.historyEventsMax), .alternative),
                WireField("link", .anyText, .alternative), WireField("expiresAt", .time, .beside("link")),
                WireField("qr", .list(WireType(.pattern("^[01]+$", example: "0110"))), .beside("link")),
                WireField("devices", .list(.object(deviceState)), .alternative),
                WireField("budgets", .list(.object(budgetReport), 0...259), .alternative),
                WireField("costs", .object(costReport), .alternative), WireField("screen", .object(screen), .alternative),
            ]),
        WireMessage(
            "push", "A push was planned, or its outcome is known; to who watches devices.",
            [.required("push", .object(push))]),
        WireMessage(
            "letter", "Bytes of the host that says that it has these keys.",
            [.required("from", .hostKey), .required("bytes", .letter)]),
        WireMessage(
            "letter", onlyWith: "client", "Bytes of another client.",
            [.required("client", .identifier), .required("bytes", .letter)]),
        WireMessage(
            "notice", "Something to know: a refused message, a limit.",
            notice + [
                .optional(
                    "limit", WireType(.openWord(WorkspaceLimit.allCases.map(\.rawValue))),
                    "With `tooMany`: the workspace has all that the relay allows it of this.")
            ]),
    ]
}
