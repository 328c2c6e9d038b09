import Consent

extension ConsentCrypto {
    /// Replaces cryptography by hashes that only distinguish bytes and protect nothing. A private key is one that only its owner's
    /// code uses.
    static let simulated = ConsentCrypto(
        sha256: SimulatedHash.bytes, hmacSHA256: { bytes, key in SimulatedHash.bytes(key + [0] + bytes) },
        verify: { signature, bytes, point in signature == SimulatedKeys.signature(bytes, point) }, isOnCurve: { _ in true },
        seal: { text, key, nonce, bound in
            veiled(text, key, nonce) + SimulatedHash.bytes(key + nonce + bound + text).prefix(tagBytes)
        },
        open: { sealed, key, nonce, bound in
            let text = veiled(sealed.dropLast(tagBytes), key, nonce)
            return SimulatedHash.bytes(key + nonce + bound + text).prefix(tagBytes) == sealed.suffix(tagBytes) ? text : nil
        })

    /// Encrypts and decrypts: applied twice it gives the text again.
    private static func veiled(_ text: some Collection<UInt8>, _ key: [UInt8], _ nonce: [UInt8]) -> [UInt8] {
        let veil = SimulatedHash.bytes(key + nonce)
        return text.enumerated().map { $0.element ^ veil[$0.offset % veil.count] }
    }
}

enum SimulatedKeys {
    static func identity(_ name: String) -> ConsentIdentity {
        let sign = point("sign \(name)")
        guard let signing = SigningPoint(sign), let box = BoxPoint(point("box \(name)")) else {
            preconditionFailure("a point has 65 bytes and begins with a 4")
        }
        return ConsentIdentity(sign: signing, box: box, .simulated) {
            signature($0, sign)
        } agreement: {
            // Symmetric, so that both sides get the same secret.
            zip(box.bytes, $0.bytes).map { $0 ^ $1 }
        }
    }

    fileprivate static func signature(_ bytes: [UInt8], _ point: [UInt8]) -> [UInt8] {
        let half = SimulatedHash.bytes(point + bytes)
        return half + half.reversed()
    }

    private static func point(_ name: String) -> [UInt8] {
        let half = SimulatedHash.bytes(Array(name.utf8))
        return [4] + half + half.reversed()
    }

    /// Bytes that depend only on the text.
    static func fixed<Form>(_ text: String) -> FixedBytes<Form> {
        guard let value = FixedBytes<Form>(Array(SimulatedHash.bytes(Array(text.utf8)).prefix(Form.count))) else {
            preconditionFailure("these are any \(Form.count) bytes")
        }
        return value
    }
}
