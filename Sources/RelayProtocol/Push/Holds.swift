/// The sessions of one host whose every tool needs approval: the whole list, which replaces the earlier one.
package struct Holds: Sendable, Equatable {
    /// Every session is held, also those that begin later.
    package var everySession: Bool
    package var sessions: Set<SessionID>

    package init(everySession: Bool = false, sessions: Set<SessionID> = []) {
        self.everySession = everySession
        self.sessions = sessions
    }

    package init(from value: JSONValue) throws(WireError) {
        everySession = try value.object().flag("everySession")
        sessions = []
        guard value.optional("sessions") != nil else { return }
        for session in try value.array("sessions", countMax: WireLimits.heldSessionsMax) {
            sessions.insert(try session.identifier())
        }
    }

    package func write(to writer: inout JSONWriter) {
        writer.flag("everySession", everySession)
        writer.strings("sessions", sessions.map(\.rawValue).sorted())
    }

    /// Adds sessions. A list longer than `WireLimits.heldSessionsMax` becomes every session.
    package func adding(_ more: Set<SessionID>) -> Holds {
        let all = sessions.union(more)
        return all.count > WireLimits.heldSessionsMax
            ? Holds(everySession: true) : Holds(everySession: everySession, sessions: all)
    }

    package var isEmpty: Bool { !everySession && sessions.isEmpty }

    package func contains(_ session: SessionID) -> Bool { everySession || sessions.contains(session) }
}
