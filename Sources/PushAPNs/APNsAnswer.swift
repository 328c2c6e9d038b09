internal import Foundation
internal import HeliographHTTP2
internal import RelayProtocol

/// A response of APNs, as far as it matters here.
struct APNsAnswer: Equatable, Sendable {
    var status: Int
    /// As Apple wrote it; empty if there is none.
    var reasonText = ""
    /// With a 410: time since which the token is dead, in milliseconds since 1970.
    var timestamp: Int64?
    /// Wait that the service asks for, in seconds.
    var retryAfter: Int?
    var uniqueID: String?
    var channelID: String?
    var body: [UInt8] = []

    var reason: APNsReason? { APNsReason(rawValue: reasonText) }
    var remedy: APNsRemedy { reason?.remedy ?? APNsReason.remedy(status: status) }

    init(status: Int, reason: APNsReason? = nil, timestamp: Int64? = nil, retryAfter: Int? = nil) {
        self.status = status
        reasonText = reason?.rawValue ?? ""
        self.timestamp = timestamp
        self.retryAfter = retryAfter
    }

    init(_ message: HTTP2Message) {
        status = message.status ?? 0
        uniqueID = message["apns-unique-id"]
        channelID = message["apns-channel-id"]
        retryAfter = message["retry-after"].flatMap { Int($0) }
        body = message.body
        guard !(200..<300).contains(status), let refusal = Self.refusal(in: body) else { return }
        reasonText = refusal.reason ?? ""
        timestamp = refusal.timestamp.flatMap { Int64(exactly: $0.rounded()) }
    }

    /// The reason in a GOAWAY, which has the form of a refusal.
    static func reasonText(ofGoAway debug: [UInt8]) -> String? { refusal(in: debug)?.reason }

    private struct Refusal: Decodable {
        var reason: String?
        var timestamp: Double?
    }

    /// Nil if it is not JSON: a proxy in between answers with pages.
    private static func refusal(in body: [UInt8]) -> Refusal? {
        body.isEmpty ? nil : try? JSONDecoder().decode(Refusal.self, from: Data(body))
    }
}

extension APNsAnswer {
    func refusal(_ advice: PushAdvice) -> APNsOutcome.Result {
        .refused(status: status, reason, text: reasonText, advice)
    }

    var acceptance: APNsAcceptance {
        var acceptance = APNsAcceptance(status: status)
        acceptance.uniqueID = uniqueID
        acceptance.channelID = channelID
        acceptance.body = body
        return acceptance
    }
}
