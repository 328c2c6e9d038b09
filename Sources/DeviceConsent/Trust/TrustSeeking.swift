package import Consent
package import RelayProtocol

/// A device's attempt to be trusted by the hosts of a link: a join for each, sent again until it is answered.
package struct TrustSeeking: Sendable {
    package enum Outcome: Sendable, Equatable {
        case trusted(HostPin)
        /// Refused by that host, or by the device that shows the link.
        case refused(Refusal.Reason)
        /// A host of another machine than the link's: those are asked, too.
        case notConcerned
        /// The letter is no answer of that peer to this join.
        case ignored(ConsentError)
    }

    package let secret: TrustSecret
    private var open: [LetterPeer: JoinAttempt] = [:]
    package private(set) var trusted: [HostPin] = []

    /// `name` is the device's, spelled as `ConsentName` says; `nonce` is random and used once.
    package init(
        _ secret: TrustSecret, at peers: [LetterPeer: KeyID], by identity: ConsentIdentity, name: String,
        nonce: () -> Nonce, _ crypto: ConsentCrypto
    ) {
        self.secret = secret
        for (peer, key) in peers {
            open[peer] = JoinAttempt(secret, host: key, by: identity, name: name, nonce: nonce(), crypto)
        }
    }

    /// Hosts that are there and ask for signatures, by what the relay lists.
    package static func hosts(
        of sessions: some Sequence<Summary>, asking approvals: some Sequence<Approval>
    ) -> Set<KeyID> {
        let asking = approvals.compactMap { approval -> KeyID? in
            guard case .signed(let shown) = ApprovalReading(approval, nil).basis else { return nil }
            return shown.host
        }
        return Set(sessions.filter(\.hostIsConnected).compactMap(\.consentKey) + asking)
    }

    /// The peers that the link is for. `hosts` are the keys of the hosts that are present and require signatures.
    package static func peers(of secret: TrustSecret, among hosts: Set<KeyID>) -> [LetterPeer: KeyID] {
        switch secret.scope {
        case .device(let device, let client): [.client(client): device]
        case .host(let host): [.host(HostKeyID(host)): host]
        case .machine: Dictionary(uniqueKeysWithValues: hosts.map { (.host(HostKeyID($0)), $0) })
        }
    }

    package var isDone: Bool { open.isEmpty }
    package func isOpen(_ peer: LetterPeer) -> Bool { open[peer] != nil }

    /// The joins without an answer.
    package var letters: [(letter: Letter, peer: LetterPeer)] {
        open.sorted { $0.value.host.text < $1.value.host.text }.map { peer, attempt in
            guard let letter = Letter(attempt.letter) else { preconditionFailure("a join is shorter than a letter may be") }
            return (letter, peer)
        }
    }

    /// Nil if that peer was not asked, or has said this before.
    package mutating func received(_ letter: Letter, from peer: LetterPeer, wall: Int64) -> Outcome? {
        guard let attempt = open[peer] else { return nil }
        do throws(ConsentError) {
            switch try attempt.answer(letter.bytes, wall: wall) {
            case .admitted(let pin):
                open[peer] = nil
                trusted.append(pin)
                return .trusted(pin)
            case .introduced(let pin, let count):
                guard !trusted.contains(where: { $0.id == pin.id }) else { return nil }
                if trusted.count + 1 >= count { open[peer] = nil }
                trusted.append(pin)
                return .trusted(pin)
            case .refused(let reason):
                open[peer] = nil
                return secret.scope == .machine && reason == .unknownSecret ? .notConcerned : .refused(reason)
            }
        } catch { return .ignored(error) }
    }
}
