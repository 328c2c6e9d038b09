/// Relay → host.
package enum MessageToHost: Sendable, Equatable {
    case welcome(Welcome, host: Named<HostTag>, sessions: [SessionProgress])
    case ack([SessionProgress])
    /// There is a hole before what was sent: send from this number on.
    case resend(SessionID, from: Int64)
    case decision(SessionID, ApprovalID, InputDigest, Decision)
    case prompt(CommandID, SessionID, text: String)
    case interrupt(CommandID, SessionID)
    /// To a host that can hold: after its first `hello`, and whenever it changes.
    case hold(Holds)
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
        case "prompt":
            self = .prompt(try value.identifier("id"), try value.identifier("session"), text: try value.string("text"))
        case "interrupt": self = .interrupt(try value.identifier("id"), try value.identifier("session"))
        case "hold": self = .hold(try Holds(from: value))
        case "notice": self = .notice(try Notice(from: value))
        default: throw .unknownType(type)
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
        case .prompt(let id, let session, let text):
            var writer = JSONWriter(type: "prompt")
            writer.field("id", id)
            writer.field("session", session)
            writer.field("text", text)
            return writer.finish()
        case .interrupt(let id, let session):
            var writer = JSONWriter(type: "interrupt")
            writer.field("id", id)
            writer.field("session", session)
            return writer.finish()
        case .hold(let holds):
            var writer = JSONWriter(type: "hold")
            holds.write(to: &writer)
            return writer.finish()
        case .notice(let notice):
            var writer = JSONWriter(type: "notice")
            notice.write(to: &writer)
            return writer.finish()
        }
    }
}

/// How far a session's events, by the host's numbering, are on the relay's disk.
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
