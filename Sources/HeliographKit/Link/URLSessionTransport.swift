public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// WebSockets by `URLSession`, on Apple's platforms. On Linux, Foundation has them only if its libcurl was built with them.
public final class URLSessionTransport: RelayTransport {
    /// Time for the connection to open.
    public static let openSeconds: TimeInterval = 15

    public init() {}

    public func open(
        _ url: URL, subprotocol: String, token: String, messageBytesMax: Int
    ) async throws(SocketEndError) -> any RelaySocket {
        var request = URLRequest(url: url, timeoutInterval: Self.openSeconds)
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.setValue(subprotocol, forHTTPHeaderField: "Sec-WebSocket-Protocol")
        let opening = Opening()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        let session = URLSession(configuration: configuration, delegate: opening, delegateQueue: nil)
        let task = session.webSocketTask(with: request)
        task.maximumMessageSize = messageBytesMax
        task.resume()
        // The session keeps its delegate and its threads until the task has ended.
        session.finishTasksAndInvalidate()
        let outcome = await withTaskCancellationHandler {
            await opening.outcome()
        } onCancel: {
            task.cancel()
        }
        if let end = outcome { throw end }
        return Socket(task: task)
    }

    private struct Socket: RelaySocket {
        let task: URLSessionWebSocketTask

        func send(_ text: Data) async throws(SocketEndError) {
            do { try await task.send(.string(String(decoding: text, as: UTF8.self))) } catch { throw end(error) }
        }

        func receive() async throws(SocketEndError) -> Data {
            do {
                switch try await task.receive() {
                case .string(let text): return Data(text.utf8)
                case .data: throw SocketEndError.failed("the relay sent a binary message")
                @unknown default: throw SocketEndError.failed("the relay sent a message of another kind")
                }
            } catch let end as SocketEndError { throw end } catch { throw end(error) }
        }

        func close() { task.cancel(with: .goingAway, reason: nil) }

        private func end(_ error: any Error) -> SocketEndError {
            let code = task.closeCode
            guard code != .invalid else { return .failed(error.localizedDescription) }
            return .closed(
                code: UInt16(exactly: code.rawValue), reason: task.closeReason.map { String(decoding: $0, as: UTF8.self) } ?? ""
            )
        }
    }
}

/// Learns whether the handshake succeeded, and allows no redirect: the token goes to the relay alone.
private final class Opening: NSObject, URLSessionWebSocketDelegate {
    private let outcomes: AsyncStream<SocketEndError?>
    private let tell: AsyncStream<SocketEndError?>.Continuation

    override init() { (outcomes, tell) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1)) }

    /// Nil if the WebSocket is open.
    func outcome() async -> SocketEndError? {
        for await outcome in outcomes { return outcome }
        return .failed("cancelled")
    }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol subprotocol: String?
    ) { tell.yield(nil) }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode,
        reason: Data?
    ) { tell.yield(.closed(code: UInt16(exactly: closeCode.rawValue), reason: "")) }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 101
        let isAnswer = status != 101
        tell.yield(isAnswer ? .refused(status: UInt16(clamping: status)) : .failed(error?.localizedDescription ?? "it ended"))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }
}
