import RelayAccess
import RelayCore
import RelayProtocol

/// What the command line does to shut somebody out, whatever the disk does.
extension Administration {
    /// What came of a revocation.
    package struct Revocation {
        package enum Extent: Equatable {
            /// It is where tokens are.
            case stored
            /// It is on disk, and holds; there was no room where tokens are.
            case waiting
            /// The running relay lets nobody in by it, and nothing of that is on disk. In words why.
            case unwritten(String)
            /// It is on disk, and holds, whether there is such a token or not: that could not be seen.
            case unseen
        }

        /// What it ended, the named one first, by their ids.
        package let ended: [String]
        package let extent: Extent
    }

    /// Where the store does not take it, a relay that runs here shuts out who uses the token, and goes on trying.
    package func revoke(_ id: String, keepingChildren: Bool) throws -> Revocation {
        let revocation = TokenRevocation(id: id, keepsChildren: keepingChildren, at: WallClock.milliseconds)
        let ended: [Token]
        do throws(LogError) { ended = try store.credentials.revoke(revocation) } catch {
            guard let held = try Self.revokeInRelay(of: store.folder, revocation) else { throw error }
            return held
        }
        // Also where it was before: the relay may not have heard of it.
        try tokensChanged()
        let isWaiting = try !ended.isEmpty && store.upkeep.waitingRevocations > 0
        return Revocation(ended: ended.map(\.id), extent: isWaiting ? .waiting : .stored)
    }

    /// The same where the data cannot be opened, for want of room above all. Nil where it holds neither in a relay nor on disk.
    package static func revokeUnopened(_ id: String, keepingChildren: Bool, in path: String) throws -> Revocation? {
        let revocation = TokenRevocation(id: id, keepsChildren: keepingChildren, at: WallClock.milliseconds)
        if let held = try revokeInRelay(of: path, revocation) { return held }
        guard try Storage(directory: path).revokeLater(revocation) else { return nil }
        return Revocation(ended: [id], extent: .unseen)
    }

    /// Nil where no relay runs on the folder.
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
        // It knows of none, or none is left of it to revoke.
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
