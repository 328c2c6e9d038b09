/// The first message of either side.
package struct Hello: Sendable, Equatable {
    package var version: Int64
    package var software: String
    /// The host's own name for itself.
    package var name: String?
    package var capabilities: Set<Capability>
    /// Sessions that the host runs, or whose events it still has.
    package var sessions: [SessionID]
    /// Number of the connection, greater than in every earlier one of this host. Nil: the host does not count them.
    package var attempt: Int64?
    /// Identifies a host's keys; clients address letters by it. Nil: the host has none.
    package var key: HostKeyID?

    package init(
        software: String, name: String? = nil, capabilities: Set<Capability> = [], sessions: [SessionID] = [],
        attempt: Int64? = nil, key: HostKeyID? = nil
    ) {
        version = ProtocolVersion.current
        self.software = software
        self.name = name
        self.capabilities = capabilities
        self.sessions = sessions
        self.attempt = attempt
        self.key = key
    }

    init(from value: JSONValue) throws(WireError) {
        version = try value.integer("version")
        software = try value.string("software", bytesMax: WireLimits.nameBytesMax)
        name = try value.optionalString("name", bytesMax: WireLimits.nameBytesMax)
        capabilities = []
        if let list = value.optional("capabilities") {
            for entry in try list.array() {
                if let capability = Capability(rawValue: try entry.string()) { capabilities.insert(capability) }
            }
        }
        sessions = []
        if value.optional("sessions") != nil {
            for entry in try value.array("sessions", countMax: WireLimits.helloSessionsMax) {
                sessions.append(try entry.identifier())
            }
        }
        attempt = try value.optionalInteger("attempt", in: 0...JSONValue.integerMax)
        key = try value.optionalHostKeyID("key")
    }

    func write(to writer: inout JSONWriter) {
        writer.field("version", version)
        writer.field("software", software)
        writer.field("name", name)
        if !capabilities.isEmpty { writer.strings("capabilities", capabilities.map(\.rawValue).sorted()) }
        if !sessions.isEmpty { writer.strings("sessions", sessions.map(\.rawValue)) }
        writer.field("attempt", attempt)
        writer.field("key", key)
    }
}

/// A host's abilities beyond reporting and applying decisions. Unknown ones are ignored.
package enum Capability: String, Sendable, CaseIterable {
    /// The host understands the message `hold`.
    case hold
    /// Announces which steering its sessions support, carries it out, and reports the outcome.
    case steer
}

/// The relay's answer to `hello`, the same for hosts and clients.
package struct Welcome: Sendable, Equatable {
    package var software: String
    package var epoch: Epoch
    package var heartbeat: Heartbeat

    package init(software: String, epoch: Epoch, heartbeat: Heartbeat) {
        self.software = software
        self.epoch = epoch
        self.heartbeat = heartbeat
    }

    init(from value: JSONValue) throws(WireError) {
        software = try value.string("software", bytesMax: WireLimits.nameBytesMax)
        epoch = try value.identifier("epoch")
        let beat = try value.required("heartbeat").object()
        heartbeat = Heartbeat(
            pingSeconds: try beat.integer("pingSeconds", in: 1...Heartbeat.secondsMax),
            hangUpSeconds: try beat.integer("hangUpSeconds", in: 1...Heartbeat.secondsMax))
    }

    func write(to writer: inout JSONWriter) {
        writer.field("version", ProtocolVersion.current)
        writer.field("software", software)
        writer.field("epoch", epoch)
        writer.object("heartbeat") {
            $0.field("pingSeconds", heartbeat.pingSeconds)
            $0.field("hangUpSeconds", heartbeat.hangUpSeconds)
        }
        writer.object("limits") {
            $0.field("messageBytes", Int64(WireLimits.messageBytesMax))
            $0.field("batchEvents", Int64(WireLimits.batchEventsMax))
            $0.field("eventBytes", Int64(WireLimits.eventBytesMax))
        }
    }
}

/// The relay's ping interval, and the silence after which it disconnects a peer; the peer derives its own time-outs from them.
package struct Heartbeat: Sendable, Equatable {
    package var pingSeconds: Int64
    package var hangUpSeconds: Int64

    /// Largest valid value of either.
    package static let secondsMax: Int64 = 3_600

    package init(pingSeconds: Int64, hangUpSeconds: Int64) {
        self.pingSeconds = pingSeconds
        self.hangUpSeconds = hangUpSeconds
    }
}
