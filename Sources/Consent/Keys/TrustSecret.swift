package import RelayProtocol

/// The secret that a host's terminal, or a device that vouches, shows and the relay never gets: `k` in the fragment of a link, or pasted.
package struct TrustSecret: Hashable, Sendable {
    /// The hosts that trust the device that shows this secret.
    package enum Scope: Hashable, Sendable {
        /// The host of this identity alone.
        case host(KeyID)
        /// Any host that proves that it knows the secret.
        case machine
        /// Hosts at which the device with this key vouches, and the relay's name of that device.
        case device(KeyID, ClientID)
    }

    package let scope: Scope
    /// 32 random bytes.
    package let secret: ConsentHash

    package init(_ scope: Scope, secret: ConsentHash) {
        self.scope = scope
        self.secret = secret
    }

    /// Nil unless it is base64url of 0x01 ‖ host id ‖ secret, 0x02 ‖ secret, or 0x03 ‖ device id ‖ secret ‖ client.
    package init?(text: some StringProtocol) {
        guard text.utf8.count <= Self.textBytesMax, let bytes = Base64URL.bytes(text) else { return nil }
        switch bytes.first {
        case 1 where bytes.count == 1 + KeyID.count + ConsentHash.count:
            guard let host = KeyID(Array(bytes[1...KeyID.count])) else { return nil }
            self.init(.host(host), bytes.suffix(ConsentHash.count))
        case 2 where bytes.count == 1 + ConsentHash.count: self.init(.machine, bytes.suffix(ConsentHash.count))
        case 3 where bytes.count > Self.deviceHeadBytes:
            guard let device = KeyID(Array(bytes[1...KeyID.count])),
                let name = String(validating: bytes[Self.deviceHeadBytes...], as: UTF8.self), let client = ClientID(name)
            else { return nil }
            self.init(.device(device, client), bytes[(1 + KeyID.count)..<Self.deviceHeadBytes])
        default: return nil
        }
    }

    /// By a link with `k=…` behind its `#`, or by that part alone, as pasted.
    package init?(link: String) {
        let pasted = (Self.text(in: link) ?? link[...]).drop { $0.isWhitespace }.prefix { !$0.isWhitespace }
        self.init(text: pasted)
    }

    /// The `k` of a link; nil if it has none.
    package static func text(in link: String) -> Substring? {
        link.split(separator: "#").last?.split(separator: "&").first { $0.hasPrefix("k=") }?.dropFirst(2)
    }

    private init?(_ scope: Scope, _ secret: some Sequence<UInt8>) {
        guard let secret = ConsentHash(Array(secret)) else { return nil }
        self.init(scope, secret: secret)
    }

    package var text: String {
        switch scope {
        case .host(let host): Base64URL.text([1] + host.bytes + secret.bytes)
        case .machine: Base64URL.text([2] + secret.bytes)
        case .device(let device, let client):
            Base64URL.text([3] + device.bytes + secret.bytes + Array(client.rawValue.utf8))
        }
    }

    private static let deviceHeadBytes = 1 + KeyID.count + ConsentHash.count
    /// With an identifier of 64 bytes, 113 bytes in base64url; what is longer is not decoded.
    private static let textBytesMax = 151

    package var isOfDevice: Bool { if case .device = scope { true } else { false } }

    /// False if the secret is for another host or device.
    package func isFor(_ host: KeyID) -> Bool {
        switch scope {
        case .host(let named): named == host
        case .machine: true
        case .device(let device, _): device == host
        }
    }

    /// Key for the tags of letters exchanged with this host or device.
    package func pairKey(with host: KeyID, _ crypto: ConsentCrypto) -> [UInt8] {
        crypto.hkdf(secret.bytes, info: StatementWriter.prefix("pair") + host.bytes)
    }

    /// Name under which a host remembers that the secret was used.
    package func usedName(_ crypto: ConsentCrypto) -> ConsentHash {
        crypto.hash(StatementWriter.prefix("used") + secret.bytes)
    }
}
