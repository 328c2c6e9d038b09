/// A steering command, identified by its client and that client's own id for it.
package struct SteeringName: Sendable, Hashable {
    package var client: ClientID
    package var command: CommandID

    package init(client: ClientID, command: CommandID) {
        self.client = client
        self.command = command
    }

    package init(from value: JSONValue) throws(WireError) {
        client = try value.object().identifier("client")
        command = try value.identifier("command")
    }

    package func write(to writer: inout JSONWriter) {
        writer.field("client", client)
        writer.field("command", command)
    }
}
