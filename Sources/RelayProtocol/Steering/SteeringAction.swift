/// A client's command to a session, other than an answer to its agent.
package enum SteeringAction: Sendable, Equatable {
    case prompt(Prompt)
    /// Stops what the agent is doing; it then waits for the next prompt.
    case interrupt
    case stop
    /// Switches to this mode, one of those that the session offers.
    case mode(String)
    case model(String)
    /// True: a person is asked before every tool, whatever the agent's rules and mode would allow. False: these apply again.
    case askAll(Bool)
    /// For a host, sent to the session that represents it.
    case launch(Launch)
    /// For a host: switches off the rule with this name, until its owner accepts the rules again.
    case ruleOff(String)
    /// For a host: adds this rule to its file, as if its owner had written it.
    case ruleAdd(String)
    /// For a host: replaces the rule with that name, which must be one that allows, by this text.
    case ruleChange(String, to: String)
    /// For a host: tests these rules, or without a text its own, against earlier requests. Changes nothing.
    case ruleTry(String)

    package var kind: Kind {
        switch self {
        case .prompt: .prompt
        case .interrupt: .interrupt
        case .stop: .stop
        case .mode: .mode
        case .model: .model
        case .askAll: .askAll
        case .launch(let launch): launch.kind
        case .ruleOff: .ruleOff
        case .ruleAdd: .ruleAdd
        case .ruleChange: .ruleChange
        case .ruleTry: .ruleTry
        }
    }

    /// Kind of the action, and `type` of the message that carries it to the relay and on to the host.
    package enum Kind: String, Sendable, CaseIterable {
        case prompt, interrupt, stop, mode, model, askAll, start, resume, past, ruleOff, ruleAdd, ruleChange, ruleTry

        package var isLaunch: Bool { self == .start || self == .resume || self == .past }

        /// True if the command is for a host, and not for a session of an agent.
        package var isForHost: Bool { isLaunch || isAboutRules }

        package var isAboutRules: Bool { [.ruleOff, .ruleAdd, .ruleChange, .ruleTry].contains(self) }

        var type: StaticString {
            switch self {
            case .prompt: "prompt"
            case .interrupt: "interrupt"
            case .stop: "stop"
            case .mode: "mode"
            case .model: "model"
            case .askAll: "askAll"
            case .start: "start"
            case .resume: "resume"
            case .past: "past"
            case .ruleOff: "ruleOff"
            case .ruleAdd: "ruleAdd"
            case .ruleChange: "ruleChange"
            case .ruleTry: "ruleTry"
            }
        }
    }

    package struct Prompt: Sendable, Equatable {
        package var text: String
        package var whenBusy: WhenBusy
        /// True if the text is one of the agent's own commands, chosen from its offer. No other text is ever run as one.
        package var isCommand: Bool
        package var pictures: [Picture]

        package init(text: String, whenBusy: WhenBusy = .queue, isCommand: Bool = false, pictures: [Picture] = []) {
            self.text = text
            self.whenBusy = whenBusy
            self.isCommand = isCommand
            self.pictures = pictures
        }

        /// The command's name, if `isCommand`.
        package var command: String { String(text.prefix { !$0.isWhitespace }) }
    }

    /// Handling of a prompt that arrives while the agent works, or waits for an answer.
    package enum WhenBusy: String, Sendable, CaseIterable {
        /// The prompt waits at its host, and can be withdrawn meanwhile.
        case queue
        /// The prompt is passed to the agent at once, if the agent accepts that.
        case steer
        case refuse
    }

    init(_ kind: Kind, from value: JSONValue) throws(WireError) {
        switch kind {
        case .prompt:
            self = .prompt(
                Prompt(
                    text: try value.string("text", bytesMax: WireLimits.textBytesMax),
                    whenBusy: value.optional("busy") == nil ? .queue : try value.word("busy"),
                    isCommand: try value.flag("command"), pictures: try value.pictures("pictures")))
        case .interrupt: self = .interrupt
        case .stop: self = .stop
        case .mode: self = .mode(try value.string("mode", bytesMax: WireLimits.nameBytesMax))
        case .model: self = .model(try value.string("model", bytesMax: WireLimits.nameBytesMax))
        case .askAll: self = .askAll(try value.required("on").bool())
        case .start, .resume, .past:
            var launch = try Launch(kind, target: value)
            if kind != .past {
                launch.text = try value.optionalString("text", bytesMax: WireLimits.textBytesMax)
                launch.pictures = try value.pictures("pictures")
            }
            self = .launch(launch)
        case .ruleOff: self = .ruleOff(try value.string("rule", bytesMax: WireLimits.nameBytesMax))
        case .ruleAdd: self = .ruleAdd(try value.string("toml", bytesMax: WireLimits.lineBytesMax))
        case .ruleChange:
            self = .ruleChange(
                try value.string("rule", bytesMax: WireLimits.nameBytesMax),
                to: try value.string("toml", bytesMax: WireLimits.lineBytesMax))
        case .ruleTry: self = .ruleTry(try value.string("toml", bytesMax: WireLimits.lineBytesMax))
        }
    }

    package func write(to writer: inout JSONWriter) {
        switch self {
        case .prompt(let prompt):
            writer.field("text", prompt.text)
            writer.field("busy", prompt.whenBusy.rawValue)
            writer.flag("command", prompt.isCommand)
            if !prompt.pictures.isEmpty { writer.array("pictures", prompt.pictures.map(\.named)) }
        case .interrupt, .stop: break
        case .mode(let mode): writer.field("mode", mode)
        case .model(let model): writer.field("model", model)
        case .askAll(let isOn): writer.field("on", isOn)
        case .launch(let launch):
            launch.writeTarget(to: &writer)
            writer.field("text", launch.text)
            if !launch.pictures.isEmpty { writer.array("pictures", launch.pictures.map(\.named)) }
        case .ruleOff(let rule): writer.field("rule", rule)
        case .ruleAdd(let text), .ruleTry(let text): writer.field("toml", text)
        case .ruleChange(let rule, let text):
            writer.field("rule", rule)
            writer.field("toml", text)
        }
    }

    /// Writes the body of the command's event. If the command is signed, this includes everything that the signature covers.
    package func writeBody(to writer: inout JSONWriter, isSigned: Bool) {
        writer.field("text", text)
        if isSigned, case .prompt(let prompt) = self {
            if prompt.whenBusy != .queue { writer.field("busy", prompt.whenBusy.rawValue) }
            writer.flag("command", prompt.isCommand)
        }
        if !pictures.isEmpty { writer.array("pictures", pictures.map(\.named)) }
    }

    /// The command's text, which is content: it goes into the body of its event.
    package var text: String? {
        switch self {
        case .prompt(let prompt): prompt.text
        case .launch(let launch): launch.text
        case .interrupt, .stop, .mode, .model, .askAll, .ruleOff, .ruleAdd, .ruleChange, .ruleTry: nil
        }
    }

    /// A copy of a prompt or launch with these pictures.
    package func with(_ pictures: [Picture]) -> SteeringAction {
        switch self {
        case .prompt(var prompt):
            prompt.pictures = pictures
            return .prompt(prompt)
        case .launch(var launch):
            launch.pictures = pictures
            return .launch(launch)
        default: return self
        }
    }

    /// Pictures of the command, which are content as well.
    package var pictures: [Picture] {
        switch self {
        case .prompt(let prompt): prompt.pictures
        case .launch(let launch): launch.pictures
        case .interrupt, .stop, .mode, .model, .askAll, .ruleOff, .ruleAdd, .ruleChange, .ruleTry: []
        }
    }
}
