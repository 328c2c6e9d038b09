import Logging
import RelayCore
import RelayProtocol
import WebSocketEngine

/// Registration of workspaces by strangers.
extension Routes {
    func showRegistration(_ id: HTTPRequestID) {
        respond(id, .json(200, JSONWriter.object { $0.field("registration", registration.isOpen ? "open" : "invited") }))
    }

    func register(_ request: HTTPRequest, _ id: HTTPRequestID) {
        guard request.header("origin") == nil else {
            // Otherwise any page that somebody visits could use up the registrations of their address.
            return respond(
                id, .json(403, Notice(code: "foreignOrigin", message: "pages register nothing: heliograph join does")))
        }
        guard registration.isOpen else {
            let message = "this relay takes newcomers by invitation only: ask whoever runs it for a link"
            return respond(id, .json(403, Notice(code: ErrorCode.forbidden.rawValue, message: message)))
        }
        let key: String?
        do throws(WireError) { key = try Self.key(request) } catch { return respond(id, .json(400, Notice(error))) }
        let caller = Self.caller(request.peer)
        if let excess = registrations.note(caller, at: .now) {
            measures.registered(.perHour)
            let origin = excess.name == caller.own ? "this address" : excess.name.isEmpty ? "all networks" : excess.name
            return respond(id, Self.tooMany("new workspaces from \(origin)", excess.wait))
        }
        let (rules, now) = (registration, WallClock.milliseconds)
        access.register(for: .address(caller.own)) {
            try Credentials.register(from: caller.own, as: key, by: rules, at: now, $0, $1)
        } then: { [self] result in
            switch result {
            case .success(let answer):
                measures.registered(.made)
                let metadata: Logger.Metadata = ["workspace.id": "\(answer.workspace.id)", "peer": "\(request.peer)"]
                logger.notice("registered a workspace", metadata: metadata)
                respond(id, .json(201, answer.bytes))
            case .failure(Credentials.Refusal.registration(let refusal)):
                measures.registered(refusal == .count ? .count : .perAddress)
                strangers.notice("refused a registration", ["peer": "\(request.peer)", "limit": "\(refusal)"], logger)
                respond(id, .json(429, Notice(code: ErrorCode.tooMany.rawValue, message: refusal.sentence)))
            case .failure(let refusal as Credentials.Refusal):
                respond(id, .json(409, Notice(code: ErrorCode.closed.rawValue, message: refusal.notice)))
            case .failure(let error): fail(id, error)
            }
        }
    }

    /// As long as a token's random part: whoever guesses it gets codes for the workspace.
    private static let keyBytesMin = 43

    private static func key(_ request: HTTPRequest) throws(WireError) -> String? {
        let key = try RegistrationCall(parsing: request.body).key
        if let key, key.utf8.count < keyBytesMin { throw WireError(.badValue, at: "$.key", "a key has \(keyBytesMin) bytes") }
        return key
    }
}
