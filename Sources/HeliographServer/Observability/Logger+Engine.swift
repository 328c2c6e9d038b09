import Logging
import WebSocketEngine

extension Logger {
    /// Logs the wait method, once the loop runs.
    func tell(_ waitMethod: WaitMethod) {
        let library: Logger.Metadata = ["libwebsockets": "\(EventLoop.libraryVersion)"]
        switch waitMethod {
        case .epoll: info("waits for sockets by epoll", metadata: library)
        case .poll:
            notice(
                "waits for sockets by poll, which gets slow with thousands of clients: install the package libwebsockets-evlib-ev",
                metadata: library)
        }
    }
}
