internal import Consent
internal import RelayProtocol

/// The devices at each host that a person has read of here. Any other is announced as new.
///
/// `{"version":1,"hosts":[{"id","devices":[id]}]}`
struct KnownDevices: Sendable, Equatable {
    /// Number of devices kept for each host, removed ones included. Any beyond it are announced again.
    static let devicesMax = 256
    static let fileBytesMax = 1 << 20
    private static let version: Int64 = 1

    private(set) var hosts: [KeyID: Set<KeyID>] = [:]

    init(_ hosts: [KeyID: Set<KeyID>] = [:]) { self.hosts = hosts }

    init(parsing bytes: [UInt8]) throws(ConsentError) {
        let file = try JSONValue.file(bytes, bytesMax: Self.fileBytesMax, version: Self.version)
        do throws(WireError) {
            for entry in try file.array("hosts", countMax: HostBook.hostsMax) {
                var devices: Set<KeyID> = []
                for device in try entry.object().array("devices", countMax: Self.devicesMax) {
                    devices.insert(try device.fixed())
                }
                hosts[try entry.fixed("id")] = devices
            }
        } catch { throw ConsentError(error) }
    }

    var bytes: [UInt8] {
        JSONWriter.object { file in
            file.field("version", Self.version)
            file.array(
                "hosts",
                hosts.sorted { $0.key.text < $1.key.text }.map { host, devices in
                    JSONWriter.object {
                        $0.field("id", host.text)
                        $0.strings("devices", Array(devices.map(\.text).sorted().prefix(Self.devicesMax)))
                    }
                })
        }
    }
}
