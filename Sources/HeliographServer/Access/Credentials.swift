import HeliographCrypto
import Foundation
import Glibc
package import RelayCore
package import RelayProtocol

/// Makes, lists and revokes the credentials of hosts and clients. Used by the relay and, on the same store, by the command line.
package struct Credentials: Sendable {
    let store: any CredentialStore
    let workspace: Named<WorkspaceTag>

    /// Time for which a pairing code can be redeemed, in milliseconds: enough to find the phone.
    package static let pairingCodeLifetime: Int64 = 10 * 60 * 1000

    package init(store: any CredentialStore, workspace: Named<WorkspaceTag>) {
        self.store = store
        self.workspace = workspace
    }

    /// A token together with its secret, which is stored nowhere.
    package struct NewToken {
        package fileprivate(set) var token: Token
        package let secret: String
        /// The page's own key, which a browser keeps in addition to the cookie; see `PageKey`.
        let pageKey: String?
    }

    package func makeToken(_ role: PairingRole, name: String, kind: Token.Kind = .program) throws -> NewToken {
        let new = Self.newToken(role, name: name, kind: kind, workspace: workspace.id)
        try store.addToken(new.token)
        return new
    }

    /// Makes a pairing code for the workspace, for a single use. `lifetime`: milliseconds.
    package func makePairingCode(_ role: PairingRole, lifetime: Int64 = pairingCodeLifetime) throws -> NewPairingCode {
        try Self.makePairingCode(role, workspace: workspace.id, by: nil, lifetime: lifetime, store)
    }

    package struct NewPairingCode: Sendable {
        package let code: String
        package let role: PairingRole
        package let expiresAt: Int64

        /// The link that a person scans or copies. The code is in the fragment, which browsers do not send.
        package func link(base: String) -> String { "\(base)/#\(role.isClient ? "pair" : "host")=\(code)" }
    }

    /// Open codes of one token: as many as a person needs who pairs many devices at once.
    static let openCodesMax = 32

    /// Reason to refuse a code.
    enum Refusal: Error {
        case tooManyCodes
        case bound(TokenLineage.Bound)
        case registration(RegistrationRules.Refusal)
        /// The workspace of this key has a token already, or is gone.
        case usedKey

        var notice: String {
            switch self {
            case .tooManyCodes: "\(openCodesMax) codes of this device wait to be used; use one, or wait until they expire"
            case .bound(.depth):
                "this device was let in through \(TokenLineage.depthMax) others, and may let in no more; pair at the relay's own machine"
            case .bound(.count):
                "\(TokenLineage.letInMax) were let in by the first of these devices; pair at the relay's own machine"
            case .registration(let refusal): refusal.sentence
            case .usedKey: "the workspace of this key is in use, or gone: ask with another key"
            }
        }
    }

    /// Makes a pairing code. `parent`: the token of the peer that asks for it; nil: the relay's own machine.
    ///
    /// - Throws: `Refusal` if that token may not pair another peer.
    static func makePairingCode(
        _ role: PairingRole, workspace: WorkspaceID, by parent: String?, lifetime: Int64 = pairingCodeLifetime,
        _ store: any CredentialStore
    ) throws -> NewPairingCode {
        let code = Secret.pairingCode()
        guard let digest = Secret.digest(ofPairingCode: code) else {
            preconditionFailure("a code that we made is spelled as a code")
        }
        let now = WallClock.milliseconds
        let expiresAt = now + lifetime
        if let parent {
            let open = try store.openPairingCodes(at: now)
            guard open.count(where: { $0.parent == parent }) < openCodesMax else { throw Refusal.tooManyCodes }
            if let bound = TokenLineage(try store.tokens(of: workspace)).bound(reachedBy: parent) { throw Refusal.bound(bound) }
        }
        try store.removePairingCodes(expiredBefore: now)
        try store.addPairingCode(
            PairingCode(digest: digest, role: role, workspace: workspace, expiresAt: expiresAt, parent: parent))
        return NewPairingCode(code: code, role: role, expiresAt: expiresAt)
    }

    /// Exchanges a code for a token, once.
    ///
    /// A host that presents an earlier token of its own, revoked or not, keeps its identity and its sessions; that token is
    /// revoked. Only the code authorises it: the earlier token only identifies the host.
    ///
    /// `own`: the token that the device made, if it is spelled as one of its role.
    static func redeem(
        _ typed: String, name: String, kind: Token.Kind, previous: String? = nil, own: String? = nil,
        _ store: any CredentialStore
    ) throws -> NewToken? {
        // Checked first, so that a guess causes no write and no token is read.
        guard let digest = Secret.digest(ofPairingCode: typed),
            let open = try store.openPairingCodes(at: WallClock.milliseconds).first(where: { $0.digest == digest })
        else { return nil }
        let known = try previous.map(Secret.digest(ofToken:)).flatMap { digest in
            try store.tokens(of: open.workspace).first { $0.digest == digest && $0.role == .host }
        }
        var made: NewToken?
        var isKnown = false
        let token = try store.redeemPairingCode(digest: digest, now: WallClock.milliseconds) { code in
            var new = newToken(code.role, name: name, kind: kind, own: own, workspace: code.workspace, by: code.parent)
            if let known, code.role == .host {
                new.token.subject = known.subject
                isKnown = true
            }
            made = new
            return new.token
        }
        if isKnown, let known, known.revokedAt == nil {
            _ = try store.revoke(
                TokenRevocation(id: known.id, keepsChildren: true, by: made?.token.id, at: WallClock.milliseconds))
        }
        return token == nil ? nil : made
    }

    private static func newToken(
        _ role: PairingRole, name: String, kind: Token.Kind, own: String? = nil, workspace: WorkspaceID,
        by parent: String? = nil
    ) -> NewToken {
        let prefix = role.isClient ? "hgc_" : "hgh_"
        let secret = own.flatMap { Secret.isToken($0, prefix: prefix) ? $0 : nil } ?? Secret.token(prefix: prefix)
        let kind = role == .host ? .host : kind
        let pageKey = kind == .browser ? Secret.token(prefix: PageKey.prefix) : nil
        let token = Token(
            id: Secret.identifier(prefix: "t_"), digest: Secret.digest(ofToken: secret), role: role, kind: kind,
            subject: Secret.identifier(prefix: role.isClient ? "c_" : "h_"), name: name, workspace: workspace, parent: parent,
            pageKeyDigest: pageKey.map(Secret.digest(ofToken:)), createdAt: WallClock.milliseconds)
        return NewToken(token: token, secret: secret, pageKey: pageKey)
    }
}
