package import Consent
package import RelayProtocol

extension ShownText {
    /// The statement to sign for this decision. `now` is in milliseconds since 1970.
    package func statement(
        _ verdict: Decision.Verdict, by device: KeyID, at now: Int64, _ crypto: ConsentCrypto
    ) -> DecisionStatement {
        DecisionStatement(
            host: host, session: session, approval: request.approval, shown: hash(crypto), digest: request.digest,
            verdict: verdict, issuedAt: now, device: device, crypto)
    }
}
