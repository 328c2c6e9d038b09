import HeliographPlatform
import RelayAccess
import RelayProtocol
import WebSocketEngine

/// Sends responses with the headers that all of them have. Confined to the core's thread.
final class Responder {
    private let connections: PeerConnections
    let page: WebPage
    private let transportSecurity: [(String, String)]

    /// A year, as in the proxies' configurations under `deploy/`.
    private static let transportSeconds = 31_536_000

    init(_ connections: PeerConnections, _ page: WebPage, publicURL: String?) {
        self.connections = connections
        self.page = page
        transportSecurity = Self.transportSecurity(of: publicURL)
    }

    /// The header that makes browsers use only TLS (RFC 6797). None if the public address has a port: the rule applies to all ports
    /// of a name, and other servers there may not use TLS.
    static func transportSecurity(of publicURL: String?) -> [(String, String)] {
        guard let address = publicURL.flatMap({ RelayAddress($0) }), !address.staysHere,
            case .tcp(_, 443, true) = address.target
        else { return [] }
        return [("strict-transport-security", "max-age=\(transportSeconds)")]
    }

    func respond(_ id: HTTPRequestID, _ response: HTTPResponse) {
        var response = response
        if response.status == 429 || response.status == 503, !response.headers.contains(where: { $0.0 == "retry-after" }) {
            response.headers.append(HTTPResponse.retryAfter())
        }
        response.headers.append(contentsOf: page.securityHeaders)
        response.headers.append(contentsOf: transportSecurity)
        // The page computes the difference of its clock from it.
        response.headers.append(("date", HTTPDate.now))
        connections.respond(to: id, response)
    }

    /// Passes on a response that another node has completed.
    func pass(_ id: HTTPRequestID, _ response: HTTPResponse) { connections.respond(to: id, response) }

    /// Answers requests for the page, the schema and the process's health, which are the same at every node. False: it is none of
    /// these.
    func answersAlike(_ request: HTTPRequest, _ id: HTTPRequestID) -> Bool {
        guard request.method == "GET" || request.method == "HEAD" else { return false }
        switch request.path {
        case "/healthz": respond(id, .text(200, "ok\n"))
        case ProtocolVersion.schemaPath:
            respond(
                id,
                HTTPResponse(
                    status: 200, headers: [("content-type", "application/schema+json")], body: .bytes(Schema.json)))
        default:
            guard let response = page.response(to: request) else { return false }
            respond(id, response)
        }
        return true
    }
}
