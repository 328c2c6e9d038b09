internal import Consent
internal import RelayProtocol

/// The wrapped keys of each host's newest epochs for this device, so that alerts can be opened without a connection. Only this
/// device's key unwraps them.
///
/// `{"version":1,"hosts":[{"id","wraps":[{"epoch","wrap"}]}]}`
struct KeptWraps: Sendable, Equatable {
    /// Epochs kept for each host: an alert uses the newest, or an earlier one if it was sent before a device was removed.
    static let epochsMax = 4
    /// Size of a file with all hosts of a `HostBook`.
    static let fileBytesMax = 64 << 10
    private static let version: Int64 = 1

    struct Wrap: Sendable, Equatable {
        let epoch: EpochNumber
        let bytes: [UInt8]
    }

    private(set) var hosts: [KeyID: [Wrap]] = [:]

    init() {}

    /// Picks this device's wraps from those that hosts offer to all devices.
    init(_ offers: [KeyID: [KeyWrap]], for device: KeyID) {
        for (host, wraps) in offers {
            let own = wraps.filter { $0.device.rawValue == device.text }.sorted { $0.epoch > $1.epoch }
            let kept = own.prefix(Self.epochsMax).compactMap { wrap in
                Base64URL.bytes(wrap.wrap).map { Wrap(epoch: EpochNumber(wrap.epoch), bytes: $0) }
            }
            if !kept.isEmpty { hosts[host] = kept }
        }
    }

    init(parsing bytes: [UInt8]) throws(ConsentError) {
        let file = try JSONValue.file(bytes, bytesMax: Self.fileBytesMax, version: Self.version)
        do throws(WireError) {
            for entry in try file.array("hosts", countMax: HostBook.hostsMax) {
                var wraps: [Wrap] = []
                for wrap in try entry.object().array("wraps", countMax: Self.epochsMax) {
                    let epoch = try wrap.object().integer("epoch", in: 1...Int64(EpochNumber.max))
                    guard let bytes = Base64URL.bytes(try wrap.string("wrap")) else {
                        throw WireError(.badValue, at: wrap.path + ".wrap", "base64url")
                    }
                    wraps.append(Wrap(epoch: EpochNumber(epoch), bytes: bytes))
                }
                hosts[try entry.fixed("id")] = wraps
            }
        } catch { throw ConsentError(error) }
    }

    var bytes: [UInt8] {
        JSONWriter.object { file in
            file.field("version", Self.version)
            file.array(
                "hosts",
                hosts.sorted { $0.key.text < $1.key.text }.map { host, wraps in
                    JSONWriter.object { entry in
                        entry.field("id", host.text)
                        entry.array(
                            "wraps",
                            wraps.map { wrap in
                                JSONWriter.object {
                                    $0.field("epoch", Int64(wrap.epoch))
                                    $0.field("wrap", Base64URL.text(wrap.bytes))
                                }
                            })
                    }
                })
        }
    }
}
