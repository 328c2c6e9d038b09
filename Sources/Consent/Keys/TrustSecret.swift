/// What a host's terminal shows and the relay never gets: `k` in the fragment of a link, or pasted.
package struct TrustSecret: Hashable, Sendable {
    /// Who is to be trusted by it.
    package enum Scope: Hashable, Sendable {
        /// The host of this identity alone.
        case host(KeyID)
        /// Any host that proves that it knows the secret.
        case machine
    }

    package let scope: Scope
    /// 32 random bytes.
    package let secret: ConsentHash

    package init(_ scope: Scope, secret: ConsentHash) {
        self.scope = scope
        self.secret = secret
    }

    /// Nil unless it is base64url of 0x01 ‖ host id ‖ secret, or 0x02 ‖ secret.
    package init?(text: some StringProtocol) {
        guard text.utf8.count <= Self.textBytesMax, let bytes = Base64URL.bytes(text) else { return nil }
        switch bytes.first {
        case 1 where bytes.count == 1 + KeyID.count + ConsentHash.count:
            guard let host = KeyID(Array(bytes[1...KeyID.count])) else { return nil }
            scope = .host(host)
        case 2 where bytes.count == 1 + ConsentHash.count: scope = .machine
        default: return nil
        }
        guard let secret = ConsentHash(Array(bytes.suffix(ConsentHash.count))) else { return nil }
        self.secret = secret
    }

    package var text: String {
        switch scope {
        case .host(let host): Base64URL.text([1] + host.bytes + secret.bytes)
        case .machine: Base64URL.text([2] + secret.bytes)
        }
    }

    /// 49 bytes in base64url; what is longer is not decoded.
    private static let textBytesMax = 66

    /// False if the secret is for another host.
    package func isFor(_ host: KeyID) -> Bool {
        switch scope {
        case .host(let named): named == host
        case .machine: true
        }
    }

    /// Key of the tags of `join` and `admit` with this host.
    package func pairKey(with host: KeyID, _ crypto: ConsentCrypto) -> [UInt8] {
        crypto.hkdf(secret.bytes, info: StatementWriter.prefix("pair") + host.bytes)
    }

    /// Name under which a host remembers that the secret was used.
    package func usedName(_ crypto: ConsentCrypto) -> ConsentHash {
        crypto.hash(StatementWriter.prefix("used") + secret.bytes)
    }
}
