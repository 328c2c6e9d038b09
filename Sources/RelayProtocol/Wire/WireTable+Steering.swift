/// What tells a session from afar what to do, and what has become of that.
extension WireTable {
    /// Besides what names it: the fields of the message of each kind.
    static func steering(_ kind: SteeringAction.Kind) -> (meaning: String, fields: [WireField]) {
        switch kind {
        case .prompt:
            (
                "A person's next prompt. Taken at most once; what becomes of it are events of the session.",
                [
                    .required("text", .typed),
                    .defaulted(
                        "busy", .word(SteeringAction.WhenBusy.self),
                        "What becomes of it while the agent is at work or waits for an answer."),
                    .optional(
                        "command", .flag,
                        "It is one of the commands that the session offers; other text is never taken for a command."),
                ]
            )
        case .interrupt: ("Stop what the agent is doing.", [])
        case .stop: ("End the session.", [])
        case .mode: ("Go on in another mode.", [.required("mode", .name, "One that the session offers.")])
        case .model: ("Go on with another model.", [.required("model", .name)])
        }
    }

    static let steeringByClients =
        SteeringAction.Kind.allCases.map { kind in
            let (meaning, fields) = steering(kind)
            return command(kind.rawValue, meaning, [.required("session", .identifier)] + fields + [signature])
        } + [
            command(
                "withdraw", "Takes back a prompt, of whomever, where it still waits at its host.",
                [.required("session", .identifier)] + steeringName)
        ]

    static let steeringOfHosts =
        SteeringAction.Kind.allCases.map { kind in
            let (meaning, fields) = steering(kind)
            return WireMessage(
                kind.rawValue, meaning,
                [.required("id", .identifier), .required("session", .identifier), .required("by", .object(named))] + fields
                    + [signature])
        } + [
            WireMessage(
                "withdraw", "Forget this prompt where it still waits.", [.required("session", .identifier)] + steeringName),
            WireMessage(
                "outstanding",
                "After `hello`: what was sent to steer this session, and has had no outcome. What the host knows nothing of, it has lost. None for "
                    + "a host that is not steered any more: it takes back what it offered.",
                [
                    .required("session", .identifier),
                    .required("commands", .list(.object(steeringName), 0...WireLimits.steeringOpenMax)),
                ]),
        ]

    package static let steeringName: [WireField] = [
        .required("client", .identifier), .required("command", .identifier, "The client's id of the command."),
    ]

    package static let steeringOffer = WireObject(
        "steering-offer", "What can be done to a session from afar, and what it is set to.",
        [
            .required(
                "actions",
                .list(
                    WireType(.openWord(SteeringAction.Kind.allCases.map(\.rawValue))), 0...WireLimits.steeringActionsMax)),
            .optional("whileBusy", .flag, "Prompts with `busy` `steer` are taken."),
            .optional("reason", .line, "Why something that people expect is not offered, and what to do about it."),
            .optional("mode", .name), .optional("modes", .list(.name, 0...WireLimits.steeringModesMax)),
            .optional(
                "models", .list(.name, 0...WireLimits.steeringModelsMax), "Left out where the agent takes any name."),
            .optional(
                "commands", .list(.name, 0...WireLimits.steeringCommandsMax), "The agent's own, as they are typed."),
        ])

    static let steeringRequested: [WireField] = [
        .required("action", .word(SteeringAction.Kind.self)), .required("command", .identifier),
        .required("by", .object(named)),
        WireField("mode", .name, .with("action", is: "mode", isRequired: true)),
        WireField("model", .name, .with("action", is: "model", isRequired: true)),
    ]

    static let steeringChanged: [WireField] =
        steeringName + [
            .required("stage", .word(SteeringStage.self, name: "steering-stage")),
            .optional("reason", .line, "Why it was refused or nobody knows; how it is known that it was taken."),
        ]
}
