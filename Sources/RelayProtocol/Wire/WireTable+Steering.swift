/// Commands of clients to sessions, and their outcomes.
extension WireTable {
    /// The fields of a command of this kind, besides those that identify it.
    static func steering(_ kind: SteeringAction.Kind) -> (meaning: String, fields: [WireField]) {
        switch kind {
        case .prompt:
            (
                "A person's next prompt. Taken at most once; what becomes of it are events of the session.",
                [
                    .required("text", .typed),
                    .defaulted(
                        "busy", .word(SteeringAction.WhenBusy.self),
                        "What happens to it while the agent works or waits for an answer."),
                    .optional(
                        "command", .flag,
                        "It is one of the commands that the session offers; other text is never taken for a command."),
                    pictures("if it offers `pictures`"),
                ]
            )
        case .interrupt: ("Stop what the agent is doing.", [])
        case .stop: ("End the session.", [])
        case .mode: ("Go on in another mode.", [.required("mode", .name, "One that the session offers.")])
        case .model: ("Go on with another model.", [.required("model", .name)])
        case .askAll:
            (
                "Have a person asked before every tool, whatever the agent's own rules and mode would let run; or go by these again.",
                [.required("on", .flag)]
            )
        case .start:
            (
                "Start a session in a project of the host that this session represents.",
                launch
                    + [.optional("text", .typed, "Its first prompt."), pictures("where its agent offers `pictures`")]
            )
        case .resume:
            (
                "Go on with a past session of a project.",
                [.required("past", .name, "The agent's own name of it, from the list.")] + launch
                    + [.optional("text", .typed, "Its next prompt."), pictures("where its agent offers `pictures`")]
            )
        case .ruleOff:
            (
                "Have a rule of the host that this session represents allow nothing any more, until the host's owner accepts its rules again.",
                [.required("rule", .name, "Its name. It is one that allows.")]
            )
        case .ruleAdd:
            (
                "Add a rule to those of the host that this session represents, which takes only what a trusted device has signed.",
                [.required("toml", .text(bytesMax: WireLimits.lineBytesMax), "One `[[rule]]`, as it is to stand in the file.")]
            )
        case .ruleChange:
            (
                "Put a rule in the place of one that allows, at a host that takes only what a trusted device has signed.",
                [
                    .required("rule", .name, "The name of the rule whose place it takes. It allows, and is not off."),
                    .required(
                        "toml", .text(bytesMax: WireLimits.lineBytesMax), "One `[[rule]]`, as it is to stand in the file."),
                ]
            )
        case .ruleTry:
            (
                "Tell what rules would have answered to what was asked before: that is in the body of the event that tells the outcome.",
                [
                    .required(
                        "toml", .text(bytesMax: WireLimits.lineBytesMax),
                        "One `[[rule]]` or several; empty: the host's own file.")
                ]
            )
        case .past: ("List the past sessions of a project: they are in the body of the event that tells the outcome.", target)
        }
    }

    private static func pictures(_ condition: String) -> WireField {
        .optional(
            "pictures", .list(.object(picture), 0...WireLimits.picturesMax),
            "What was sent to `POST /v1/pictures` for this session before, \(condition).")
    }

    private static let target: [WireField] = [
        .required("project", .name, "One that the host offers."), .required("agent", .name, "One that the host offers."),
    ]
    private static let launch =
        target + [
            .optional("mode", .name, "One that the agent offers; without it the one that asks most."),
            .optional("model", .name),
        ]

