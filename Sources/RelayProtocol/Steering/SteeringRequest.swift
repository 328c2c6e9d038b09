/// A steering command, as it is sent to the host.
package struct SteeringRequest: Sendable, Equatable {
    package var command: CommandID
    package var session: SessionID
    package var by: Named<ClientTag>
    package var action: SteeringAction
    /// The device's signature, which the relay carries and does not read.
    package var signature: String?

    package init(
        command: CommandID, session: SessionID, by: Named<ClientTag>, action: SteeringAction, signature: String? = nil
    ) {
        self.command = command
        self.session = session
        self.by = by
        self.action = action
        self.signature = signature
    }

    package var name: SteeringName { SteeringName(client: by.id, command: command) }

    init(_ kind: SteeringAction.Kind, from value: JSONValue) throws(WireError) {
        self.init(
            command: try value.identifier("id"), session: try value.identifier("session"),
            by: try Named(from: value.required("by")), action: try SteeringAction(kind, from: value),
            signature: try value.optionalString("signature", bytesMax: WireLimits.signatureBytesMax))
    }

    func write(to writer: inout JSONWriter) {
        writer.field("id", command)
        writer.field("session", session)
        writer.object("by") { by.write(to: &$0) }
        action.write(to: &writer)
        writer.field("signature", signature)
    }
}
