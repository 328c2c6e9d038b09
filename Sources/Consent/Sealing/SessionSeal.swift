package import RelayProtocol

/// The key of one session in one epoch.
///
/// `C = HKDF(epoch key, domain("session") ‖ LP(host) ‖ LP(session) ‖ u32 epoch)`
package struct SessionSeal: Sendable {
    package let epoch: EpochNumber
    private let key: [UInt8]
    private let host: KeyID
    private let session: String
    private let crypto: ConsentCrypto

    package init(
        of session: SessionID, host: KeyID, _ epochKey: EpochKey, epoch: EpochNumber, _ crypto: ConsentCrypto
    ) {
        var info = StatementWriter(domain: "session")
        info.part(host)
        info.part(session.rawValue)
        info.number(epoch)
        key = crypto.hkdf(epochKey.bytes, info: info.bytes)
        (self.epoch, self.host, self.session, self.crypto) = (epoch, host, session.rawValue, crypto)
    }

    /// `number` is the event's, and needed for an event or a line only.
    package func seal(_ text: [UInt8], as purpose: SealedPurpose, number: Int64 = 0, nonce: SealingNonce) -> Sealed {
        let bound = purpose.bound(to: host, session, epoch: epoch, number: number)
        return Sealed(
            purpose.form, epoch: epoch, number: number, nonce: nonce, ciphertext: crypto.seal(text, key, nonce.bytes, bound))
    }

    package func open(_ sealed: Sealed, as purpose: SealedPurpose) throws(ConsentError) -> [UInt8] {
        let bound = purpose.bound(to: host, session, epoch: epoch, number: sealed.number)
        guard sealed.form == purpose.form, sealed.epoch == epoch,
            let text = crypto.open(sealed.ciphertext, key, sealed.nonce.bytes, bound)
        else { throw ConsentError(.notAuthentic, at: "sealed", "this was changed, or sealed for another place") }
        return text
    }

    /// Words or a screen, as a field of text has them.
    package func openText(_ sealed: Sealed, as purpose: SealedPurpose) throws(ConsentError) -> String {
        guard let text = String(validating: try open(sealed, as: purpose), as: UTF8.self) else {
            throw ConsentError(.badText, at: "sealed", "what is sealed is not UTF-8")
        }
        return text
    }
}
