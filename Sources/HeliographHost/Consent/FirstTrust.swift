internal import Consent
internal import ConsentKeys
package import HeliographHook
internal import HostCore
internal import RelayProtocol

/// Secrets in links that a relay shows on the machine of its hosts. Each signed host of this user lets one device join with each,
/// so that the first scan pairs with the relay and with the hosts beside it.
///
/// `first-trust` in the configuration directory, readable only by its owner: `{"secrets":[{"secret","until"}]}`, oldest first,
/// times in milliseconds since 1970.
package struct FirstTrust {
    /// Validity of a link while no host is set up here: the device scans first, and the host joins the relay later.
    private static let beforeHost = Duration.seconds(24 * 60 * 60)
    /// Validity of a link that stands beside a pairing code, and of that code.
    private static let withHost = Duration.seconds(600)

    /// Links with which devices may still join; the oldest is dropped. Fewer than `TrustLimits.secretsMax`, because the terminal
    /// shows one too.
    private static let secretsMax = 6
    private static let bytesMax = 4 << 10

    struct Shown {
        let secret: TrustSecret
        /// The end of its validity, by the wall clock.
        let end: Int64
    }

    private let paths: HostPaths
    private var path: String { paths.configDirectory + "/first-trust" }

    package init(_ paths: HostPaths = HostPaths()) { self.paths = paths }

    /// True if the host that is set up here, or one that will be, requires signatures.
    package var isUseful: Bool {
        guard hasHost else { return ConsentSetting.ofNewHosts == .signed }
        return (try? HostConfiguration.load(paths))?.consent == .signed
    }

    /// True if there is a link with which a device may still join.
    package var isShown: Bool { !kept(at: .now).isEmpty }

    /// Makes a link's secret, its parameter `k`. Those of earlier links stay valid until they expire.
    package func show() throws(HostError) -> String {
        let time = hasHost ? Self.withHost : Self.beforeHost
        // Two commands may show links at once.
        return try Files.edit(in: paths.configDirectory) { () throws(HostError) in
            let shown = Shown(
                secret: TrustSecret(.machine, secret: .random()), end: HostInstant.now.wall + time.milliseconds)
            let all = (kept(at: .now) + [shown]).suffix(Self.secretsMax)
            let bytes = JSONWriter.object { file in
                file.array(
                    "secrets",
                    all.map { one in
                        JSONWriter.object {
                            $0.field("secret", one.secret.text)
                            $0.field("until", one.end)
                        }
                    })
            }
            try Files.replace(path, with: bytes + [UInt8(ascii: "\n")])
            return shown.secret.text
        }
    }

    package var hasHost: Bool { Files.isThere(HostConfiguration.file(paths)) }

    /// The secrets that have not expired, each with its end on the monotonic clock.
    func current(at now: HostInstant) -> [(secret: TrustSecret, until: Int64)] {
        // If the clock was set back, no secret lasts longer than the longest validity.
        kept(at: now).map { ($0.secret, now.monotonic + min($0.end - now.wall, Self.beforeHost.milliseconds)) }
    }

    /// The stored secrets; none if the file cannot be read.
    private func kept(at now: HostInstant) -> [Shown] {
        guard let bytes = (try? Files.read(path, bytesMax: Self.bytesMax)) ?? nil,
            let entries = try? JSONDocument(parsing: bytes).root.object().array("secrets", countMax: Self.secretsMax)
        else { return [] }
        return entries.compactMap { entry in
            guard let secret = (try? entry.object().string("secret")).flatMap({ TrustSecret(text: $0) }),
                secret.scope == .machine, let end = try? entry.integer("until"), end > now.wall
            else { return nil }
            return Shown(secret: secret, end: end)
        }
    }
}
