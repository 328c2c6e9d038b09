internal import RelayAccess
internal import RelayProtocol

/// Fetches the requests that sessions of this host made before, as the relay keeps them, with the host's own token. Blocks the
/// calling thread.
struct PastFetch {
    /// Requests that are fetched, the newest first: weeks of a person's work.
    private static let requestsMax = 2_000
    private static let pagesMax = 16
    /// Seconds for all pages, within `SteeringLimits.evidenceWithin`.
    private static let seconds: Int64 = 15
    /// Bytes of the relay's page, doubled for what is written around the requests.
    private static let pageBytesMax = 1 << 20

    let configuration: HostConfiguration
    /// Opens what this host has sealed; nil if it has sealed nothing.
    let opening: PastOpening?

    func perform() throws(HostError) -> [KeptRequest] {
        var found: [KeptRequest] = []
        var path = "/v1/requests"
        let end = ContinuousClock.now + .seconds(Self.seconds)
        for _ in 0..<Self.pagesMax {
            guard let left = Self.seconds(until: end) else { throw HostError(.unreachable, "the relay takes too long") }
            var exchange = HTTPExchange(
                relay: configuration.relay, method: .get, path: path, bearer: configuration.token,
                certificateAuthorityFile: configuration.certificateAuthorityFile)
            exchange.answerBytesMax = Self.pageBytesMax
            exchange.seconds = left
            let (requests, next) = try Self.page(exchange)
            found += opening.map { requests.map($0.opened) } ?? requests
            guard let next, found.count < Self.requestsMax else { break }
            path = "/v1/requests?before=\(next)"
        }
        return found
    }

    private static func seconds(until end: ContinuousClock.Instant) -> Int64? {
        let left = ContinuousClock.now.duration(to: end).components.seconds
        return left > 0 ? left : nil
    }

    private static func page(_ exchange: HTTPExchange) throws(HostError) -> (requests: [KeptRequest], next: Int64?) {
        do {
            let answer = try exchange.perform()
            switch answer.status {
            case 200: return try KeptRequest.page(parsing: answer.body)
            // The relay does not know this request.
            case 404: throw HostError(.unreachable, "the relay is older than this host, and does not tell what was asked")
            case let status: throw HostError(.unreachable, "the relay answered \(status)")
            }
        } catch let error as HostError {
            throw error
        } catch let error as HTTPError {
            throw HostError(.unreachable, error.message)
        } catch { throw HostError(.unreachable, "the relay's answer is not understood: \(error)") }
    }
}
