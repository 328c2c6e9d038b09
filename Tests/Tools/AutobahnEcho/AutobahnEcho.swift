// autobahn-echo serve | client PORT AGENT: the real WebSocketEngine as what the Autobahn test suite talks to. `serve` prints the port
// that it listens on; `client` runs all cases of the suite's server on that port. Started by Tests/Tools/autobahn.py.

import Foundation
import Logging
import WebSocketEngine

@main enum AutobahnEcho {
    /// The suite's largest messages, in its cases 9.*: 16 MiB in one message, or 4 MiB in frames of 64 bytes.
    static let limits = {
        var limits = Limits()
        limits.messageBytesMax = 16 << 20
        limits.fragmentsMax = (4 << 20) / 64 + 1
        limits.outboxBytesMax = 64 << 20
        return limits
    }()

    /// The suite works on a large message for a minute before it sends any of it, its answer to the handshake included.
    static let patience = Duration.seconds(1_000)
    static let liveness = Liveness(pingAfter: patience, hangUpAfter: patience * 2)

    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        var logger = Logger(label: "autobahn-echo") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .error
        var configuration = EventLoop.Configuration()
        if arguments == ["serve"] {
            configuration.waitMethod = .epoll
            try EventLoop.run(configuration, logger: logger) { loop in
                let listener = try loop.listen(
                    ListenerConfiguration(address: .tcp(host: "127.0.0.1", port: 0), limits: limits, liveness: liveness),
                    handler: EchoServer(loop))
                print(listener.port ?? 0)
                fflush(nil)
            }
        } else if arguments.count == 3, arguments[0] == "client", let port = UInt16(arguments[1]) {
            try EventLoop.run(configuration, logger: logger) { loop in
                try EchoClient(loop, port: port, agent: arguments[2]).start()
            }
        } else {
            print("autobahn-echo serve | client PORT AGENT")
            exit(2)
        }
    }
}

extension EventLoop {
    func echo(_ message: IncomingMessage, to connection: ConnectionID) {
        switch message.kind {
        case .text: send(OutgoingMessage(text: message.bytes), to: connection)
        case .binary: send(OutgoingMessage(binary: message.bytes), to: connection)
        }
    }
}
