internal import HeliographCrypto
internal import HeliographHTTP2

/// Sends pushes to the push services of browsers and reports the outcome of each. Usable from any thread; ends with the last
/// reference, or by `stop()`.
package final class WebPushClient: Sendable {
    /// Holds the driver.
    private final class Home: @unchecked Sendable {
        // Invariant of @unchecked: read and written by jobs of the engine only, all on its one thread.
        var driver: WebPushDriver?
    }

    private let engine: HTTP2Engine
    private let home = Home()

    /// Throws `HTTP2Error` `systemFailed`, or `CryptoError` `invalidCertificate`.
    package init(_ configuration: WebPushConfiguration) throws {
        let tls = try TLSContext(clientProtocols: ["h2", "http/1.1"], authorityFile: configuration.authorityFile)
        engine = try HTTP2Engine()
        let home = home
        engine.execute { _ in home.driver = WebPushDriver(configuration, tls) }
    }

    deinit { stop() }

    /// Calls `completion` once with the outcome, on a thread of the client that it must not block.
    package func submit(_ request: WebPushRequest, then completion: @escaping @Sendable (WebPushOutcome) -> Void) {
        let home = home
        let isTaken = engine.execute { loop in
            guard let driver = home.driver else { return completion(WebPushOutcome(.notSent(.stopped), attempts: 0)) }
            driver.submit(request, completion, loop)
        }
        if !isTaken { completion(WebPushOutcome(.notSent(.stopped), attempts: 0)) }
    }

    /// Does not send this request if it has not left, and does not repeat it. It gets an outcome like any other.
    package func withdraw(_ id: String) {
        let home = home
        engine.execute { loop in home.driver?.withdraw(id, loop) }
    }

    /// Sends the request, and returns its outcome.
    package func send(_ request: WebPushRequest) async -> WebPushOutcome {
        await withCheckedContinuation { continuation in
            submit(request) { continuation.resume(returning: $0) }
        }
    }

    /// State of each push service in use; empty once stopped.
    package func origins() async -> [WebPushOriginState] {
        let home = home
        let states = try? await engine.run { loop in home.driver?.origins(loop) ?? [] }
        return states ?? []
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
