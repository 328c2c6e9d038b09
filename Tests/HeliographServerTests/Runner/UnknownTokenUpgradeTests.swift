import RelayProtocol
import Testing
import WebSocketEngine

@testable import HeliographServer

/// Upgrades with a token that a node does not know.
@Suite struct UnknownTokenUpgradeTests {
    /// Arrivals that were passed on.
    private final class Arrivals { var all: [Arrival] = [] }

    @Test func `while tokens cannot be read, nobody is refused for good, however many were shown`() async throws {
        let loop = try await TestLoop.start()
        let unknown = UnknownTokens()
        try await loop.run { loop in
            let arrivals = Arrivals()
            let handler = PeerHandler(
                loop: loop, part: .node(WorkspaceWays(), unknown, LinkAcceptor.Shared(secret: "s")),
                admission: AdmissionControl(Authenticator(publicURL: nil), ServerLimits()),
                forwarding: Forwarding(proxies: .standard, header: .xForwardedFor),
                measures: Measures(factory: PrometheusRegistry()), logger: silent
            ) { arrival, _ in arrivals.all.append(arrival) }
            func status(_ token: Int) -> UInt16? {
                let request = HTTPRequest(
                    method: "GET", path: ProtocolVersion.clientPath,
                    headers: [
                        ("sec-websocket-protocol", ProtocolVersion.subprotocol), ("authorization", "Bearer hgc_\(token)"),
                    ],
                    peer: .ip("127.0.0.1"))
                let decision = handler.upgradeRequested(request, on: ConnectionID(rawValue: UInt64(token + 1)))
                guard case .refuse(let status, let headers, _) = decision else { return nil }
                #expect(status == 401 || headers.contains { $0.0 == "retry-after" }, "\(status)")
                return status
            }
            for token in 0..<UnknownTokens.countMax { #expect(status(token) == 503) }
            #expect(arrivals.all.count == UnknownTokens.countMax, "a read is asked for")
            #expect(
                status(10_000) == 503 && arrivals.all.count == UnknownTokens.countMax, "one that is not noted asks for none")
            unknown.wereRead(unknown.doubted)
            #expect(status(7) == 401 && status(10_000) == 503 && arrivals.all.count == UnknownTokens.countMax + 1)
        }
    }
}