    static let steeringByClients =
        SteeringAction.Kind.allCases.map { kind in
            let (meaning, fields) = steering(kind)
            return command(kind.rawValue, meaning, [.required("session", .identifier)] + fields + [signature])
        } + [
            command(
                "withdraw", "Takes back a prompt that still waits at its host, whoever sent it.",
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
                "withdraw", "Forget this prompt if it still waits.", [.required("session", .identifier)] + steeringName),
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
        "steering-offer", "What clients can do to a session, and how it is set.",
        [
            .required(
                "actions",
                .list(
                    WireType(.openWord(SteeringAction.Kind.allCases.map(\.rawValue))), 0...WireLimits.steeringActionsMax)
            ).on(.head),
            .optional("whileBusy", .flag, "Prompts with `busy` `steer` are taken.").on(.head),
            .optional("pictures", .flag, "Prompts with `pictures` are taken.").on(.head),
            .optional("screen", .flag, "Its host holds its terminal: `screen` and `keys` are taken.").on(.head),
            .optional("reason", .line, "Why something that people expect is not offered, and what to do about it.").on(.sealed),
            .optional("asksAll", .flag, "A person is asked before every tool, as one has wanted with `askAll`.").on(.head),
            .optional(
                "hold", WireType(.openWord(HoldReach.allCases.map(\.rawValue))),
                "Once a budget that holds is spent: `most`, the agent asks about all tools but those that its own rules trust; `unchanged`, it asks as before, and prompts are refused. Left out where every tool needs approval then."
            ).on(.head),
            .optional(
                "consent", .hostKey,
                "The host takes only what a device that it trusts has signed for these keys of its own; left out if it takes everything."
            ).on(.head),
            .optional("seals", .flag, "Its content is sealed for the devices that its host trusts.").on(.added),
            .optional(
                "wraps", .list(.object(keyWrap), 0...WireLimits.wrapsMax),
                "The session represents its host, which seals: the keys of its epochs for each device that it trusts."
            ).on(.added),
            .optional(
                "sealed", .sealed(bytesMax: WireLimits.sealedOfferBytesMax), "The whole offer, for devices that can open it."
            ).on(.added),
            .optional("mode", .name).on(.head), .optional("modes", .list(.name, 0...WireLimits.steeringModesMax)).on(.head),
            .optional(
                "models", .list(.name, 0...WireLimits.steeringModelsMax), "Left out if the agent takes any name."
            ).on(.head),
            .optional(
                "commands", .list(.name, 0...WireLimits.steeringCommandsMax), "The agent's own, as they are typed."
            ).on(.alias),
            .optional(
                "projects",
                .list(
                    .object([
                        .required("name", .name).on(.alias), .required("folder", .line).on(.standIn("sealed")),
                    ]), 0...WireLimits.projectsMax),
                "The session represents its host, where sessions can be started in these."
            ).on(.parts),
            .optional(
                "agents",
                .list(
                    .object([
                        .required("name", .name).on(.head), .required("title", .name).on(.head),
                        .optional("pictures", .flag, "Takes `pictures` with its first prompt.").on(.head),
                        .optional("modes", .list(.name, 0...WireLimits.steeringModesMax)).on(.head),
                        .optional("models", .list(.name, 0...WireLimits.steeringModelsMax)).on(.head),
                    ]), 0...WireLimits.startableMax),
                "What can be started there."
            ).on(.parts),
            .optional(
                "rules",
                .object([
                    .optional(
                        "accepted", .flag, "Its owner has accepted the file as it is. Otherwise no rule allows anything."),
                    .required("list", .list(.object(rule), 0...WireLimits.rulesMax), "In the file's order."),
                    .optional("more", .integer(0...Int64(WireLimits.rulesMax)), "How many have no room in the list."),
                ]),
                "The rules of the host that this session represents, as their owner wrote them."
            ).on(.sealed),
        ])

    private static let keyWrap: [WireField] = [
        .required("epoch", .integer(KeyWrap.epochRange)), .required("device", .deviceKey),
        .required("wrap", WireType(.pattern(KeyWrap.pattern, example: KeyWrap.example))),
    ]

    private static let rule: [WireField] = [
        .required("name", .name), .required("answer", WireType(.openWord(["allow", "deny", "ask", "passkey"]))),
        .required("for", .list(.line, 0...WireLimits.rulePatternsMax), "Its patterns."),
        .optional("words", .line, "For the agent's model, if it denies."),
        .optional("folder", .line, "Only sessions that work there or below."), .optional("agent", .name),
        .optional("hours", .name, "By the host's clock."), .optional("until", .name, "The last day on which it holds."),
        .optional("times", .integer(0...WireLimits.ruleTimesMax), "How many calls it allows."),
        .optional("left", .integer(0...WireLimits.ruleTimesMax), "How many of them are left."),
        .optional(
            "off", .flag, "It was switched off with `ruleOff`, and allows nothing until the file is accepted again."),
    ]

    static let steeringRequested: [WireField] =
        ([
            .required("action", .word(SteeringAction.Kind.self)), .required("command", .identifier),
            .required("by", .object(named)),
            WireField("project", .name, .with("action", always: ["start", "resume", "past"], perhaps: [])),
            WireField("agent", .name, .with("action", always: ["start", "resume", "past"], perhaps: [])),
            WireField("past", .name, .with("action", is: "resume", isRequired: true)),
            WireField("mode", .name, .with("action", always: ["mode"], perhaps: ["start", "resume"])),
            WireField("model", .name, .with("action", always: ["model"], perhaps: ["start", "resume"])),
            WireField("on", .flag, .with("action", is: "askAll", isRequired: true)),
            WireField("rule", .name, .with("action", always: ["ruleOff", "ruleChange"], perhaps: [])),
            WireField(
                "toml", .text(bytesMax: WireLimits.lineBytesMax),
                .with("action", always: ["ruleAdd", "ruleChange", "ruleTry"], perhaps: [])),
            .optional(
                "signature", .text(bytesMax: WireLimits.signatureBytesMax),
                "The device's own, carried and not read by the relay. Left out if the host takes everything."),
            .optional("consent", .hostKey, "As in the session's `steering` at that time."),
        ] as [WireField]).map { $0.on(.head) }

    static let steeringChanged: [WireField] =
        steeringName.map { $0.on(.head) } + [
            .required("stage", .word(SteeringStage.self, name: "steering-stage")).on(.head),
            .optional("reason", .line, "Why it was refused or nobody knows; how it is known that it was taken.")
                .on(.named(else: nil)),
            .optional("started", .identifier, "For `start` and `resume`: the session that has begun.").on(.head),
        ]
}
