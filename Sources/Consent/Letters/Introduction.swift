/// Tells a newcomer that a host trusts it now, vouched for by the device that writes this, and gives it that host's keys.
///
/// domain("introduce") ‖ LP(SHA-256(body of the join)) ‖ LP(voucher's sign) ‖ LP(host sign) ‖ LP(host box) ‖ LP(host name) ‖ u64
/// hosts
package struct Introduction: Sendable, Equatable {
    package var join: ConsentHash
    /// The voucher's signing point.
    package var sign: SigningPoint
    package var hostSign: SigningPoint
    package var hostBox: BoxPoint
    package var hostName: String
    /// Number of hosts that the newcomer is introduced to, as far as known. It has a complete answer when it has as many
    /// introductions.
    package var hosts: Int64

    package init(join: ConsentHash, sign: SigningPoint, host: HostPin, hosts: Int64) {
        self.join = join
        self.sign = sign
        hostSign = host.sign
        hostBox = host.box
        hostName = host.name
        self.hosts = hosts
    }

    init(body: [UInt8]) throws(ConsentError) {
        var reader = StatementReader(body, of: "introduce")
        try reader.domain("introduce")
        join = try reader.fixed("join")
        sign = try reader.fixed("sign")
        hostSign = try reader.fixed("hostSign")
        hostBox = try reader.fixed("hostBox")
        hostName = try reader.name("hostName")
        hosts = try reader.count("hosts")
        try reader.end()
    }

    package var body: [UInt8] {
        var writer = StatementWriter(domain: "introduce")
        writer.part(join)
        writer.part(sign)
        writer.part(hostSign)
        writer.part(hostBox)
        writer.part(hostName)
        writer.number(UInt64(hosts))
        return writer.bytes
    }
}
