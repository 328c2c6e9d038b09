import Consent
import ConsentKeys
import RelayProtocol

/// A passkey in software, as a browser uses it.
struct Authenticator {
    let keys = ConsentIdentity.new()
    var origin = "https://relay.example"
    /// The person was there, and the device has verified them.
    var flags: UInt8 = 0x05

    var passkey: Passkey { Passkey(sign: keys.sign, origin: PasskeyOrigin(origin)!, since: 3) }

    func proof(
        over statement: [UInt8], type: String = "webauthn.get", relyingParty: String = "relay.example",
        isCrossOrigin: Bool = false
    ) -> PasskeyProof {
        let client = JSONWriter.object {
            $0.field("type", type)
            $0.field("challenge", Base64URL.text(crypto.sha256(statement)))
            $0.field("origin", origin)
            $0.flag("crossOrigin", isCrossOrigin)
        }
        let authenticator = crypto.sha256(Array(relyingParty.utf8)) + [flags, 0, 0, 0, 0]
        return PasskeyProof(
            authenticator: authenticator, client: client, signature: keys.signature(authenticator + crypto.sha256(client)))!
    }
}
