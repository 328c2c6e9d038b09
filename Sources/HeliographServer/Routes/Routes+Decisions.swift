import Logging
import PushPlanner
import RelayProtocol
import WebSocketEngine

/// `POST /v1/decisions/<code>`: decides by a notification. The code is the only credential: it identifies the approval, and the
/// core checks whether that can still be decided.
extension Routes {
    static let decisionsPath = "/v1/decisions/"
    /// Limit of the body: all answers of one decision with every character escaped.
    static let decisionBytesMax = 64 << 10

    func decide(_ request: HTTPRequest, _ id: HTTPRequestID) {
        // Checked before anything else in the request, so that a sender without a code learns nothing, from any response or its
        // time.
        let push: PushID?
        do { push = try core?.codes.push(ofCode: String(request.path.dropFirst(Self.decisionsPath.count))) } catch {
            return fail(id, error)
        }
        guard let core, let push else {
            if let refusal = noteWrongCode(of: request) { return respond(id, refusal) }
            strangers.notice("refused a code of a push", ["peer": "\(request.peer)"], logger)
            return respond(id, Self.noSuchCode)
        }
        guard request.body.count <= Self.decisionBytesMax else {
            return respond(
                id, .json(413, Notice(code: "outOfRange", message: "a decision has at most \(Self.decisionBytesMax) bytes")))
        }
        do throws(WireError) {
            let body = try JSONDocument(parsing: request.body).root
            let verdict = try Decision.Verdict(from: body)
            let signature = try body.optionalString("signature", bytesMax: WireLimits.signatureBytesMax)
            core.httpPeers.present(push, verdict, signature: signature) { [self] reply in
                if case .failed(let notice, _) = reply, notice.code == ErrorCode.notFound.rawValue {
                    respond(id, Self.noSuchCode)
                } else {
                    respond(id, .reply(reply))
                }
            }
        } catch { respond(id, .json(400, Notice(error))) }
    }

    /// Counts a wrong code, of pairing or of a push. Returns the refusal if its address is over the limit, else nil. Right codes
    /// are not counted, so guessing does not exclude others.
    func noteWrongCode(of request: HTTPRequest) -> HTTPResponse? {
        wrongCodes.note(Self.caller(request.peer), at: .now).map { Self.tooMany("wrong codes", $0.wait) }
    }

    static func tooMany(_ what: String, _ wait: Duration) -> HTTPResponse {
        var response = HTTPResponse.json(429, Notice(code: ErrorCode.tooMany.rawValue, message: "too many \(what)"))
        response.headers.append(HTTPResponse.retryAfter(seconds: Int(wait.components.seconds) + 1))
        return response
    }

    /// Name under which a stranger's actions are counted.
    static func caller(_ peer: Peer) -> RecentCounts.Name {
        guard case .ip(let text) = peer, let address = IPAddress(text) else { return RecentCounts.Name(own: peer.description) }
        return RecentCounts.Name(own: address.household.description, network: address.neighbourhood.description)
    }

    /// Name under which an address is counted: one client can choose among all addresses of an IPv6 network.
    static func household(of peer: Peer) -> String { caller(peer).own }

    /// One response for codes that never existed, were used, or have expired.
    private static var noSuchCode: HTTPResponse {
        .json(404, Notice(code: ErrorCode.notFound.rawValue, message: "this code is unknown, used or too old"))
    }
}
