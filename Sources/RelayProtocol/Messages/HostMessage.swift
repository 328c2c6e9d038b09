/// Messages from a host to the relay.
package enum HostMessage: Sendable {
    case hello(Hello)
    case events(HostEvents)
    case deltas(Delta)
    case output(ToolOutput)
    case letter(Letter, to: ClientID)
    /// Answers a client's `screen` or `keys` command of this name.
    case answered(SteeringName, ScreenAnswer)

    /// `isUTF8`: see `JSONDocument.init(parsing:)`.
    package init(parsing bytes: [UInt8], isUTF8: Bool = false) throws(WireError) {
        let value = try JSONDocument(parsing: bytes, isUTF8: isUTF8).root.object()
        // First because nearly all messages are events.
        if value.says("events", "type") {
            self = .events(try HostEvents(from: value))
            return
        }
        let type = try value.string("type")
        switch type {
        case "hello": self = .hello(try Hello(from: value))
        case "deltas": self = .deltas(try Delta(from: value))
        case "output": self = .output(try ToolOutput(from: value))
        case "letter": self = .letter(try Letter(from: value), to: try value.identifier("to"))
        case "answered":
            let name = SteeringName(client: try value.identifier("to"), command: try value.identifier("id"))
            self = .answered(name, try ScreenAnswer(from: value))
        default: throw .unknownType(type)
        }
    }

    package var bytes: [UInt8] {
        switch self {
        case .hello(let hello):
            var writer = JSONWriter(type: "hello")
            hello.write(to: &writer)
            return writer.finish()
        case .events(let batch):
            var writer = JSONWriter(type: "events")
            writer.field("session", batch.session)
            writer.field("first", batch.first)
            writer.flag("gap", batch.isAfterGap)
            writer.array("events", batch.events.map(\.bytes))
            return writer.finish()
        case .deltas(let delta):
            var writer = JSONWriter(type: "deltas")
            delta.write(to: &writer)
            return writer.finish()
        case .output(let output):
            var writer = JSONWriter(type: "output")
            output.write(to: &writer)
            return writer.finish()
        case .letter(let letter, let client):
            var writer = JSONWriter(type: "letter")
            writer.field("to", client)
            letter.write(to: &writer)
            return writer.finish()
        case .answered(let name, let answer):
            var writer = JSONWriter(type: "answered")
            writer.field("to", name.client)
            writer.field("id", name.command)
            answer.write(to: &writer)
            return writer.finish()
        }
    }
}

/// Consecutive events with the host's numbering.
package struct HostEvents: Sendable {
    package var session: SessionID
    /// The host's number of the first event; a session's first event is 1.
    package var first: Int64
    /// True if the host has lost events before `first`.
    package var isAfterGap: Bool
    package var events: [Event]

    package init(session: SessionID, first: Int64, isAfterGap: Bool = false, events: [Event]) {
        self.session = session
        self.first = first
        self.isAfterGap = isAfterGap
        self.events = events
    }

    init(from value: JSONValue) throws(WireError) {
        session = try value.identifier("session")
        first = try value.integer("first", in: 1...JSONValue.integerMax - Int64(WireLimits.batchEventsMax))
        isAfterGap = try value.flag("gap")
        let entries = try value.elements("events", countMax: WireLimits.batchEventsMax)
        events = []
        events.reserveCapacity(entries.underestimatedCount)
        for entry in entries {
            let event = try Event(from: entry)
            if event.head.knownKind?.isMadeByRelay == true {
                throw WireError(.badValue, at: entry.path + ".kind", "only the relay states this")
            }
            events.append(event)
        }
        if events.isEmpty { throw WireError(.outOfRange, at: value.path + ".events", "at least one event") }
    }
}

/// A piece of an unfinished message; live only, never stored.
package struct Delta: Sendable, Equatable {
    package var session: SessionID
    package var message: String
    package var text: String
    package var agent: String?

    package init(session: SessionID, message: String, text: String, agent: String? = nil) {
        self.session = session
        self.message = message
        self.text = text
        self.agent = agent
    }

    init(from value: JSONValue) throws(WireError) {
        session = try value.identifier("session")
        message = try value.string("message", bytesMax: WireLimits.nameBytesMax)
        text = try value.string("text", bytesMax: WireLimits.eventBytesMax)
        agent = try value.optionalString("agent", bytesMax: WireLimits.nameBytesMax)
    }

    func write(to writer: inout JSONWriter) {
        writer.field("session", session)
        writer.field("message", message)
        writer.field("text", text)
        writer.field("agent", agent)
    }
}
