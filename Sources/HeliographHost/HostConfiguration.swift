internal import Glibc
package import HeliographHook
internal import HostCore
package import RelayAccess
package import RelayProtocol

/// The configuration of a daemon.
///
/// `host.json` in the configuration directory, readable by its owner only, holds what pairing made of it:
///
/// | key | type | meaning |
/// |---|---|---|
/// | `relay` | string | the relay's address, `https://…` |
/// | `token` | string | this host's secret |
/// | `name` | string | what people know this machine by; default: the machine's own name |
/// | `pairedBy` | string | SHA-256 of the link that paired it; optional |
/// | `certificateAuthority` | string | a PEM file that is trusted besides the system's authorities; optional |
/// | `consent` | string | `signed`: only what a device that this host trusts has signed reaches an agent; `open`: what the relay brings. Default: `open`, which is what hosts of earlier versions are |
/// | `content` | string | `sealed`: only these devices read what its agents say and do, which needs `consent` to be `signed`; `open`: whoever has the relay's data. Default: `open`, which is what hosts of earlier versions are |
package struct HostConfiguration: Sendable {
    package var relay: RelayAddress
    package var token: String
    package var name: String?
    /// SHA-256 of the link that it was paired by; nil: by an earlier version.
    var pairedBy: String?
    package var certificateAuthorityFile: String?
    var consent = ConsentSetting.open
    var content = ContentSetting.open
    /// The folder of the spool, the lock and the socket; each daemon has its own.
    package var stateDirectory: String
    package var socketPath: String
    /// The home folder that cards show as `~`.
    package var home: String
    /// The program's name in `hello`.
    package var software = "heliograph-host"
    /// Clients that may steer this host's sessions, if the relay permits it as well.
    var steering = SteeringRights.everyone
    var spool = SpoolLimits()
    var link = LinkLimits()

    /// The folders from which this was read, and in which the host's keys are.
    let paths: HostPaths

    package init(relay: RelayAddress, token: String, paths: HostPaths = HostPaths()) {
        self.paths = paths
        self.relay = relay
        self.token = token
        stateDirectory = paths.stateDirectory
        socketPath = paths.socket
        home = paths.home
    }

    /// Sets the clients that may steer. Nil: all that the relay permits; an empty set: nobody.
    package mutating func steer(by clients: Set<ClientID>?) {
        steering = clients.map { $0.isEmpty ? .nobody : .only($0) } ?? .everyone
    }

    /// The machine's name up to the first dot: people do not call their laptop by its domain.
    static func machineName() -> String {
        let bytes = unsafe [CChar](unsafeUninitializedCapacity: 256) { buffer, count in
            count = unsafe gethostname(buffer.baseAddress!, 255) == 0 ? 255 : 0
        }
        let name = bytes.prefix { $0 != 0 && $0 != 46 }.map { UInt8(bitPattern: $0) }
        let text = TextCut.line(String(decoding: name, as: UTF8.self), bytesMax: WireLimits.nameBytesMax)
        return text.isEmpty ? "host" : text
    }

    // MARK: File

    private static let fileBytesMax = 64 << 10

    package static func file(_ paths: HostPaths) -> String { paths.configDirectory + "/host.json" }

    /// Reads the file that pairing wrote.
    package static func load(_ paths: HostPaths = HostPaths()) throws(HostError) -> HostConfiguration {
        let path = file(paths)
        guard let bytes = try Files.read(path, bytesMax: fileBytesMax) else {
            throw HostError(
                .notPaired, "this machine is not paired: heliograph host LINK, with the link that the relay shows for a host")
        }
        do {
            let value = try JSONDocument(parsing: bytes).root.object()
            let token = try value.string("token")
            guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw HostError(.badConfiguration, "\(path): the token is not one")
            }
            guard let relay = RelayAddress(try value.string("relay")) else {
                throw HostError(.badConfiguration, "\(path): the relay's address is not one")
            }
            var configuration = HostConfiguration(relay: relay, token: token, paths: paths)
            configuration.name = try value.optionalString("name", bytesMax: WireLimits.nameBytesMax)
            configuration.pairedBy = try value.optionalString("pairedBy", bytesMax: WireLimits.nameBytesMax)
            configuration.certificateAuthorityFile = try value.optionalString("certificateAuthority")
            if value.optional("consent") != nil { configuration.consent = try value.word("consent") }
            if value.optional("content") != nil { configuration.content = try value.word("content") }
            try configuration.check()
            return configuration
        } catch let error as HostError {
            throw error
        } catch {
            // The error's own text is not used, because it could quote the token.
            throw HostError(.badConfiguration, "\(path) is not as it must be: {\"relay\":…,\"token\":…,\"name\":…}")
        }
    }

    package static let consentWords = ConsentSetting.allCases.map(\.rawValue)

    package static let contentWords = ContentSetting.allCases.map(\.rawValue)

    /// Saves the configuration. Words other than `consentWords` or `contentWords` change nothing. Throws, and saves nothing, if the
    /// two do not go together. `isNew`: the machine was paired for the first time; without a word, its content then follows its
    /// consent.
    package mutating func keep(
        consent: String?, content: String?, isNew: Bool = false, _ paths: HostPaths = HostPaths()
    ) throws(HostError) {
        var changed = self
        changed.consent = consent.flatMap { ConsentSetting(rawValue: $0) } ?? changed.consent
        if isNew, changed.consent == .open { changed.content = .open }
        changed.content = content.flatMap { ContentSetting(rawValue: $0) } ?? changed.content
        try changed.check()
        guard changed.consent != self.consent || changed.content != self.content else { return }
        try changed.save(paths)
        self = changed
    }

    private func check() throws(HostError) {
        guard content == .sealed, consent == .open else { return }
        throw HostError(
            .badConfiguration,
            "sealed content needs signed consent: there are no other devices to seal it for. Either --consent signed, or --content open"
        )
    }

    package func save(_ paths: HostPaths = HostPaths()) throws(HostError) {
        let bytes = JSONWriter.object {
            $0.field("relay", relay.description)
            $0.field("token", token)
            $0.field("name", name)
            $0.field("pairedBy", pairedBy)
            $0.field("certificateAuthority", certificateAuthorityFile)
            $0.field("consent", consent.rawValue)
            $0.field("content", content.rawValue)
        }
        // Two pairings at once would write to the same draft of the file.
        try Files.edit(in: paths.configDirectory) { () throws(HostError) in
            try Files.replace(Self.file(paths), with: bytes + [UInt8(ascii: "\n")])
        }
    }
}
