/// A host trusts the newcomer now, at the word of the device that writes this: the keys by which the newcomer knows that host.
///
/// domain("introduce") ‖ LP(SHA-256(body of the join)) ‖ LP(voucher's sign) ‖ LP(host sign) ‖ LP(host box) ‖ LP(host name) ‖ u64 hosts
package struct Introduction: Sendable, Equatable {
    package var join: ConsentHash
    /// The voucher's.
    package var sign: SigningPoint
    package var hostSign: SigningPoint
    package var hostBox: BoxPoint
    package var hostName: String
    /// Number of hosts that the newcomer is brought to, as far as is known by now: it has been answered when it knows as many.
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
