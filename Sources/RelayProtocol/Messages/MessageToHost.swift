/// Messages from the relay to a host.
package enum MessageToHost: Sendable, Equatable {
    case welcome(Welcome, host: Named<HostTag>, sessions: [SessionProgress])
    case ack([SessionProgress])
    /// Events are missing before those that were sent: send again from this number on.
    case resend(SessionID, from: Int64)
    case decision(SessionID, ApprovalID, InputDigest, Decision)
    case steer(SteeringRequest)
    /// Discards this prompt if it still waits.
    case withdraw(SessionID, SteeringName)
    /// After `hello`: the steering commands of this session without an outcome. Those that the host does not know, it has lost.
    case outstanding(SessionID, [SteeringName])
    /// Sessions to hold, for a host that supports it: sent after its first `hello`, and whenever they change.
    case hold(Holds)
    case letter(Letter, from: Named<ClientTag>)
    /// Answered by `answered`, unless the connection ends first.
    case screen(ScreenCall)
    case notice(Notice)

    package init(parsing bytes: [UInt8]) throws(WireError) {
        let value = try JSONDocument(parsing: bytes).root.object()
        let type = try value.string("type")
        switch type {
        case "welcome":
            self = .welcome(
                try Welcome(from: value), host: try Named(from: value.required("host")),
                sessions: try SessionProgress.list(value.array("sessions")))
        case "ack": self = .ack(try SessionProgress.list(value.array("acks")))
        case "resend": self = .resend(try value.identifier("session"), from: try value.integer("from"))
        case "decision":
            self = .decision(
                try value.identifier("session"), try value.identifier("approval"), try value.digest("digest"),
                try Decision(from: value.required("decision")))
        case "withdraw": self = .withdraw(try value.identifier("session"), try SteeringName(from: value))
        case "outstanding":
            var names: [SteeringName] = []
            for entry in try value.array("commands", countMax: WireLimits.steeringOpenMax) {
                names.append(try SteeringName(from: entry))
            }
            self = .outstanding(try value.identifier("session"), names)
        case "hold": self = .hold(try Holds(from: value))
        case "letter": self = .letter(try Letter(from: value), from: try Named(from: value.required("from")))
        case "screen", "keys": self = .screen(try ScreenCall(type, from: value))
        case "notice": self = .notice(try Notice(from: value))
        default:
            guard let kind = SteeringAction.Kind(rawValue: type) else { throw .unknownType(type) }
            self = .steer(try SteeringRequest(kind, from: value))
        }
    }

    package var bytes: [UInt8] {
        switch self {
        case .welcome(let welcome, let host, let sessions):
            var writer = JSONWriter(type: "welcome")
            welcome.write(to: &writer)
            writer.object("host") { host.write(to: &$0) }
            writer.array("sessions", sessions.map(\.bytes))
            return writer.finish()
        case .ack(let acks):
            var writer = JSONWriter(type: "ack")
            writer.array("acks", acks.map(\.bytes))
            return writer.finish()
        case .resend(let session, let from):
            var writer = JSONWriter(type: "resend")
            writer.field("session", session)
            writer.field("from", from)
            return writer.finish()
        case .decision(let session, let approval, let digest, let decision):
            var writer = JSONWriter(type: "decision")
            writer.field("session", session)
            writer.field("approval", approval)
            writer.field("digest", digest.rawValue)
            writer.object("decision") { decision.write(to: &$0) }
            return writer.finish()
        case .steer(let request):
            var writer = JSONWriter(type: request.action.kind.type)
            request.write(to: &writer)
            return writer.finish()
        case .withdraw(let session, let name):
            var writer = JSONWriter(type: "withdraw")
            writer.field("session", session)
            name.write(to: &writer)
            return writer.finish()
        case .outstanding(let session, let names):
            var writer = JSONWriter(type: "outstanding")
            writer.field("session", session)
            writer.array("commands", names.map { name in JSONWriter.object { name.write(to: &$0) } })
            return writer.finish()
        case .hold(let holds):
            var writer = JSONWriter(type: "hold")
            holds.write(to: &writer)
            return writer.finish()
        case .letter(let letter, let client):
            var writer = JSONWriter(type: "letter")
            writer.object("from") { client.write(to: &$0) }
            letter.write(to: &writer)
            return writer.finish()
        case .screen(let call):
            var writer = JSONWriter(type: call.wish.type)
            writer.field("id", call.command)
            writer.field("session", call.session)
            writer.object("by") { call.by.write(to: &$0) }
            call.wish.write(to: &writer)
            writer.field("signature", call.signature)
            return writer.finish()
        case .notice(let notice):
            var writer = JSONWriter(type: "notice")
            notice.write(to: &writer)
            return writer.finish()
        }
    }
}

/// The last event of a session that is on the relay's disk, by the host's numbering.
package struct SessionProgress: Sendable, Equatable {
    package var session: SessionID
    package var through: Int64

    package init(session: SessionID, through: Int64) {
        self.session = session
        self.through = through
    }

    static func list(_ values: [JSONValue]) throws(WireError) -> [SessionProgress] {
        var list: [SessionProgress] = []
        for value in values {
            list.append(
                SessionProgress(session: try value.object().identifier("session"), through: try value.integer("through")))
        }
        return list
    }

    var bytes: [UInt8] {
        JSONWriter.object {
            $0.field("session", session)
            $0.field("through", through)
        }
    }
}
