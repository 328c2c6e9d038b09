public import Foundation

/// Opens WebSockets to the relay. An app uses `URLSessionTransport`; tests may have their own.
public protocol RelayTransport: Sendable {
    /// Returns when it is open. A longer message than `messageBytesMax` ends the connection.
    func open(
        _ url: URL, subprotocol: String, token: String, messageBytesMax: Int
    ) async throws(SocketEndError) -> any RelaySocket
}

/// One open WebSocket. One task sends, and another receives.
public protocol RelaySocket: Sendable {
    func send(_ text: Data) async throws(SocketEndError)
    func receive() async throws(SocketEndError) -> Data
    /// Ends the calls of `send` and `receive` that wait.
    func close()
}

/// Why a WebSocket ended, or was not opened.
public enum SocketEndError: Error, Sendable, Hashable {
    /// The relay closed it with this code.
    case closed(code: UInt16?, reason: String)
    /// The handshake was answered with this HTTP status.
    case refused(status: UInt16)
    /// Another failure, as a sentence.
    case failed(String)
}
