/// A trusted device brings a further one to a host.
///
/// domain("vouch") ‖ LP(host) ‖ LP(sign) ‖ LP(box) ‖ LP(name) ‖ u64 count ‖ LP(voucher's id)
package struct Vouch: Statement {
    package var host: KeyID
    package var sign: SigningPoint
    package var box: BoxPoint
    package var name: String
    /// The voucher's count, as in a prompt.
    package var count: Int64
    package var device: KeyID

    package init(host: KeyID, sign: SigningPoint, box: BoxPoint, name: String, count: Int64, device: KeyID) {
        self.host = host
        self.sign = sign
        self.box = box
        self.name = name
        self.count = count
        self.device = device
    }

    init(body: [UInt8]) throws(ConsentError) {
        var reader = StatementReader(body, of: "vouch")
        try reader.domain("vouch")
        host = try reader.fixed("host")
        sign = try reader.fixed("sign")
        box = try reader.fixed("box")
        name = try reader.name("name")
        count = try reader.count("count")
        device = try reader.fixed("voucher")
        try reader.end()
    }

    package var number: Int64 { count }

    package var bytes: [UInt8] {
        var writer = StatementWriter(domain: "vouch")
        writer.part(host)
        writer.part(sign)
        writer.part(box)
        writer.part(name)
        writer.number(UInt64(count))
        writer.part(device)
        return writer.bytes
    }
}
