/// The answer to a registration: a new workspace, and the pairing codes for its first device and machine.
package struct RegistrationAnswer: Equatable, Sendable {
    package var workspace: Named<WorkspaceTag>
    /// Pairing codes for a device that also steers agents, and for a machine with agents. Each works once.
    package var device: String
    package var machine: String
    /// The time at which both codes expire, in milliseconds since 1970.
    package var expiresAt: Int64
    /// Nil if the relay is of an earlier version.
    package var terms: Terms?

    /// Limits of the workspace.
    package struct Terms: Equatable, Sendable {
        /// Size of its events.
        package var megabytes: Int64
        package var sessions: Int64
        /// Days for which a session is kept in which nothing happens.
        package var keepDays: Int64
        /// Days without use after which the workspace is deleted.
        package var idleDays: Int64

        package init(megabytes: Int64, sessions: Int64, keepDays: Int64, idleDays: Int64) {
            (self.megabytes, self.sessions, self.keepDays, self.idleDays) = (megabytes, sessions, keepDays, idleDays)
        }
    }

    package init(
        workspace: Named<WorkspaceTag>, device: String, machine: String, expiresAt: Int64, terms: Terms? = nil
    ) {
        self.workspace = workspace
        self.device = device
        self.machine = machine
        self.expiresAt = expiresAt
        self.terms = terms
    }

    package init(parsing bytes: [UInt8]) throws(WireError) {
        let value = try JSONDocument(parsing: bytes).root.object()
        workspace = try Named(from: value.required("workspace"))
        device = try value.string("device", bytesMax: WireLimits.pairingCodeBytesMax)
        machine = try value.string("machine", bytesMax: WireLimits.pairingCodeBytesMax)
        expiresAt = try value.integer("expiresAt")
        terms = value.optional("terms") == nil ? nil : try Terms(from: value.object("terms"))
    }

    package var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.object("workspace") { workspace.write(to: &$0) }
            writer.field("device", device)
            writer.field("machine", machine)
            writer.field("expiresAt", expiresAt)
            if let terms { writer.object("terms") { terms.write(to: &$0) } }
        }
    }
}

extension RegistrationAnswer.Terms {
    fileprivate init(from value: JSONValue) throws(WireError) {
        megabytes = try value.integer("megabytes")
        sessions = try value.integer("sessions")
        keepDays = try value.integer("keepDays")
        idleDays = try value.integer("idleDays")
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.field("megabytes", megabytes)
        writer.field("sessions", sessions)
        writer.field("keepDays", keepDays)
        writer.field("idleDays", idleDays)
    }
}
