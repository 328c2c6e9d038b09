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
            let verdict = try Decision.Verdict(from: JSONDocument(parsing: request.body).root)
            core.httpPeers.present(push, verdict) { [self] reply in
                if case .failed(let notice, _) = reply, notice.code == ErrorCode.notFound.rawValue {
                    respond(id, Self.noSuchCode)
                } else {
                    respond(id, .reply(reply))
                }
            }
        } catch { respond(id, .json(400, Notice(error))) }
    }

    /// What is answered to one wrong code too many from an address, of pairing or of a push; nil: there were fewer. A right code is never
    /// counted: nobody can shut others out by guessing.
    func noteWrongCode(of request: HTTPRequest) -> HTTPResponse? {
        wrongCodes.note(Self.household(of: request.peer), at: .now).map(Self.tooManyWrongCodes)
    }

    static func tooManyWrongCodes(_ wait: Duration) -> HTTPResponse {
        var response = HTTPResponse.json(429, Notice(code: ErrorCode.tooMany.rawValue, message: "too many wrong codes"))
        response.headers.append(HTTPResponse.retryAfter(seconds: Int(wait.components.seconds) + 1))
        return response
    }

    /// One visitor chooses among the addresses of a whole network of IPv6.
    static func household(of peer: Peer) -> String {
        guard case .ip(let text) = peer, let address = IPAddress(text) else { return peer.description }
        return address.household.description
    }

    /// The same for a code that never was, one that is used, and one that is too old.
    private static var noSuchCode: HTTPResponse {
        .json(404, Notice(code: ErrorCode.notFound.rawValue, message: "this code is unknown, used or too old"))
    }
}

/// Wrong codes by address, so that a log does not fill and guessing is not even tried.
struct WrongCodes {
    /// Somebody who taps an old notification, several times over.
    static let countMax = 20
    static let window = Duration.seconds(60)
    /// With more, all that have come since are counted as one.
    static let addressesMax = 1_000

    private struct Count {
        var since: ContinuousClock.Instant
        var count = 0
    }

    private var counts: [String: Count] = [:]

    /// How long this address has to wait before another wrong one is looked up; nil: it has not shown too many.
    func wait(of address: String, at now: ContinuousClock.Instant) -> Duration? {
        let count = counts[address] ?? (counts.count < Self.addressesMax ? nil : counts[""])
        guard let count, count.count >= Self.countMax, now - count.since < Self.window else { return nil }
        return Self.window - (now - count.since)
    }

    /// Counts one; hands back how long this address has to wait where it was one too many.
    mutating func note(_ address: String, at now: ContinuousClock.Instant) -> Duration? {
        if counts[address] == nil, counts.count >= Self.addressesMax {
            counts = counts.filter { now - $0.value.since < Self.window }
        }
        let name = counts[address] != nil || counts.count < Self.addressesMax ? address : ""
        var count = counts[name] ?? Count(since: now)
        if now - count.since >= Self.window { count = Count(since: now) }
        count.count += 1
        counts[name] = count
        return count.count > Self.countMax ? Self.window - (now - count.since) : nil
    }
}
