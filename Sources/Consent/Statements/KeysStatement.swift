package import RelayProtocol

/// Keys for a session's terminal, as a device signs them.
///
/// ```
/// domain("keys") ‖ LP(host) ‖ LP(session) ‖ LP(command id) ‖ LP(drawing) ‖ LP(SHA-256 of the keys) ‖ u64 count ‖ LP(device)
/// ```
package struct KeysStatement: Statement {
    package var host: KeyID
    package var session: SessionID
    package var command: CommandID
    /// Name of what the terminal showed when they were pressed: a relay that holds them back does not choose the dialog that they answer.
    package var seen: String
    package var keys: ConsentHash
    /// The device's count, as in a prompt: overtaken or repeated keys are not typed.
    package var count: Int64
    package var device: KeyID

    package init(
        host: KeyID, session: SessionID, command: CommandID, seen: String, keys: [UInt8], count: Int64, device: KeyID,
        _ crypto: ConsentCrypto
    ) {
        self.host = host
        self.session = session
        self.command = command
        self.seen = seen
        self.keys = crypto.hash(keys)
        self.count = count
        self.device = device
    }

    package var number: Int64 { count }

    package var bytes: [UInt8] {
        var writer = StatementWriter(domain: "keys")
        writer.part(host)
        writer.part(session.rawValue)
        writer.part(command.rawValue)
        writer.part(seen)
        writer.part(keys)
        writer.number(UInt64(count))
        writer.part(device)
        return writer.bytes
    }

    /// All rights: keys can answer any dialog.
    package static let rights: Set<PinRight> = [.allow, .answer, .prompt]
}
