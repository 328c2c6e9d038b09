internal import RelayProtocol

extension PasskeyProof {
    private enum Flag {
        static let present: UInt8 = 0x01
        static let verified: UInt8 = 0x04
    }

    /// Nil if one of the passkeys has confirmed the statement, and has verified the person.
    ///
    /// The counter is not compared: passkeys that several devices share have none, and a proof fits one statement.
    package func problem(of statement: [UInt8], by passkeys: [Passkey], _ crypto: ConsentCrypto) -> ConsentRefusal? {
        guard !passkeys.isEmpty else { return .passkeyUnknown }
        guard let said = try? JSONDocument(parsing: client).root.object(), (try? said.string("type")) == "webauthn.get",
            (try? said.string("challenge")) == Base64URL.text(crypto.sha256(statement)),
            let origin = try? said.string("origin"), (try? said.flag("crossOrigin")) == false
        else { return .passkeyWrong }
        let there = passkeys.filter { $0.origin.text == origin }
        guard let place = there.first?.origin else { return .passkeyUnknown }
        guard Array(authenticator.prefix(32)) == crypto.sha256(Array(place.host.utf8)) else { return .passkeyWrong }
        let signed = authenticator + crypto.sha256(client)
        guard there.contains(where: { crypto.verify(signature, signed, $0.sign.bytes) }) else { return .passkeyUnknown }
        let flags = Flag.present | Flag.verified
        return authenticator[32] & flags == flags ? nil : .passkeyNotVerified
    }
}
