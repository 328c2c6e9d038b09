import HeliographCrypto
import Foundation
import Glibc
import HeliographPlatform
package import RelayAccess
import RelayCore
import RelayProtocol

/// Commands on the relay's own data, whether the relay runs or not.
package final class Administration {
    package let credentials: Credentials
    let store: OpenStore

    /// `store`: the database of relays on other machines; nil: the store of the folder's own relay.
    package init(directory path: String, store address: String? = nil) throws {
        store = try OpenStore(forCommandsIn: path, at: address)
        credentials = Credentials(
            store: store.credentials, workspace: try store.credentials.bootstrap(workspaceName: "default"))
    }

    deinit { try? store.close() }

    /// All tokens, newest first; with `isLive` also a running relay's record of connections and last uses. If that relay hangs,
    /// this waits until its time limit.
    package func roster(isLive: Bool) throws -> TokenRoster {
        let live: Result<TokenSightings, HTTPError> = isLive ? sightings() : .success(TokenSightings())
        let tokens = try store.credentials.allTokens()
        switch live {
        case .success(let seen): return TokenRoster(tokens, seen)
        case .failure(let error): return TokenRoster(tokens, TokenSightings(), silence: error.message)
        }
    }

    /// The running relay's record of tokens' uses; empty if no relay runs here. Fails if one runs and does not answer.
    private func sightings() -> Result<TokenSightings, HTTPError> {
        do throws(HTTPError) {
            let answer = try AdminSocket(in: store.folder).ask(.get, AdminPath.tokens)
            guard answer.status == 200, let seen = try? TokenSightings(parsing: answer.body) else {
                throw HTTPError(.badAnswer, "the running relay answered \(answer.status)")
            }
            return .success(seen)
        } catch { return error.code == .unreachable ? .success(TokenSightings()) : .failure(error) }
    }

    /// The relay's address for others, as of its last start; nil if it never started.
    package var publicURL: String? { AddressFile.read(in: store.folder)?.publicURL }

    /// The relay's address on this machine, whatever proxies are between it and others.
    package var localAddress: RelayAddress? {
        AddressFile.read(in: store.folder).flatMap { RelayAddress($0.local ?? $0.publicURL) }
    }

    /// A name as shown to people, without characters that are invisible or control a terminal; nil if nothing is left.
    package static func shownName(_ name: String) -> String? { PairCall.shown(name) }

    /// True if a relay runs on this folder now, or elsewhere on its database.
    package var isRunning: Bool {
        get throws {
            if isServing { return true }
            return try store.isFolderInUse || store.isHeldElsewhere()
        }
    }

    /// True if a relay that runs on this folder answers.
    package var isServing: Bool { (try? AdminSocket(in: store.folder).ask(.get, "/metrics"))?.status == 200 }

    /// Number of paired clients that are not revoked, without this machine's own terminals.
    package var deviceCount: Int {
        get throws {
            try store.credentials.allTokens().count { $0.role.isClient && $0.kind != .terminal && $0.revokedAt == nil }
        }
    }

    package var hasDevices: Bool { get throws { try deviceCount > 0 } }

    /// Throws if this process's user has no access to the folder: otherwise it would seem that no relay is set up there.
    package static func checkAccess(to path: String) throws(ServerError) {
        if let place = ForbiddenPlace(onTheWayTo: path) { throw ServerError(.machine, place.sentence) }
    }

    /// True if a relay ever ran in this folder, as far as this process's user can see.
    package static func isSetUp(in path: String) -> Bool { Storage.hasRemains(in: path) }

    /// The token of this machine's own terminal. Anyone who can read the data directory could make one anyway; so one is made once,
    /// and stored next to the data.
    package func terminalToken(name: String) throws -> String {
        let file = URL(fileURLWithPath: store.folder + "/terminal.token")
        if let kept = try? String(contentsOf: file, encoding: .utf8) {
            let digest = Secret.digest(ofToken: kept)
            // A token that is revoked, or whose kind was not recorded, is not used; so another one is made.
            if try store.credentials.tokens().contains(where: { $0.kind != .unsure && Crypto.equal($0.digest, digest) }) {
                return kept
            }
        }
        let new = try credentials.makeToken(.client, name: name, kind: .terminal)
        try PrivateFile.write(new.secret, to: file.path)
        try tokensChanged()
        return new.secret
    }

    /// Makes a running relay read its tokens and workspaces again; revoked peers are disconnected when this returns. If none runs
    /// here there is nothing to do: it reads them when it starts, and one that runs elsewhere on the database notices within two
    /// seconds. Returns whether a relay was notified.
    @discardableResult package func tokensChanged() throws(ServerError) -> Bool {
        do throws(HTTPError) {
            let answer = try AdminSocket(in: store.folder).ask(.post, AdminPath.reload)
            guard answer.status == 200 else { throw HTTPError(.badAnswer, "it answered \(answer.status)") }
            return true
        } catch {
            // No relay listens.
            if error.code == .unreachable { return false }
            throw ServerError(
                .tokens,
                "this is on disk, but the running relay has not noticed (\(error.message)): do it again, or restart the relay"
            )
        }
    }
}
