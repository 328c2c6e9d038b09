internal import HeliographCrypto
package import HeliographHook
internal import HostCore
package import RelayAccess
internal import RelayProtocol

/// The unfinished `heliograph join` at a relay with open registration, kept in `join.json` until this machine trusts a device: run again,
/// the command goes on with the same workspace, and shows its link again.
package struct RelayJoin {
    private static let bytesMax = 4 << 10

    private let paths: HostPaths
    package let relay: RelayAddress
    /// Names the workspace for the relay.
    package private(set) var key: String
    /// Once the relay has given it, for as long as its codes work.
    package private(set) var invitation: InvitationLink?
    private var expiresAt: Int64 = 0

    private static func file(_ paths: HostPaths) -> String { paths.configDirectory + "/join.json" }

    /// The one that was cut off; nil if there is none at this relay.
    package static func unfinished(at relay: RelayAddress, _ paths: HostPaths = HostPaths()) throws(HostError) -> RelayJoin? {
        guard let bytes = try Files.read(file(paths), bytesMax: bytesMax),
            let kept = try? JSONDocument(parsing: bytes).root.object(), let key = try? kept.string("key"),
            let known = (try? kept.string("relay")).flatMap({ RelayAddress($0) }), known == relay
        else { return nil }
        guard !ConsentFiles(paths).hasDevices else {
            try Files.remove(file(paths))
            return nil
        }
        var join = RelayJoin(paths: paths, relay: relay, key: key)
        if let invitation = (try? kept.string("invitation")).flatMap({ InvitationLink($0) }),
            let expiresAt = try? kept.integer("expiresAt"), HostInstant.now.wall < expiresAt
        {
            (join.invitation, join.expiresAt) = (invitation, expiresAt)
        }
        return join
    }

    private init(paths: HostPaths, relay: RelayAddress, key: String) {
        (self.paths, self.relay, self.key) = (paths, relay, key)
    }

    /// Another one, on disk when this returns.
    package init(beginningAt relay: RelayAddress, _ paths: HostPaths = HostPaths()) throws(HostError) {
        self.init(paths: paths, relay: relay, key: Secret.token(prefix: ""))
        try save()
    }

    package mutating func take(_ codes: RegistrationRequest.Result) throws(HostError) -> InvitationLink {
        let given = InvitationLink(relay: relay, codes)
        (invitation, expiresAt) = (given, codes.expiresAt)
        try save()
        return given
    }

    private func save() throws(HostError) {
        let bytes = JSONWriter.object {
            $0.field("relay", relay.description)
            $0.field("key", key)
            $0.field("invitation", invitation?.text)
            $0.field("expiresAt", invitation == nil ? nil : expiresAt)
        }
        try Files.makePrivateDirectory(paths.configDirectory)
        try Files.edit(in: paths.configDirectory) { () throws(HostError) in
            try Files.replace(Self.file(paths), with: bytes + [UInt8(ascii: "\n")])
        }
    }
}
