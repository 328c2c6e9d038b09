/// A trusted device asks which devices its host trusts. It is told again, as an answer to the same letter, whenever that changes.
///
/// domain("ask") ‖ LP(host) ‖ LP(nonce 16) ‖ LP(device)
package struct Ask: Sendable, Equatable {
    package var host: KeyID
    package var nonce: Nonce
    package var device: KeyID

    package init(host: KeyID, nonce: Nonce, device: KeyID) {
        self.host = host
        self.nonce = nonce
        self.device = device
    }

    init(body: [UInt8]) throws(ConsentError) {
        var reader = StatementReader(body, of: "ask")
        try reader.domain("ask")
        host = try reader.fixed("host")
        nonce = try reader.fixed("nonce")
        device = try reader.fixed("device")
        try reader.end()
    }

    package var body: [UInt8] {
        var writer = StatementWriter(domain: "ask")
        writer.part(host)
        writer.part(nonce)
        writer.part(device)
        return writer.bytes
    }
}
