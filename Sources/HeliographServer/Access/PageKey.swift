import RelayProtocol
import WebSocketEngine

/// The half of a browser's credential that the page keeps, in its `localStorage`.
///
/// A cookie is sent to every port of the relay's host name, so to every server that an agent starts there; `localStorage` belongs
/// to the origin, including the port. Each half is worthless without the other.
enum PageKey {
    static let prefix = "hgk_"
    static let header = "heliograph-key"
    /// Prefix of a subprotocol that carries the key, beside `heliograph.v1`, because a browser lets a page set no header of a
    /// WebSocket. It is never selected. libwebsockets accepts lists of up to 127 bytes and names of up to 62: with the key this one
    /// has 51.
    static let subprotocolPrefix = "key."

    static func shown(in request: HTTPRequest, isUpgrade: Bool) -> String? {
        guard isUpgrade else { return request.header(header) }
        return request.offeredSubprotocols.first { $0.hasPrefix(subprotocolPrefix) }
            .map { String($0.dropFirst(subprotocolPrefix.count)) }
    }
}
