import Logging
import RelayCore
import RelayModel
import RelayProtocol
import WebSocketEngine

/// Listing and revocation of tokens: for the page's list of paired devices, and for this machine's command line.
extension Routes {
    static let tokensPath = "/v1/tokens"

    /// Handles a request of a client, which sees and revokes tokens of its own workspace only.
    func tokens(_ request: HTTPRequest, _ id: HTTPRequestID) {
        let own: Token
        do throws(Authenticator.AuthenticationError) { own = try access.authenticate(request, to: .administer) } catch {
            return respond(id, Self.refusal(error))
        }
        if request.method == "GET", request.path == Self.tokensPath { return listTokens(of: own, request.query, id) }
        let parts = request.path.dropFirst(Self.tokensPath.count + 1).split(separator: "/", omittingEmptySubsequences: false)
        switch (request.method, parts.first, parts.dropFirst()) {
        case ("GET", let name?, []): showToken(String(name), to: own, id)
        case ("POST", let name?, ["revoke"]): revokeToken(String(name), request, by: own, id)
        case ("POST", let name?, ["rename"]): renameToken(String(name), request, by: own, id)
        default: respond(id, .text(405, "this is not done here\n"))
        }
    }

    /// Answers with the uses of tokens that this process knows, for the command line, which reads the tokens themselves.
    func listSightings(_ seen: TokenSightings, _ id: HTTPRequestID) { respond(id, .json(200, seen.bytes)) }

    private func listTokens(of own: Token, _ query: String?, _ id: HTTPRequestID) {
        let after = Self.parameter("after", in: query)
        respond(id, to: own) { roster in
            guard let page = roster.page(of: own.workspace, after: after) else { return Self.noSuchToken }
            let bytes = JSONWriter.object { writer in
                writer.array("tokens", page.entries.map { Self.object($0, own: own) })
                writer.field("next", page.next)
            }
            return .json(200, bytes)
        }
    }

    private func showToken(_ name: String, to own: Token, _ id: HTTPRequestID) {
        respond(id, to: own) { roster in
            guard let entry = roster[name], entry.token.workspace == own.workspace else { return Self.noSuchToken }
            return .json(200, Self.object(entry, own: own))
        }
    }

    /// `own`: the caller's token; nil: the relay's own machine, which also gets the reason if the revocation is not stored.
    func revokeToken(_ name: String, _ request: HTTPRequest, by own: Token?, _ id: HTTPRequestID) {
        let call: RevocationCall
        do throws(WireError) { call = try RevocationCall(parsing: request.body) } catch {
            return respond(id, .json(400, Notice(error)))
        }
        let revocation = TokenRevocation(
            id: name, in: own?.workspace, keepsChildren: call.keepsChildren, by: own?.id, at: WallClock.milliseconds)
        access.revoke(revocation) { [self] result in
            do {
                let what = try result.get()
                if what.tokens.isEmpty { nothingRevoked(name, in: own?.workspace, id) } else { revoked(what, by: own, id) }
            } catch { fail(id, error) }
        }
    }

    /// Answers differently for an unknown token and for one that was revoked before.
    private func nothingRevoked(_ name: String, in workspace: WorkspaceID?, _ id: HTTPRequestID) {
        access.perform(.list, for: workspace.map { .workspace($0) } ?? .relay) { store in
            try store.token(name).map { workspace == nil || $0.workspace == workspace } ?? false
        } then: { [self] (result: Result<Bool, any Error>) in
            do {
                respond(id, try result.get() ? .json(200, TokenRoster.revoked([])) : Self.noSuchToken)
            } catch { fail(id, error) }
        }
    }

