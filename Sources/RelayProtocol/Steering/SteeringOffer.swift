/// What can be done to a session from afar, and what it is set to; each replaces the one before.
package struct SteeringOffer: Sendable, Equatable {
    package var actions: Set<SteeringAction.Kind>
    /// Prompts reach the agent while it works, where the person wants that.
    package var steersWhileBusy: Bool
    /// Why an action that people expect is not among them, and what to do about it.
    package var reason: String?
    package var mode: String?
    package var modes: [String]
    /// Those that `model` may name; empty where the agent takes any name.
    package var models: [String]
    /// The agent's own commands, as they are typed: `/compact`.
    package var commands: [String]

    package init(
        actions: Set<SteeringAction.Kind> = [], steersWhileBusy: Bool = false, reason: String? = nil, mode: String? = nil,
        modes: [String] = [], models: [String] = [], commands: [String] = []
    ) {
        self.actions = actions
        self.steersWhileBusy = steersWhileBusy
        self.reason = reason
        self.mode = mode
        self.modes = modes
        self.models = models
        self.commands = commands
    }

    package init(from value: JSONValue) throws(WireError) {
        self.init()
        // A newer host may offer more: what is known stands all the same.
        for entry in try value.object().array("actions", countMax: WireLimits.steeringActionsMax) {
            if let kind = SteeringAction.Kind(rawValue: try entry.string()) { actions.insert(kind) }
        }
        steersWhileBusy = try value.flag("whileBusy")
        reason = try value.optionalString("reason", bytesMax: WireLimits.lineBytesMax)
        mode = try value.optionalString("mode", bytesMax: WireLimits.nameBytesMax)
        modes = try value.names("modes", countMax: WireLimits.steeringModesMax)
        models = try value.names("models", countMax: WireLimits.steeringModelsMax)
        commands = try value.names("commands", countMax: WireLimits.steeringCommandsMax)
    }

    package func write(to writer: inout JSONWriter) {
        writer.strings("actions", SteeringAction.Kind.allCases.filter(actions.contains).map(\.rawValue))
        writer.flag("whileBusy", steersWhileBusy)
        writer.field("reason", reason)
        writer.field("mode", mode)
        if !modes.isEmpty { writer.strings("modes", modes) }
        if !models.isEmpty { writer.strings("models", models) }
        if !commands.isEmpty { writer.strings("commands", commands) }
    }
}

extension JSONValue {
    fileprivate func names(_ key: StaticString, countMax: Int) throws(WireError) -> [String] {
        guard optional(key) != nil else { return [] }
        var names: [String] = []
        for entry in try array(key, countMax: countMax) { names.append(try entry.string(bytesMax: WireLimits.nameBytesMax)) }
        return names
    }
}
