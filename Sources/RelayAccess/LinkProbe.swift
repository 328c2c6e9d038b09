internal import HeliographLink
internal import Logging
internal import RelayProtocol
internal import WebSocketEngine

/// Tests the connection that a link would use, with the link's own WebSocket client, TLS and proxy, but without a token: the
/// upgrade offers no subprotocol, so that a relay refuses it before it looks for a token. Blocks the calling thread for at most
/// `ClientConfiguration.connectTimeout`.
package struct LinkProbe {
    /// Status of a relay's answer to an upgrade without a subprotocol.
    private static let refusal: UInt16 = 400

    package var relay: RelayAddress
    package var certificateAuthorityFile: String?
    package var proxies = ProxySettings.environment

    package init(relay: RelayAddress, certificateAuthorityFile: String?) {
        self.relay = relay
        self.certificateAuthorityFile = certificateAuthorityFile
    }

    /// Throws if a link could not be opened.
    package func perform() throws(HTTPError) {
        let proxy = try proxies.proxy(for: relay)
        switch try end {
        case .refused(Self.refusal, _): return
        case .refused(let status, _): throw HTTPError(.badAnswer, "a WebSocket is answered with HTTP \(status)")
        case .timedOut: throw HTTPError(.timedOut, "no answer to a WebSocket came in time")
        case .failed(let sentence): throw HTTPError(proxy == nil ? .unreachable : .proxy, sentence)
        case .peer, .local, .tooSlow: throw HTTPError(.badAnswer, "the WebSocket that was opened is not a relay's")
        }
    }

    private var end: LinkEnd {
        get throws(HTTPError) {
            var configuration = ClientConfiguration(
                relay, path: ProtocolVersion.hostPath, token: "", certificateAuthorityFile: certificateAuthorityFile,
                proxies: proxies)
            (configuration.headers, configuration.subprotocol) = ([], nil)
            var listener: Listener?
            do {
                try EventLoop.run(logger: Logger(label: "heliograph.probe") { _ in SwiftLogNoOpLogHandler() }) { loop in
                    let made = Listener(loop)
                    listener = made
                    _ = try loop.connect(configuration, handler: made)
                }
            } catch { throw HTTPError(.local, (error as? WebSocketEngineError)?.message ?? "no event loop can be made") }
            guard let end = listener?.end else { throw HTTPError(.local, "the event loop has ended") }
            return end
        }
    }

    private final class Listener: ClientHandler {
        private(set) var end: LinkEnd?
        private let loop: EventLoop

        init(_ loop: EventLoop) { self.loop = loop }

        func opened(_ connection: ConnectionID, subprotocol: String?) {
            loop.close(connection, code: CloseCode.protocolError.rawValue, reason: "no subprotocol was agreed on")
        }

        func received(_ message: IncomingMessage, on connection: ConnectionID) {}

        func closed(_ connection: ConnectionID, reason: CloseReason) {
            end = LinkEnd(reason)
            loop.stop()
        }
    }
}
