/// A device asks a host for its trust, and proves with the tag that it has seen the host's secret.
///
/// domain("join") ‖ LP(host) ‖ LP(device sign) ‖ LP(device box) ‖ LP(name) ‖ LP(nonce 16)
package struct Join: Sendable, Equatable {
    package var host: KeyID
    package var sign: SigningPoint
    package var box: BoxPoint
    package var name: String
    package var nonce: Nonce

    /// `name` is spelled as `ConsentName` says.
    package init(host: KeyID, sign: SigningPoint, box: BoxPoint, name: String, nonce: Nonce) {
        self.host = host
        self.sign = sign
        self.box = box
        self.name = name
        self.nonce = nonce
    }

    init(body: [UInt8]) throws(ConsentError) {
        var reader = StatementReader(body, of: "join")
        try reader.domain("join")
        host = try reader.fixed("host")
        sign = try reader.fixed("sign")
        box = try reader.fixed("box")
        name = try reader.name("name")
        nonce = try reader.fixed("nonce")
        try reader.end()
    }

    package var body: [UInt8] {
        var writer = StatementWriter(domain: "join")
        writer.part(host)
        writer.part(sign)
        writer.part(box)
        writer.part(name)
        writer.part(nonce)
        return writer.bytes
    }
}
