/// Wire types of terminals that hosts hold, for clients.
extension WireTable {
    package static let screen = WireObject(
        "screen", "What a terminal shows.",
        [
            .required("of", .name, "Names this drawing; `after` of the next `screen`."),
            .optional("base", .name, "`of` of the drawing whose rows it changes. Left out of a whole one."),
            .optional("whole", .flag, "Rows that are not listed are empty; without it they are as they were."),
            .optional("cut", .flag, "Not all of it fits a message."), .required("rows", .count),
            .required("columns", .count),
            .optional(
                "cursor", .object([.required("row", .count), .required("column", .count)]),
                "Left out while the program hides it."),
            .optional("wrapsPaste", .flag, "The program wants what is pasted between `ESC [200~` and `ESC [201~`."),
            .optional("applicationKeys", .flag, "The program wants arrows as `ESC O A`, not as `ESC [A`."),
            .required(
                "lines",
                .list(
                    .object([
                        .required("row", .count),
                        .required(
                            "runs",
                            .list(
                                .object([
                                    .required("text", .anyText),
                                    .optional("style", .name, "Parameters of SGR, from none set: `1;38;5;208`."),
                                    .optional("wide", .flag, "Each character takes two columns."),
                                ])), "Without the blanks at the row's end."),
                    ]))),
            .optional(
                "sealed", .text(bytesMax: WireLimits.sealedScreenBytesMax),
                "All of it, for devices that can open it; the rest is empty then. Of a host that seals."),
        ])

    static let screenMeaning =
        "What the session's terminal shows, as soon as it is other than what the sender has, and within ten seconds in any case. Live only."
    static let screenFields: [WireField] = [.optional("after", .name, "`of` of what the sender has.")]
    static let keysMeaning = "Types at the session's terminal. Live only: of what is typed, an event counts the bytes."
    static let keysFields: [WireField] = [
        .required("keys", .keys),
        .optional(
            "seen", .name, "`of` of the drawing at which they were pressed. A signed host types none without it, or long after."
        ),
        signature,
    ]

    static let asked: [WireField] = [
        .required("id", .identifier), .required("session", .identifier), .required("by", .object(named)),
    ]

    static let screensByClients = [
        command("screen", screenMeaning, [.required("session", .identifier)] + screenFields),
        command("keys", keysMeaning, [.required("session", .identifier)] + keysFields),
    ]
}
