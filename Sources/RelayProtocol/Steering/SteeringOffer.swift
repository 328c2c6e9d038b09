/// Actions that clients can take on a session, and its current settings; each offer replaces the one before.
package struct SteeringOffer: Sendable, Equatable {
    package var actions: Set<SteeringAction.Kind>
    /// True if prompts can be sent to the agent while it works.
    package var steersWhileBusy: Bool
    /// True if prompts can have pictures.
    package var takesPictures: Bool
    /// True if the host holds the session's terminal: clients can watch its screen, and those with the right to steer can type.
    package var hasScreen = false
    /// Reason why an action that people expect is missing, and what to do about it.
    package var reason: String?
    /// True if a person is asked before every tool because a client has requested that.
    package var asksAll = false
    /// The tools that the host can hold once a budget is spent, if these are not all.
    package var hold: HoldReach?
    /// The host's keys, if it accepts only what a trusted device has signed for them; nil if it trusts the relay.
    package var consent: HostKeyID?
    /// True if the session's content is sealed: clients open `sealed`, and refer to actions by the aliases beside it.
    package var seals = false
    /// For the session that represents a sealing host: its keys, wrapped for the devices that it trusts. Otherwise nil.
    package var wraps: [KeyWrap]?
    /// The whole offer, sealed for the host's devices.
    package var sealed: String?
    package var mode: String?
    package var modes: [String]
    /// Models to choose from; empty if the agent accepts any name.
    package var models: [String]
    /// The agent's own commands as they are typed, such as `/compact`.
    package var commands: [String]
    /// For the session that represents its host: folders in which sessions can be started. Otherwise nil.
    package var projects: [ProjectOffer]?
    package var agents: [StartableAgent] = []
    /// For the session that represents its host: its rules, if it has any.
    package var rules: RulesOffer?

    package init(
        actions: Set<SteeringAction.Kind> = [], steersWhileBusy: Bool = false, takesPictures: Bool = false,
        reason: String? = nil,
        mode: String? = nil, modes: [String] = [], models: [String] = [], commands: [String] = [],
        projects: [ProjectOffer]? = nil, hold: HoldReach? = nil
    ) {
        self.actions = actions
        self.steersWhileBusy = steersWhileBusy
        self.takesPictures = takesPictures
        self.reason = reason
        self.mode = mode
        self.modes = modes
        self.models = models
        self.commands = commands
        self.projects = projects
        self.hold = hold
    }

    package init(from value: JSONValue) throws(WireError) {
        self.init()
        // Unknown actions of a newer host are ignored; the others are valid.
        for entry in try value.object().array("actions", countMax: WireLimits.steeringActionsMax) {
            if let kind = SteeringAction.Kind(rawValue: try entry.string()) { actions.insert(kind) }
        }
        steersWhileBusy = try value.flag("whileBusy")
        takesPictures = try value.flag("pictures")
        hasScreen = try value.flag("screen")
        reason = try value.optionalString("reason", bytesMax: WireLimits.lineBytesMax)
        asksAll = try value.flag("asksAll")
        hold = try value.optionalString("hold").flatMap(HoldReach.init)
        consent = try value.optionalHostKeyID("consent")
        seals = try value.flag("seals")
        sealed = try value.optionalSealed("sealed", bytesMax: WireLimits.sealedOfferBytesMax)
        if value.optional("wraps") != nil {
            var wraps: [KeyWrap] = []
            for entry in try value.array("wraps", countMax: WireLimits.wrapsMax) { wraps.append(try KeyWrap(from: entry)) }
            self.wraps = wraps
        }
        mode = try value.optionalString("mode", bytesMax: WireLimits.nameBytesMax)
        modes = try value.names("modes", countMax: WireLimits.steeringModesMax)
        models = try value.names("models", countMax: WireLimits.steeringModelsMax)
        commands = try value.names("commands", countMax: WireLimits.steeringCommandsMax)
        if value.optional("projects") != nil {
            var projects: [ProjectOffer] = []
            for entry in try value.array("projects", countMax: WireLimits.projectsMax) {
                projects.append(try ProjectOffer(from: entry))
            }
            self.projects = projects
        }
        if let rules = value.optional("rules") { self.rules = try RulesOffer(from: rules) }
        guard value.optional("agents") != nil else { return }
        for entry in try value.array("agents", countMax: WireLimits.startableMax) {
            agents.append(try StartableAgent(from: entry))
        }
    }

    package func write(to writer: inout JSONWriter) {
        writer.strings("actions", SteeringAction.Kind.allCases.filter(actions.contains).map(\.rawValue))
        writer.flag("whileBusy", steersWhileBusy)
        writer.flag("pictures", takesPictures)
        writer.flag("screen", hasScreen)
        writer.field("reason", reason)
        writer.flag("asksAll", asksAll)
        writer.field("hold", hold?.rawValue)
        writer.field("consent", consent)
        writer.flag("seals", seals)
        if let wraps { writer.array("wraps", wraps.map(\.bytes)) }
        writer.field("sealed", sealed)
        writer.field("mode", mode)
        if !modes.isEmpty { writer.strings("modes", modes) }
        if !models.isEmpty { writer.strings("models", models) }
        if !commands.isEmpty { writer.strings("commands", commands) }
        if let projects { writer.array("projects", projects.map(\.bytes)) }
        if !agents.isEmpty { writer.array("agents", agents.map(\.bytes)) }
        if let rules { writer.object("rules") { rules.write(to: &$0) } }
    }

    /// Reason why this prompt's pictures would be ignored; nil if there is none.
    package func refusal(ofPicturesOf prompt: SteeringAction.Prompt) -> String? {
        guard !prompt.pictures.isEmpty else { return nil }
        guard takesPictures else { return "this session takes no pictures" }
        return prompt.isCommand ? "a command takes no pictures" : nil
    }

    /// Reason why a host with this offer would refuse the launch; nil if it may accept it.
    package func refusal(of launch: Launch) -> String? {
        guard projects?.contains(where: { $0.name == launch.project }) == true else { return "the host offers no such project" }
        guard let agent = agents.first(where: { $0.name == launch.agent }) else { return "the host offers no such agent" }
        if let mode = launch.mode, !agent.modes.contains(mode) { return "that mode is not offered" }
        if let model = launch.model, !agent.models.isEmpty, !agent.models.contains(model) { return "that model is not offered" }
        guard !launch.pictures.isEmpty else { return nil }
        guard agent.takesPictures else { return "this agent takes no pictures" }
        return launch.text?.isEmpty == false ? nil : "pictures go with a prompt"
    }
}

extension JSONValue {
    func names(_ key: StaticString, countMax: Int) throws(WireError) -> [String] {
        guard optional(key) != nil else { return [] }
        var names: [String] = []
        for entry in try array(key, countMax: countMax) { names.append(try entry.string(bytesMax: WireLimits.nameBytesMax)) }
        return names
    }
}
