import RelayCore
import RelayModel
import RelayProtocol
import WebSocketEngine

/// Earlier approvals of a host, on which it tries rules.
extension Routes {
    static let requestsPath = "/v1/requests"
    /// Limits of one answer: as much as a link between relays carries at once.
    private static let pageBytesMax = 512 << 10
    private static let pageCountMax = 250

    /// Handles `GET /v1/requests?before=NUMBER`, by a host: the approvals of its own sessions.
    func listRequests(_ request: HTTPRequest, _ id: HTTPRequestID) {
        let token: Token
        do throws(Authenticator.AuthenticationError) { token = try access.authenticate(request, to: .report) } catch {
            let foreign = Notice(code: "wrongRole", message: "this token is not for a host")
            return respond(id, error == .wrongRole ? .json(403, foreign) : Self.refusal(error))
        }
        guard let before = Self.before(in: request.query) else {
            return respond(id, .json(400, Notice(code: "badValue", message: "a page begins before a number: ?before=NUMBER")))
        }
        guard let host = HostID(token.subject) else { preconditionFailure("a host's token names it") }
        guard let core = coreAnswering(id) else { return }
        let workspace = token.workspace
        core.past.perform {
            try $0.approvals(
                of: host, in: workspace, before: before, limit: Self.pageCountMax, bytesMax: Self.pageBytesMax)
        } then: { [self] page in
            guard let page else { return respond(id, Self.storeDoesNotAnswer) }
            let answer = JSONWriter.object {
                $0.array("requests", page.entries.map(\.bytes))
                $0.field("next", page.next)
            }
            respond(id, .json(200, answer))
        }
    }

    /// The number in the query; nil if it is invalid.
    private static func before(in query: String?) -> Int64? {
        guard let text = parameter("before", in: query) else { return .max }
        return Int64(text).flatMap { $0 > 0 ? $0 : nil }
    }
}
