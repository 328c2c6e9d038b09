import Logging
import PushPlanner
import RelayProtocol
import WebSocketEngine

/// `POST /v1/decisions/<code>`: a notification decides. The code is the only credential; it says which approval, and the core says
/// whether it still may.
extension Routes {
    static let decisionsPath = "/v1/decisions/"
    /// All answers of one decision with every character escaped.
    static let decisionBytesMax = 64 << 10

    func decide(_ request: HTTPRequest, _ id: HTTPRequestID) {
        // Before anything else of the request is looked at: who has no code learns nothing, from no answer and no time.
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

    /// The answer to a wrong code, of pairing or of a push, beyond the limit of its address; nil: there were fewer. A right code is never
    /// counted: guessing does not shut others out.
    func noteWrongCode(of request: HTTPRequest) -> HTTPResponse? {
        wrongCodes.note(Self.household(of: request.peer), at: .now).map { Self.tooMany("wrong codes", $0) }
    }

    static func tooMany(_ what: String, _ wait: Duration) -> HTTPResponse {
        var response = HTTPResponse.json(429, Notice(code: ErrorCode.tooMany.rawValue, message: "too many \(what)"))
        response.headers.append(HTTPResponse.retryAfter(seconds: Int(wait.components.seconds) + 1))
        return response
    }

    /// One visitor chooses among the addresses of a whole network of IPv6.
    static func household(of peer: Peer) -> String {
        guard case .ip(let text) = peer, let address = IPAddress(text) else { return peer.description }
        return address.household.description
    }

    /// One response for codes that never existed, were used, or are too old.
    private static var noSuchCode: HTTPResponse {
        .json(404, Notice(code: ErrorCode.notFound.rawValue, message: "this code is unknown, used or too old"))
    }
}
