import Foundation
import HeliographKit
import Logging
import Synchronization
import WebSocketEngine

/// WebSockets by the project's own engine, as Foundation on Debian has none: its libcurl was built without them.
final class EngineTransport: RelayTransport {
    private let handle: EventLoopHandle
    private let loop: LoopBound<EventLoop>

    /// The loop runs as long as the process.
    init() {
        let made = Mutex<(EventLoopHandle, LoopBound<EventLoop>)?>(nil)
        let isMade = DispatchSemaphore(value: 0)
        let box = Shared(made: made, isMade: isMade)
        Thread.detachNewThread {
            do {
                try EventLoop.run(logger: Logger(label: "app-probe") { _ in SwiftLogNoOpLogHandler() }) { loop in
                    box.made.withLock { $0 = (loop.handle, LoopBound(loop, loop: loop)) }
                    box.isMade.signal()
                }
            } catch { fatalError("\(error)") }
        }
        isMade.wait()
        (handle, loop) = box.made.withLock { $0! }
    }

    private final class Shared: Sendable {
        let made: Mutex<(EventLoopHandle, LoopBound<EventLoop>)?>
        let isMade: DispatchSemaphore

        init(made: consuming Mutex<(EventLoopHandle, LoopBound<EventLoop>)?>, isMade: DispatchSemaphore) {
            self.made = made
            self.isMade = isMade
        }
    }

    func open(
        _ url: URL, subprotocol: String, token: String, messageBytesMax: Int
    ) async throws(SocketEndError) -> any RelaySocket {
        var configuration = ClientConfiguration(
            host: url.host() ?? "", port: UInt16(url.port ?? 80), path: url.path(),
            headers: [("authorization", "Bearer \(token)")], subprotocol: subprotocol)
        configuration.limits.messageBytesMax = messageBytesMax
        let wanted = configuration
        let socket = EngineSocket(handle: handle, loop: loop)
        handle.execute { [loop] in
            do { socket.opens(as: try loop.value.connect(wanted, handler: socket)) } catch {
                socket.ends(.failed("\(error)"))
            }
        }
        try await socket.isOpen()
        return socket
    }
}

final class EngineSocket: RelaySocket, ClientHandler {
    private enum News: Sendable {
        case opened
        case received(Data)
        case ended(SocketEndError)
    }

    private let handle: EventLoopHandle
    private let loop: LoopBound<EventLoop>
    private let connection = Mutex<ConnectionID?>(nil)
    private let tell: AsyncStream<News>.Continuation
    private let stream: AsyncStream<News>

    init(handle: EventLoopHandle, loop: LoopBound<EventLoop>) {
        (self.handle, self.loop) = (handle, loop)
        (stream, tell) = AsyncStream.makeStream()
    }

    func opens(as id: ConnectionID) { connection.withLock { $0 = id } }
    func ends(_ end: SocketEndError) {
        tell.yield(.ended(end))
        tell.finish()
    }

    func isOpen() async throws(SocketEndError) {
        if case .ended(let end) = await next() { throw end }
    }

    func receive() async throws(SocketEndError) -> Data {
        switch await next() {
        case .received(let data): return data
        case .ended(let end): throw end
        case .opened: throw .failed("opened twice")
        }
    }

    func send(_ text: Data) async throws(SocketEndError) {
        guard let id = connection.withLock({ $0 }) else { throw .failed("not open") }
        let bytes = [UInt8](text)
        handle.execute { [loop] in loop.value.send(OutgoingMessage(text: bytes), to: id) }
    }

    func close() {
        guard let id = connection.withLock({ $0 }) else { return }
        handle.execute { [loop] in loop.value.close(id, code: 1000, reason: "") }
    }

    private func next() async -> News {
        for await one in stream { return one }
        return .ended(.failed("it ended"))
    }

    // MARK: ClientHandler, on the loop's thread

    func opened(_ connection: ConnectionID, subprotocol: String?) { tell.yield(.opened) }
    func received(_ message: IncomingMessage, on connection: ConnectionID) { tell.yield(.received(Data(message.bytes))) }

    func closed(_ connection: ConnectionID, reason: CloseReason) {
        switch reason {
        case .peer(let code, let text): ends(.closed(code: code, reason: text))
        case .refused(let status, _): ends(.refused(status: status))
        default: ends(.failed("\(reason)"))
        }
    }
}
