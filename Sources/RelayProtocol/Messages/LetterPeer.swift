/// The other end of a client's letter.
package enum LetterPeer: Hashable, Sendable {
    /// All connected hosts that claim this key; only the letter's content proves it.
    case host(HostKeyID)
    /// All connections of a client of the same workspace.
    case client(ClientID)

    /// `hostField`: the field with a host's key.
    init(from value: JSONValue, hostField: StaticString) throws(WireError) {
        if let client: ClientID = try value.optionalIdentifier("client") {
            self = .client(client)
        } else {
            self = .host(try value.hostKeyID(hostField))
        }
    }

    func write(to writer: inout JSONWriter, hostField: StaticString) {
        switch self {
        case .host(let key): writer.field(hostField, key)
        case .client(let client): writer.field("client", client)
        }
    }
}
