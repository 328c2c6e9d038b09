import RelayModel
import RelayProtocol
import WebSocketEngine

/// Devices over HTTP, for an app that the system woke for too short a time for a WebSocket. The same commands, by the same rules.
extension Routes {
    static let devicesPath = "/v1/devices"

    func devices(_ request: HTTPRequest, _ id: HTTPRequestID) {
        let client: ClientIdentity
        do throws(Authenticator.AuthenticationError) {
            client = access.client(try access.authenticate(request, to: .watch))
        } catch { return respond(id, Self.refusal(error)) }
        do throws(WireError) {
            guard let command = try Self.deviceCommand(request) else {
                return respond(id, .text(405, "this is not done here\n"))
            }
            guard let core = coreAnswering(id) else { return }
            core.httpPeers.call(as: client, command) { [self] reply in respond(id, .reply(reply)) }
        } catch { respond(id, .json(400, Notice(error))) }
    }

    static let pushKeyPath = "/v1/push/key"

    /// Answers with the key with which a browser subscribes, or the reason why this relay sends no pushes to browsers.
    func pushKey(_ request: HTTPRequest, _ id: HTTPRequestID) {
        do throws(Authenticator.AuthenticationError) { _ = try access.authenticate(request, to: .watch) } catch {
            return respond(id, Self.refusal(error))
        }
        do throws(PushObstacleError) {
            switch try pushWay.webPushKey() {
            case .there(let key): respond(id, Self.pushKey(key))
            case .toMake(let secrets):
                access.perform(.change, for: .relay) { _ in
                    try secrets.makeBrowsersKey()
                } then: { [self] result in
                    switch result {
                    case .success(let key): respond(id, Self.pushKey(pushWay.use(key)))
                    case .failure(let error): fail(id, error)
                    }
                }
            }
        } catch { respond(id, .json(404, Notice(code: "webPushOff", message: error.sentence))) }
    }

    private static func pushKey(_ key: String) -> HTTPResponse { .json(200, JSONWriter.object { $0.field("key", key) }) }

    /// Nil if there is no such command.
    static func deviceCommand(_ request: HTTPRequest) throws(WireError) -> ClientCommand? {
        if request.path == devicesPath { return request.method == "GET" ? .devices(watches: false) : nil }
        let parts = request.path.dropFirst(devicesPath.count + 1).split(separator: "/", omittingEmptySubsequences: false)
        guard let device = DeviceID(parts.first.map(String.init) ?? "") else {
            throw WireError(.badValue, at: "path", "a device is named by letters, digits, hyphens and underscores, at most 64")
        }
        switch (request.method, parts.dropFirst()) {
        case ("PUT", []):
            let registration = try Device(from: JSONDocument(parsing: request.body).root)
            guard registration.id == device else {
                throw WireError(.badValue, at: "$.device", "this is another device than the path names")
            }
            return .device(registration)
        case ("POST", ["cards"]): return .card(device, try CardReport(from: JSONDocument(parsing: request.body).root))
        case ("DELETE", []): return .forget(device)
        default: return nil
        }
    }

    static func refusal(_ refusal: Authenticator.AuthenticationError) -> HTTPResponse {
        switch refusal {
        case .unknown: .json(401, Notice(code: "unauthorized", message: "a valid token is needed: pair this device"))
        case .foreignOrigin: .json(403, Notice(code: "foreignOrigin", message: "this origin is not the relay's own"))
        case .wrongRole: .json(403, Notice(code: "wrongRole", message: "this token is not for a client"))
        }
    }
}

extension HTTPResponse {
    /// The reply as over the WebSocket, without type and id.
    static func reply(_ reply: Reply) -> HTTPResponse {
        guard case .failed(let notice, _) = reply else { return .json(200, reply.bytes) }
        return .json(ErrorCode(rawValue: notice.code)?.status ?? 400, reply.bytes)
    }
}

extension ErrorCode {
    var status: UInt16 {
        switch self {
        case .notFound, .unknownPicture: 404
        case .alreadyDecided, .closed, .digestMismatch, .notWhole, .wrongKind, .badAnswer: 409
        case .tooMany: 429
        case .damaged: 500
        case .forbidden: 403
        case .unsupported: 501
        case .unavailable: 503
        case .helloFirst, .unsupportedVersion: 400
        }
    }
}
