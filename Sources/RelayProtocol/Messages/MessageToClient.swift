/// Messages from the relay to a client.
package enum MessageToClient: Sendable {
    /// `may`: the rights of this client.
    case welcome(Welcome, client: Named<ClientTag>, workspace: Named<WorkspaceTag>, may: Set<ClientRight>)
    /// `more`: the rest follows as separate summaries and approvals, and then `snapshotEnd`. `older`: sessions that are left out.
    case workspaceSnapshot(sessions: [Summary], approvals: [Approval], more: Bool = false, older: Int = 0)
    case snapshotEnd
    case sessionSnapshot(SessionEvents, seq: Int64, summary: Summary, approvals: [Approval])
    case events(SessionEvents)
    case deltas(Delta)
    case output(ToolOutput)
    case summary(Summary)
    case approval(Approval)
    case reset(SessionID, ResetReason)
    /// Retention removed the session.
    case removed(SessionID)
    case reply(CommandID, Reply)
    /// The plan for a push to a device, or its outcome, as JSON; sent to clients that watch devices.
    case push([UInt8])
    /// Sent to all connections of the client. The key of `from` is as the host claims it.
    case letter(Letter, from: LetterPeer)
    case notice(Notice)

    package init(parsing bytes: [UInt8]) throws(WireError) {
        let value = try JSONDocument(parsing: bytes).root.object()
        let type = try value.string("type")
        switch type {
        case "welcome":
            self = .welcome(
                try Welcome(from: value), client: try Named(from: value.required("client")),
                workspace: try Named(from: value.required("workspace")), may: try ClientRight.set(from: value))
        case "snapshot":
            var approvals: [Approval] = []
            for entry in try value.array("approvals") { approvals.append(try Approval(from: entry)) }
            if value.optional("session") == nil {
                var sessions: [Summary] = []
                for entry in try value.array("sessions") { sessions.append(try Summary(from: entry)) }
                self = .workspaceSnapshot(
                    sessions: sessions, approvals: approvals, more: try value.flag("more"),
                    older: Int(try value.optionalInteger("older") ?? 0))
            } else {
                self = .sessionSnapshot(
                    try SessionEvents(from: value), seq: try value.integer("seq"),
                    summary: try Summary(from: value.required("summary")), approvals: approvals)
            }
        case "snapshotEnd": self = .snapshotEnd
        case "events": self = .events(try SessionEvents(from: value))
        case "deltas": self = .deltas(try Delta(from: value))
        case "output": self = .output(try ToolOutput(from: value))
        case "summary": self = .summary(try Summary(from: value.required("summary")))
        case "approval": self = .approval(try Approval(from: value.required("approval")))
        case "reset": self = .reset(try value.identifier("session"), try value.word("reason"))
        case "removed": self = .removed(try value.identifier("session"))
        case "reply": self = .reply(try value.identifier("id"), try Reply(from: value))
        case "push": self = .push(Array(try value.required("push").bytes))
        case "letter": self = .letter(try Letter(from: value), from: try LetterPeer(from: value, hostField: "from"))
        case "notice": self = .notice(try Notice(from: value))
        default: throw .unknownType(type)
        }
    }

    /// Encodes a page of a workspace snapshot from summaries and approvals that are JSON already.
    package static func workspaceSnapshotBytes(
        sessions: [[UInt8]], approvals: [[UInt8]], more: Bool, older: Int
    ) -> [UInt8] {
        var writer = JSONWriter(type: "snapshot")
        writer.array("sessions", sessions)
        writer.array("approvals", approvals)
        writer.flag("more", more)
        if older > 0 { writer.field("older", Int64(older)) }
        return writer.finish()
    }

    /// Encodes a session snapshot from approvals that are JSON already.
    package static func sessionSnapshotBytes(
        _ tail: SessionEvents, seq: Int64, summary: Summary, approvals: [[UInt8]]
    ) -> [UInt8] {
        var writer = JSONWriter(type: "snapshot")
        writer.field("session", tail.session)
        writer.field("epoch", tail.epoch)
        writer.field("seq", seq)
        writer.field("first", tail.first)
        writer.array("events", tail.events)
        writer.object("summary") { summary.write(to: &$0) }
        writer.array("approvals", approvals)
        return writer.finish()
    }

    package var bytes: [UInt8] {
        switch self {
        case .welcome(let welcome, let client, let workspace, let rights):
            var writer = JSONWriter(type: "welcome")
            welcome.write(to: &writer)
            writer.object("client") { client.write(to: &$0) }
            writer.object("workspace") { workspace.write(to: &$0) }
            writer.strings("may", ClientRight.allCases.filter(rights.contains).map(\.rawValue))
            return writer.finish()
        case .workspaceSnapshot(let sessions, let approvals, let more, let older):
            return Self.workspaceSnapshotBytes(
                sessions: sessions.map(\.bytes), approvals: approvals.map(\.bytes), more: more, older: older)
        case .snapshotEnd: return JSONWriter(type: "snapshotEnd").finish()
        case .sessionSnapshot(let tail, let seq, let summary, let approvals):
            return Self.sessionSnapshotBytes(tail, seq: seq, summary: summary, approvals: approvals.map(\.bytes))
        case .events(let events):
            var writer = JSONWriter(type: "events")
            writer.field("session", events.session)
            writer.field("epoch", events.epoch)
            writer.field("first", events.first)
            writer.array("events", events.events)
            return writer.finish()
        case .deltas(let delta):
            var writer = JSONWriter(type: "deltas")
            delta.write(to: &writer)
            return writer.finish()
        case .output(let output):
            var writer = JSONWriter(type: "output")
            output.write(to: &writer)
            return writer.finish()
        case .summary(let summary):
            var writer = JSONWriter(type: "summary")
            writer.object("summary") { summary.write(to: &$0) }
            return writer.finish()
        case .approval(let approval):
            var writer = JSONWriter(type: "approval")
            writer.object("approval") { approval.write(to: &$0) }
            return writer.finish()
        case .reset(let session, let reason):
            var writer = JSONWriter(type: "reset")
            writer.field("session", session)
            writer.field("reason", reason.rawValue)
            return writer.finish()
        case .removed(let session):
            var writer = JSONWriter(type: "removed")
            writer.field("session", session)
            return writer.finish()
        case .reply(let id, let reply):
            var writer = JSONWriter(type: "reply")
            writer.field("id", id)
            reply.write(to: &writer)
            return writer.finish()
        case .push(let push):
            var writer = JSONWriter(type: "push")
            writer.raw("push", push)
            return writer.finish()
        case .letter(let letter, let peer):
            var writer = JSONWriter(type: "letter")
            peer.write(to: &writer, hostField: "from")
            letter.write(to: &writer)
            return writer.finish()
        case .notice(let notice):
            var writer = JSONWriter(type: "notice")
            notice.write(to: &writer)
            return writer.finish()
        }
    }
}

/// Consecutive events of a session with the relay's numbering, each as its bytes.
package struct SessionEvents: Sendable {
    package var session: SessionID
    package var epoch: Epoch
    package var first: Int64
    package var events: [[UInt8]]

    package init(session: SessionID, epoch: Epoch, first: Int64, events: [[UInt8]]) {
        self.session = session
        self.epoch = epoch
        self.first = first
        self.events = events
    }

    init(from value: JSONValue) throws(WireError) {
        session = try value.identifier("session")
        epoch = try value.identifier("epoch")
        first = try value.integer("first")
        events = try value.array("events").map { Array($0.bytes) }
    }
}

/// Reason for which a client's position cannot be continued.
package enum ResetReason: String, Sendable, CaseIterable {
    /// The position has another epoch than the log.
    case epochChanged
    /// The position is after the log's end.
    case ahead
    /// The log no longer holds the events after the position.
    case trimmed
    /// The connection could not take all that came.
    case behind
}
