/// Every message, head and object of the wire, field by field.
///
/// The schema is built from it on first use; the page's types and the protocol document's lists by `make wire`. Encoders and
/// decoders are written by hand, as most are performance-critical: `WireCodecTests` checks each of their fields against this table.
package enum WireTable {
    package static func messages(_ direction: WireMessage.Direction) -> [WireMessage] {
        switch direction {
        case .hostToRelay: hostToRelay
        case .relayToHost: relayToHost + steeringOfHosts
        case .clientToRelay: clientToRelay + steeringByClients + screensByClients
        case .relayToClient: relayToClient
        }
    }

    package static let event = WireObject(
        "event",
        "One fact about a session. A kind that is not listed here is carried as it is; the body is never read by the relay.",
        [
            .required("kind", .name), .required("at", .time), .required("head", .fields),
            .optional("body", .fields),
            .optional(
                "line", .sealedLine,
                "From a host that seals its content: what lists say of the session, for its devices. The latest is in the summary."
            ),
        ])

    // MARK: - Said by several

    package static let named = WireObject("named", [.required("id", .identifier), .required("name", .name)])

    static let position = WireObject(
        "position", "A client's position in a session's log.",
        [.required("epoch", .identifier), .required("seq", .count)])

    package static let tokens = WireObject(
        "tokens",
        [
            .defaulted("input", .count), .defaulted("output", .count), .defaulted("cacheRead", .count),
            .defaulted("cacheWrite", .count),
        ])

    static let todo = WireObject(
        "todo",
        [
            .required("completed", .count).on(.head), .required("total", .count).on(.head),
            .optional("current", .line).on(.sealed),
        ])

    static let heartbeat = WireObject(
        "heartbeat", "How often the relay pings, and after how long a silence it hangs up.",
        [
            .required("pingSeconds", .integer(1...Heartbeat.secondsMax)),
            .required("hangUpSeconds", .integer(1...Heartbeat.secondsMax)),
        ])

    static let limits = WireObject(
        "limits",
        [
            .required("messageBytes", .count, example: "\(WireLimits.messageBytesMax)"),
            .required("batchEvents", .count, example: "\(WireLimits.batchEventsMax)"),
            .required("eventBytes", .count, example: "\(WireLimits.eventBytesMax)"),
        ])

    static let progress = WireObject(
        "progress", "How far a session's events, by the host's numbering, are on the relay's disk.",
        [.required("session", .identifier), .required("through", .count, "the last host number on disk, 0 for none")])

    static let notice: [WireField] = [
        .required("code", code), .required("message", .anyText), .optional("path", .anyText),
    ]

    static let error = WireObject(
        "wire-error", notice + [.optional("winner", .object(decision), "With `alreadyDecided`.")])

    static let code = WireType(
        .openWord(WireError.Code.allCases.map(\.rawValue) + ErrorCode.allCases.map(\.rawValue)), name: "code",
        "Later versions may add codes.")

    static let hello: [WireField] = [
        .required("version", .count, example: "\(ProtocolVersion.current)"), .required("software", .name),
        .optional("name", .name),
        .optional("capabilities", .list(WireType(.openWord(Capability.allCases.map(\.rawValue))))),
        .optional("sessions", .list(.identifier, 0...WireLimits.helloSessionsMax)), .optional("attempt", .count),
        .optional("key", .hostKey, "Of a host: clients address letters to it."),
    ]

    static let welcome: [WireField] = [
        .required("version", .count, example: "\(ProtocolVersion.current)"), .required("software", .name),
        .required("epoch", .identifier), .required("heartbeat", .object(heartbeat)), .required("limits", .object(limits)),
    ]

    static let delta = (
        meaning: "A piece of an unfinished message; live only.",
        fields: [
            WireField.required("session", .identifier), .required("message", .name),
            .required("text", .text(bytesMax: WireLimits.eventBytesMax)), .optional("agent", .name),
        ]
    )

    static let output = (
        meaning:
            "The end of what a tool has printed so far, in whole lines: replaces what was said of that call before. Live only.",
        fields: [
            WireField.required("session", .identifier), .required("call", .name),
            .required("text", .text(bytesMax: WireLimits.outputBytesMax)),
        ]
    )
}
