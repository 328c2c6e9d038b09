/// A trusted device asks a host to take its passkey, too. A person at the host's terminal says yes: whoever misuses the device could ask.
///
/// domain("passkey") ‖ LP(host) ‖ LP(public key of the passkey) ‖ LP(origin) ‖ u64 count ‖ LP(device)
package struct PasskeyAsk: Statement {
    package var host: KeyID
    package var passkey: SigningPoint
    package var origin: PasskeyOrigin
    package var count: Int64
    package var device: KeyID

    package init(host: KeyID, passkey: SigningPoint, origin: PasskeyOrigin, count: Int64, device: KeyID) {
        self.host = host
        self.passkey = passkey
        self.origin = origin
        self.count = count
        self.device = device
    }

    init(body: [UInt8]) throws(ConsentError) {
        var reader = StatementReader(body, of: "passkey")
        try reader.domain("passkey")
        host = try reader.fixed("host")
        passkey = try reader.fixed("passkey")
        let text = String(validating: try reader.part("origin", countMax: PasskeyOrigin.bytesMax), as: UTF8.self)
        guard let origin = text.flatMap(PasskeyOrigin.init) else {
            throw ConsentError(.badText, at: reader.place("origin"), "an origin is a name over TLS, or localhost")
        }
        self.origin = origin
        count = try reader.count("count")
        device = try reader.fixed("device")
        try reader.end()
    }

    package var number: Int64 { count }

    package var bytes: [UInt8] {
        var writer = StatementWriter(domain: "passkey")
        writer.part(host)
        writer.part(passkey)
        writer.part(origin.text)
        writer.number(UInt64(count))
        writer.part(device)
        return writer.bytes
    }

    func isFor(_ passkey: Passkey) -> Bool { passkey.sign == self.passkey && passkey.origin == origin }
}
