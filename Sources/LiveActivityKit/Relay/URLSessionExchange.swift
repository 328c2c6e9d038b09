public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Requests by `URLSession`, without cookies, caches or redirects: a relay never redirects, and no other server may get the token.
public final class URLSessionExchange: HTTPExchanging {
    /// Time limit of a request: an app that was woken in the background has 30 s.
    public static let requestSeconds: TimeInterval = 10

    private let session: URLSession
    private let redirects = RefusedRedirects()

    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = Self.requestSeconds
        configuration.timeoutIntervalForResource = Self.requestSeconds
        configuration.httpShouldSetCookies = false
        session = URLSession(configuration: configuration, delegate: redirects, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    public func exchange(
        _ request: RelayRequest, relay: URL, token: String?
    ) async throws(LiveActivityError) -> HTTPAnswer {
        var sent = URLRequest(url: relay.appending(path: request.path))
        sent.httpMethod = request.method.rawValue
        if let token { sent.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        if !request.body.isEmpty {
            sent.httpBody = request.body
            sent.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        do {
            let (body, response) = try await session.data(for: sent)
            guard let status = (response as? HTTPURLResponse)?.statusCode else {
                throw LiveActivityError(.badAnswer, "this was no answer over HTTP")
            }
            return HTTPAnswer(status: status, body: body)
        } catch let error as LiveActivityError { throw error } catch {
            throw LiveActivityError(.unreachable, "the relay cannot be reached: \(error.localizedDescription)")
        }
    }
}

private final class RefusedRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }
}
