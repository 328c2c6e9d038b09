internal import HeliographCrypto
internal import HeliographHook
internal import RelayAccess
internal import RelayProtocol

/// The token with which this machine asks to be paired, kept in `pairing.json` until it is: a link works once, and if the answer is lost, the
/// same link and token get it again.
enum PairingAttempt {
    private static let bytesMax = 4 << 10

    private static func file(_ paths: HostPaths) -> String { paths.configDirectory + "/pairing.json" }

    static func digest(of link: PairingLink) -> String { Crypto.hex(Crypto.sha256("\(link.relay)/#host=\(link.code)")) }

    static func token(for link: PairingLink, _ paths: HostPaths) throws(HostError) -> String {
        let link = digest(of: link)
        let path = file(paths)
        return try Files.edit(in: paths.configDirectory) { () throws(HostError) in
            if let bytes = try Files.read(path, bytesMax: bytesMax), let kept = try? JSONDocument(parsing: bytes).root.object(),
                (try? kept.string("link")) == link, let token = try? kept.string("token")
            {
                return token
            }
            let token = Secret.token(prefix: "hgh_")
            let bytes = JSONWriter.object {
                $0.field("link", link)
                $0.field("token", token)
            }
            try Files.replace(path, with: bytes + [UInt8(ascii: "\n")])
            return token
        }
    }

    static func end(_ paths: HostPaths) throws(HostError) { try Files.remove(file(paths)) }
}
