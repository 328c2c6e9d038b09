package import ChannelAPNs
internal import HeliographCrypto
internal import HeliographHTTP2

/// Sends pushes to APNs and says what became of each. Used from any thread; ends with the last reference, or by `stop()`.
package final class APNsClient: Sendable {
    /// Holder of the driver.
    private final class Home: @unchecked Sendable {
        // Invariant of @unchecked: read and written by jobs of the engine only, all on its one thread.
        var driver: APNsDriver?
    }

    private let engine: HTTP2Engine
    private let home = Home()

    /// Throws `HTTP2Error` `systemFailed`, or `CryptoError` `invalidCertificate`. A key file that cannot be read is no error here:
    /// its requests say so, until it can.
    package init(_ configuration: APNsConfiguration) throws {
        let tls = try TLSContext(clientProtocols: ["h2"], authorityFile: configuration.authorityFile)
        engine = try HTTP2Engine()
        let home = home
        engine.execute { loop in
            home.driver = APNsDriver(configuration, tls, loop)
        }
    }

    deinit { stop() }

    /// Tells `completion` what became of the request, once, on a thread of the client's that it must not block.
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

    /// Does not send the request of this id any more, if it is not on its way, and not again if it is. It has its outcome as any other.
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

    /// Another client takes this one's place: requests that are not on their way are `notSent` as `replaced`, for the other to send.
    package func giveBack() {
        let home = home
        engine.execute { loop in home.driver?.giveBack(loop) }
    }

    /// Every request that has no outcome yet gets one, and the thread ends.
    package func stop() {
        let home = home
        engine.execute { loop in
            home.driver?.stop(loop)
            home.driver = nil
        }
        engine.stop()
    }
}
