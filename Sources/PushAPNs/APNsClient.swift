package import ChannelAPNs
internal import HeliographCrypto
internal import HeliographHTTP2

/// Sends pushes to APNs and reports the outcome of each. Usable from any thread; ends with the last reference, or by `stop()`.
package final class APNsClient: Sendable {
    /// Holds the driver.
    private final class Home: @unchecked Sendable {
        // Invariant of @unchecked: read and written by jobs of the engine only, all on its one thread.
        var driver: APNsDriver?
    }

    private let engine: HTTP2Engine
    private let home = Home()

    /// Throws `HTTP2Error` `systemFailed`, or `CryptoError` `invalidCertificate`. An unreadable key file throws nothing here:
    /// requests fail with it until it is readable.
    package init(_ configuration: APNsConfiguration) throws {
        let tls = try TLSContext(clientProtocols: ["h2"], authorityFile: configuration.authorityFile)
        engine = try HTTP2Engine()
        let home = home
        engine.execute { loop in
            home.driver = APNsDriver(configuration, tls, loop)
        }
    }

    deinit { stop() }

    /// Calls `completion` once with the outcome, on a thread of the client that it must not block.
    package func submit(_ request: APNsRequest, then completion: @escaping @Sendable (APNsOutcome) -> Void) {
        let home = home
        let isTaken = engine.execute { loop in
            guard let driver = home.driver else {
                return completion(APNsOutcome(result: .notSent(.stopped), environment: request.environment, attempts: 0))
            }
            driver.submit(request, completion, loop)
        }
        if !isTaken { completion(APNsOutcome(result: .notSent(.stopped), environment: request.environment, attempts: 0)) }
    }

    /// Does not send this request if it has not left, and does not repeat it. It gets an outcome like any other.
    package func withdraw(_ id: String) {
        let home = home
        engine.execute { loop in home.driver?.withdraw(id, loop) }
    }

    /// Sends the request, and returns its outcome.
    package func send(_ request: APNsRequest) async -> APNsOutcome {
        await withCheckedContinuation { continuation in
            submit(request) { continuation.resume(returning: $0) }
        }
    }

    /// State of each lane; empty once stopped.
    package func lanes() async -> [APNsLaneState] {
        let home = home
        let states = try? await engine.run { loop in home.driver?.lanes(loop) ?? [] }
        return states ?? []
    }

    /// Another client replaces this one: requests that have not left get the outcome `notSent` with `replaced`, and the other is to
    /// send them.
    package func giveBack() {
        let home = home
        engine.execute { loop in home.driver?.giveBack(loop) }
    }

    /// Gives every request without an outcome one, and ends the thread.
    package func stop() {
        let home = home
        engine.execute { loop in
            home.driver?.stop(loop)
            home.driver = nil
        }
        engine.stop()
    }
}
