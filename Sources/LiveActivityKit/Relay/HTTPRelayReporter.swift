public import Foundation

/// Carries one request over HTTPS.
public protocol HTTPExchanging: Sendable {
    /// `token` is nil if the request carries its own proof. Throws `unreachable`.
    func exchange(_ request: RelayRequest, relay: URL, token: String?) async throws(LiveActivityError) -> HTTPAnswer
}

public struct HTTPAnswer: Sendable, Hashable {
    public var status: Int
    public var body: Data

    public init(status: Int, body: Data) {
        self.status = status
        self.body = body
    }
}

/// The relay over HTTPS.
public struct HTTPRelayReporter: RelayReporting {
    private let relay: URL
    private let credentials: any RelayCredentials
    private let exchange: any HTTPExchanging

    /// `relay` is the part of the pairing link before the `#`. Throws `refused` for an address that would send the token
    /// unencrypted.
    public init(
        relay: URL, credentials: any RelayCredentials, exchange: any HTTPExchanging
    ) throws(LiveActivityError) {
        try Self.check(relay)
        self.relay = relay
        self.credentials = credentials
        self.exchange = exchange
    }

    /// Throws `refused` for an address that would send secrets unencrypted.
    package static func check(_ relay: URL) throws(LiveActivityError) {
        let isLocal = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(relay.host() ?? "")
        guard relay.scheme == "https" || (relay.scheme == "http" && isLocal), relay.host()?.isEmpty == false else {
            throw LiveActivityError(.refused, "a relay is reached over https")
        }
    }

    public func report(_ report: RelayReport, of device: String) async throws(LiveActivityError) {
        let answer = try await exchange(try RelayRequest(report, of: device))
        try RelayRequest.check(status: answer.status, answer.body)
    }

    public func decide(
        _ verdict: Verdict, code: String, signature: String? = nil
    ) async throws(LiveActivityError) -> DecisionReply {
        let answer = try await exchange(try RelayRequest(verdict, code: code, signature: signature))
        return try RelayRequest.reply(status: answer.status, answer.body)
    }

    private func exchange(_ request: RelayRequest) async throws(LiveActivityError) -> HTTPAnswer {
        try await exchange.exchange(request, relay: relay, token: try credentials.token())
    }
}
