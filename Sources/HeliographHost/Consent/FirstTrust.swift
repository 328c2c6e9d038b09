internal import Consent
internal import ConsentKeys
package import HeliographHook
internal import HostCore
internal import RelayProtocol

/// The secret in a link that a relay shows on the machine of its hosts: each signed host of this user lets one device join with it. So the
/// first scan pairs with the relay and with the hosts beside it.
///
/// `first-trust` in the configuration directory, readable by its owner only: `{"secret","until"}`, the time in milliseconds since 1970.
package struct FirstTrust {
    /// As long as no host is set up here: the device scans first, and the host joins the relay later.
    private static let beforeHost = Duration.seconds(24 * 60 * 60)
    /// As long as the pairing code beside it.
    private static let withHost = Duration.seconds(600)

    private static let bytesMax = 4 << 10

    private let paths: HostPaths
    private var path: String { paths.configDirectory + "/first-trust" }

    package init(_ paths: HostPaths = HostPaths()) { self.paths = paths }

    /// True if a host that is set up here, or one that will be, asks for signatures.
    package var isUseful: Bool {
        guard hasHost else { return ConsentSetting.ofNewHosts == .signed }
        return (try? HostConfiguration.load(paths))?.consent == .signed
    }

    /// `k` of a link. An earlier secret is replaced: the link that had it pairs with the relay alone from now on.
    package func show() throws(HostError) -> String {
        let time = hasHost ? Self.withHost : Self.beforeHost
        try Files.makePrivateDirectory(paths.configDirectory)
        let secret = TrustSecret(.machine, secret: .random())
        let bytes = JSONWriter.object {
            $0.field("secret", secret.text)
            $0.field("until", HostInstant.now.wall + time.milliseconds)
        }
        try Files.replace(path, with: bytes + [UInt8(ascii: "\n")])
        return secret.text
    }

    private var hasHost: Bool { Files.isThere(HostConfiguration.file(paths)) }

    /// Nil if there is none, or its time is over. `until` is by the clock that never jumps.
    func current(at now: HostInstant) -> (secret: TrustSecret, until: Int64)? {
        guard let bytes = (try? Files.read(path, bytesMax: Self.bytesMax)) ?? nil,
            let value = try? JSONDocument(parsing: bytes).root.object(),
            let secret = (try? value.string("secret")).flatMap({ TrustSecret(text: $0) }), secret.scope == .machine,
            let end = try? value.integer("until"), end > now.wall
        else { return nil }
        // A clock that was set back makes it last no longer than it ever may.
        return (secret, now.monotonic + min(end - now.wall, Self.beforeHost.milliseconds))
    }
}
