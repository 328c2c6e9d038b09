/// A host has recorded the device, and proves with the tag that it is the one whose terminal showed the secret.
///
/// domain("admit") ‖ LP(SHA-256(body of the join)) ‖ LP(host sign) ‖ LP(host box) ‖ LP(nonce 16) ‖ LP(name)
package struct Admit: Sendable, Equatable {
    package var join: ConsentHash
    package var sign: SigningPoint
    package var box: BoxPoint
    package var nonce: Nonce
    /// What the host calls itself.
    package var name: String

    /// `name` is spelled as `ConsentName` says.
    package init(join: ConsentHash, sign: SigningPoint, box: BoxPoint, nonce: Nonce, name: String) {
        self.join = join
        self.sign = sign
        self.box = box
        self.nonce = nonce
        self.name = name
    }

    init(body: [UInt8]) throws(ConsentError) {
        var reader = StatementReader(body, of: "admit")
        try reader.domain("admit")
        join = try reader.fixed("join")
        sign = try reader.fixed("sign")
        box = try reader.fixed("box")
        nonce = try reader.fixed("nonce")
        name = try reader.name("name")
        try reader.end()
    }

    package var body: [UInt8] {
        var writer = StatementWriter(domain: "admit")
        writer.part(join)
        writer.part(sign)
        writer.part(box)
        writer.part(nonce)
        writer.part(name)
        return writer.bytes
    }
}
