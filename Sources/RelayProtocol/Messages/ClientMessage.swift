/// Client → relay. Every command has an id that the client made; `hello` has none.
package enum ClientMessage: Sendable {
    case hello(Hello)
    case command(CommandID, ClientCommand)

    package init(parsing bytes: [UInt8]) throws(ClientMessageError) {
        let value: JSONValue
        let type: String
        do {
            value = try JSONDocument(parsing: bytes).root.object()
            type = try value.string("type")
            if type == "hello" {
                self = .hello(try Hello(from: value))
                return
            }
        } catch { throw ClientMessageError(command: nil, error: error) }
        var command: CommandID?
        do throws(WireError) {
            guard let read = ClientCommand.readers[type] else { throw .unknownType(type) }
            let id: CommandID = try value.identifier("id")
            command = id
            self = .command(id, try read(value))
        } catch { throw ClientMessageError(command: command, error: error) }
    }

    package var bytes: [UInt8] {
        switch self {
        case .hello(let hello):
            var writer = JSONWriter(type: "hello")
            hello.write(to: &writer)
            return writer.finish()
        case .command(let id, let command): return command.bytes(id: id)
        }
    }
}

/// An invalid message of a client, and the command to reply to if its id could be read.
package struct ClientMessageError: Error, Equatable {
    package let command: CommandID?
    package let error: WireError

    package init(command: CommandID?, error: WireError) {
        self.command = command
        self.error = error
    }
}
