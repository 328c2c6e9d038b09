/// The answer to a registration: a new workspace, and the pairing codes for its first device and machine.
package struct RegistrationAnswer: Equatable, Sendable {
    package var workspace: Named<WorkspaceTag>
    /// Pairing codes for a device that also steers agents, and for a machine with agents. Each works once.
    package var device: String
    package var machine: String
    /// The time at which both codes expire, in milliseconds since 1970.
    package var expiresAt: Int64

    package init(workspace: Named<WorkspaceTag>, device: String, machine: String, expiresAt: Int64) {
        self.workspace = workspace
        self.device = device
        self.machine = machine
        self.expiresAt = expiresAt
    }

    package init(parsing bytes: [UInt8]) throws(WireError) {
        let value = try JSONDocument(parsing: bytes).root.object()
        workspace = try Named(from: value.required("workspace"))
        device = try value.string("device", bytesMax: WireLimits.pairingCodeBytesMax)
        machine = try value.string("machine", bytesMax: WireLimits.pairingCodeBytesMax)
        expiresAt = try value.integer("expiresAt")
    }

    package var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.object("workspace") { workspace.write(to: &$0) }
            writer.field("device", device)
            writer.field("machine", machine)
            writer.field("expiresAt", expiresAt)
        }
    }
}
