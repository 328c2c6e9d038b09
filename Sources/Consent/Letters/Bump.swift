/// A device says its count again to a host whose file was restored. The host's present generation, which it gets with a refusal, keeps an
/// old one from being said again.
///
/// domain("bump") ‖ LP(host) ‖ LP(generation 16) ‖ u64 count ‖ LP(device)
package struct Bump: Statement {
    package var host: KeyID
    package var generation: Generation
    /// The highest count that the device has used. Any statement with this or a lower count is void from here on.
    package var count: Int64
    package var device: KeyID

    package init(host: KeyID, generation: Generation, count: Int64, device: KeyID) {
        self.host = host
        self.generation = generation
        self.count = count
        self.device = device
    }

    init(body: [UInt8]) throws(ConsentError) {
        var reader = StatementReader(body, of: "bump")
        try reader.domain("bump")
        host = try reader.fixed("host")
        generation = try reader.fixed("generation")
        count = try reader.count("count")
        device = try reader.fixed("device")
        try reader.end()
    }

    package var number: Int64 { count }

    package var bytes: [UInt8] {
        var writer = StatementWriter(domain: "bump")
        writer.part(host)
        writer.part(generation)
        writer.number(UInt64(count))
        writer.part(device)
        return writer.bytes
    }
}
