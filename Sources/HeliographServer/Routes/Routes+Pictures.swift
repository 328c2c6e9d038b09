import HeliographCrypto
import RelayCore
import RelayModel
import RelayProtocol
import WebSocketEngine

/// Pictures in prompts: their bytes are transferred by HTTP, and prompts refer to them.
extension Routes {
    static let picturesPath = "/v1/pictures"

    /// Handles `POST /v1/pictures?session=ID`, by a client that may steer that session.
    func keepPicture(_ request: HTTPRequest, _ id: HTTPRequestID) {
        let token: Token
        do throws(Authenticator.AuthenticationError) { token = try access.authenticate(request, to: .steer) } catch {
            let forbidden = Notice(code: ErrorCode.forbidden.rawValue, message: "this device may not tell agents what to do")
            return respond(id, error == .wrongRole ? .json(403, forbidden) : Self.refusal(error))
        }
        guard let session = Self.parameter("session", in: request.query).flatMap({ SessionID($0) }) else {
            return respond(id, .json(400, Notice(code: "badValue", message: "name the session: ?session=ID")))
        }
        let content = request.body
        // The name and type in the request are ignored: the first bytes determine the type.
        let known = PictureType(of: content) ?? (content.first == PictureType.sealedMark ? .sealed : nil)
        guard !content.isEmpty, content.count <= WireLimits.pictureBytesMax, let type = known,
            let digest = PictureDigest(Crypto.hex(Crypto.sha256(content)))
        else {
            return respond(
                id, .json(415, Notice(code: "badValue", message: "a picture is a PNG, a JPEG or a WebP of at most 768 KiB")))
        }
        guard type == .sealed || PictureSize(of: content)?.isDrawable == true else {
            return respond(
                id, .json(415, Notice(code: "badValue", message: "a picture says its size, and has at most 50 million pixels")))
        }
        let picture = KeptPicture(Picture(digest: digest, type: type, bytes: content.count), content)
        let key = SessionKey(workspace: token.workspace, session: session)
        let at = WallClock.milliseconds
        guard let core = coreAnswering(id) else { return }
        core.pictures.perform {
            try $0.keep(picture, of: key, at: at)
        } then: { [self] isKept in
            switch isKept {
            case true?: respond(id, .json(200, picture.named.named))
            case false?: respond(id, .reply(.noSuchSession))
            case nil: respond(id, Self.storeDoesNotAnswer)
            }
        }
    }

    /// Handles `GET /v1/pictures/DIGEST`, by clients of the workspace, and by the host of a session with the picture.
    func showPicture(_ request: HTTPRequest, _ id: HTTPRequestID) {
        let token: Token
        do throws(Authenticator.AuthenticationError) { token = try access.authenticate(request, to: []) } catch {
            return respond(id, Self.refusal(error))
        }
        guard let digest = PictureDigest(String(request.path.dropFirst(Self.picturesPath.count + 1))),
            token.role == .host || token.scope.allows(.watch)
        else { return respond(id, Self.noSuchPicture) }
        let host = token.role == .host ? HostID(token.subject) : nil
        let workspace = token.workspace
        guard let core = coreAnswering(id) else { return }
        core.pictures.perform {
            try [$0.picture(digest, in: workspace, of: host)].compactMap { $0 }
        } then: { [self] found in
            guard let found else { return respond(id, Self.storeDoesNotAnswer) }
            guard let picture = found.first else { return respond(id, Self.noSuchPicture) }
            let type = picture.named.type
            respond(
                id,
                HTTPResponse(
                    status: 200,
                    headers: [
                        ("content-type", type.rawValue),
                        ("content-disposition", "attachment; filename=\"picture.\(type.ending)\""),
                    ], body: .bytes(picture.content)))
        }
    }

    private static var noSuchPicture: HTTPResponse {
        .json(404, Notice(code: ErrorCode.unknownPicture.rawValue, message: "there is no such picture here, or no more"))
    }
}
