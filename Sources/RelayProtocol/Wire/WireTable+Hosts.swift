/// Messages between a host and the relay.
extension WireTable {
    static let hostToRelay: [WireMessage] = [
        WireMessage(
            "hello",
            "First message; `sessions` names those that the host runs or still has events of, and `attempt` is greater than in every earlier connection.",
            hello),
        WireMessage(
            "events", "Events as the host numbers them, from `first` on; one message has at most 1,048,576 bytes.",
            [
                .required("session", .identifier),
                .required("first", .integer(1...JSONValue.integerMax - Int64(WireLimits.batchEventsMax))),
                .optional("gap", .flag), .required("events", .list(.event(isOfHost: true), 1...WireLimits.batchEventsMax)),
            ]),
        WireMessage("deltas", delta.meaning, delta.fields), WireMessage("output", output.meaning, output.fields),
        WireMessage(
            "letter",
            "Bytes for all connections of a client of the host's workspace that may decide. Live only; the relay does not read them.",
            [.required("to", .identifier), .required("bytes", .letter)]),
        WireMessage(
            "answered",
            "To a client's `screen` or `keys`: without `screen` and `error`, the keys were given to the terminal. The relay reads no `screen`; clients do, in the `reply`.",
            [
                .required("to", .identifier), .required("id", .identifier),
                WireField("screen", .fields, .alternative), WireField("error", .object(notice), .alternative),
            ]),
    ]

    static let relayToHost: [WireMessage] = [
        WireMessage(
            "welcome", welcome + [.required("host", .object(named)), .required("sessions", .list(.object(progress)))]),
        WireMessage(
            "ack", "Everything up to `through` is on disk.", [.required("acks", .list(.object(progress), 1...Int.max))]),
        WireMessage(
            "resend", "There is a hole: send from this number on.",
            [.required("session", .identifier), .required("from", .integer(1...JSONValue.integerMax))]),
        WireMessage("decision", verdict + [.required("decision", .object(decision))]),
        WireMessage(
            "hold",
            "All sessions of this host whose every tool needs approval from now on; replaces what was said before.",
            [
                .optional("everySession", .flag),
                .required("sessions", .list(.identifier, 0...WireLimits.heldSessionsMax)),
            ]),
        WireMessage("screen", screenMeaning, asked + screenFields), WireMessage("keys", keysMeaning, asked + keysFields),
        WireMessage(
            "letter", "Bytes of a client for the holder of the host's keys.",
            [.required("from", .object(named)), .required("bytes", .letter)]),
        WireMessage(
            "notice", "Something to know: a refused message, a limit.",
            notice + [
                .optional(
                    "session", .identifier,
                    "With `tooMany` and the path `$.session`: nothing more of this session for some seconds."),
                .optional(
                    "seq", .count,
                    "With `session`: only this event is refused. The host leaves it out and sends the rest at once."),
            ]),
    ]
}
