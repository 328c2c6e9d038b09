/// A trusted device ends a host's trust in a device. The relay can withhold it: the host's terminal is the authority.
///
/// domain("distrust") ‖ LP(host) ‖ LP(id of the device to distrust) ‖ u64 count ‖ LP(id of the device that signs)
package struct Distrust: Statement {
    package var host: KeyID
    package var distrusted: KeyID
    package var count: Int64
    package var device: KeyID

    package init(host: KeyID, distrusted: KeyID, count: Int64, device: KeyID) {
        self.host = host
        self.distrusted = distrusted
        self.count = count
        self.device = device
    }

    init(body: [UInt8]) throws(ConsentError) {
        var reader = StatementReader(body, of: "distrust")
        try reader.domain("distrust")
        host = try reader.fixed("host")
        distrusted = try reader.fixed("distrusted")
        count = try reader.count("count")
        device = try reader.fixed("device")
        try reader.end()
    }

    package var number: Int64 { count }

    package var bytes: [UInt8] {
        var writer = StatementWriter(domain: "distrust")
        writer.part(host)
        writer.part(distrusted)
        writer.number(UInt64(count))
        writer.part(device)
        return writer.bytes
    }
}
