import RelayAccess
import RelayCore
import RelayProtocol

/// Revocation from the command line, whatever the disk does.
extension Administration {
    /// Result of a revocation.
    package struct Revocation {
        package enum Extent: Equatable {
            /// Stored with the tokens.
            case stored
            /// On disk and in force; there was no space with the tokens.
            case waiting
            /// The running relay refuses the token, but nothing is on disk, for this reason.
            case unwritten(String)
            /// On disk and in force, but the tokens could not be read to check that it exists.
            case unseen
        }

        /// Ids of the tokens that it ended, the named one first.
        package let ended: [String]
        package let extent: Extent
    }

    /// Revokes a token. If the store refuses that, a running relay disconnects the token's users, and keeps trying.
    package func revoke(_ id: String, keepingChildren: Bool) throws -> Revocation {
        let revocation = TokenRevocation(id: id, keepsChildren: keepingChildren, at: WallClock.milliseconds)
        let ended: [Token]
        do throws(LogError) { ended = try store.credentials.revoke(revocation) } catch {
            guard let held = try Self.revokeInRelay(of: store.folder, revocation) else { throw error }
            return held
        }
        // Repeated even if the token was revoked before: the relay may not have been notified.
        try tokensChanged()
        let isWaiting = try !ended.isEmpty && store.upkeep.waitingRevocations > 0
        return Revocation(ended: ended.map(\.id), extent: isWaiting ? .waiting : .stored)
    }

    /// Revokes a token although the data cannot be opened, mostly because the disk is full. Nil if the revocation is in force
    /// neither in a relay nor on disk.
    package static func revokeUnopened(_ id: String, keepingChildren: Bool, in path: String) throws -> Revocation? {
        let revocation = TokenRevocation(id: id, keepsChildren: keepingChildren, at: WallClock.milliseconds)
        if let held = try revokeInRelay(of: path, revocation) { return held }
        guard try Storage(directory: path).revokeLater(revocation) else { return nil }
        return Revocation(ended: [id], extent: .unseen)
    }

    /// Nil if no relay runs on the folder.
    private static func revokeInRelay(of folder: String, _ revocation: TokenRevocation) throws -> Revocation? {
        let call = RevocationCall(keepsChildren: revocation.keepsChildren)
        let answer: HTTPExchange.Answer
        do throws(HTTPError) {
            answer = try AdminSocket(in: folder)
                .ask(.post, AdminPath.revocation(of: revocation.id), body: call.bytes)
        } catch {
            guard error.code == .unreachable else { throw error }
            return nil
        }
        // There is no such token, or it is fully revoked already.
        if answer.status == 404 { return Revocation(ended: [], extent: .stored) }
        guard answer.status == 200 || answer.status == 202 else {
            throw ServerError(.tokens, "the running relay could not revoke it: it answered \(answer.status)")
        }
        let said = try JSONDocument(parsing: answer.body).root.object()
        let ended = try said.required("revoked").array().map { try $0.string("id") }
        guard answer.status == 200 else {
            return Revocation(
                ended: ended, extent: .unwritten(try said.optionalString("reason") ?? "its store takes no writes"))
        }
        let isWaiting = try Storage(directory: folder).waitingRevocations > 0
        return Revocation(ended: ended, extent: isWaiting ? .waiting : .stored)
    }
}