    /// Answers before the token's own connections are closed.
    private func revoked(_ revoked: Access.Revoked, by own: Token?, _ id: HTTPRequestID) {
        for token in revoked.tokens {
            logger.notice("revoked", metadata: ["token.id": "\(token.id)", "by": "\(own?.id ?? "the relay's machine")"])
        }
        guard let reason = revoked.reason else { return respond(id, .json(200, TokenRoster.revoked(revoked.tokens))) }
        guard own == nil else { return respond(id, Self.unwritten(revoked)) }
        let elsewhere = revoked.elsewhere?.sentence ?? ""
        respond(id, .json(202, TokenRoster.revoked(revoked.tokens, reason: "\(reason)\(elsewhere)")))
    }

    /// The response to a revocation that is in memory only.
    static func unwritten(_ revoked: Access.Revoked) -> HTTPResponse {
        unavailable(
            """
            it is revoked and shut out, but the relay's store does not take that yet\(revoked.elsewhere?.sentence ?? ""): if the relay \
            ends before it does, it gets in again. The relay goes on trying
            """)
    }

    /// Applies a revocation that another relay on the database cannot store: the token is refused here, too, without a query of the
    /// store first.
    func holdRevocation(of name: String, _ request: HTTPRequest, _ id: HTTPRequestID) {
        let call: RevocationCall
        do throws(WireError) { call = try RevocationCall(parsing: request.body) } catch {
            return respond(id, .json(400, Notice(error)))
        }
        let revocation = TokenRevocation(
            id: name, keepsChildren: call.keepsChildren, by: request.query, at: WallClock.milliseconds)
        respond(id, access.hold(revocation) ? .json(202, TokenRoster.revoked([])) : Self.noSuchToken)
    }

    /// Renames a token. Connected peers see the new name when they reconnect.
    private func renameToken(_ id: String, _ request: HTTPRequest, by own: Token, _ answering: HTTPRequestID) {
        let name: String
        do throws(WireError) {
            guard let shown = PairCall.shown(try RenamingCall(parsing: request.body).name) else {
                throw WireError(.badValue, at: "$.name", "a name has letters that show")
            }
            name = shown
        } catch { return respond(answering, .json(400, Notice(error))) }
        if let excess = renamings.note(RecentCounts.Name(own: own.workspace.rawValue), at: .now) {
            return respond(answering, Self.tooMany("new names in this workspace", excess.wait))
        }
        access.change(for: .workspace(own.workspace), where: { $0 != nil }) {
            try $0.rename(TokenRenaming(id: id, in: own.workspace, name: name, by: own.id, at: WallClock.milliseconds))
        } then: { [self] (result: Result<Token?, any Error>) in
            do {
                guard let token = try result.get() else { return respond(answering, Self.noSuchToken) }
                logger.notice("renamed", metadata: ["token.id": "\(token.id)", "by": "\(own.id)"])
                respond(answering, .json(200, token.named))
            } catch { fail(answering, error) }
        }
    }

    /// Answers from the tokens of the caller's workspace, off the loop: there may be thousands.
    private func respond(_ id: HTTPRequestID, to own: Token, from answer: @escaping @Sendable (TokenRoster) -> HTTPResponse) {
        let workspace = own.workspace
        let (seen, unwritten) = (access.sightings(where: { $0.workspace == workspace }), access.unwritten)
        access.perform(.list, for: .workspace(workspace)) {
            answer(TokenRoster(unwritten.applied(to: try $0.tokens(of: workspace)), seen))
        } then: { [self] (result: Result<HTTPResponse, any Error>) in
            do { respond(id, try result.get()) } catch { fail(id, error) }
        }
    }

    private static func object(_ entry: TokenRoster.Entry, own: Token) -> [UInt8] {
        JSONWriter.object { writer in
            entry.write(to: &writer)
            writer.flag("own", entry.token.id == own.id)
        }
    }

    /// One response for unknown tokens and those of other workspaces, so that they cannot be distinguished.
    private static var noSuchToken: HTTPResponse {
        .json(404, Notice(code: ErrorCode.notFound.rawValue, message: "there is no such token"))
    }
}
