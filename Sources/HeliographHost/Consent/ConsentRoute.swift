internal import Consent
internal import ConsentKeys
internal import HostCore
internal import RelayProtocol
internal import WebSocketEngine

/// Requests of `heliograph host trust`, `devices` and `distrust` over the local socket. An answer with `error` gives the reason of
/// a refusal.
///
/// | request | answer |
/// |---|---|
/// | `POST /v1/trust` | `secret`, `host`, `expiresAt`: lets one device join; with `history`, `all` or `from-now` |
/// | `GET /v1/trust` | `device`, when it has joined; the secret is withdrawn if the caller goes away before |
/// | `GET /v1/devices` | `host`, `sign`, `consent`, `content`, `devices` |
/// | `POST /v1/distrust` | `name` of the `device` that was named |
/// | `POST /v1/passkey` | `name` of the device and `origin`: accepts the passkey with this `code` |
enum ConsentRoute {
    /// The request; nil if it is none of these.
    static func request(_ request: HTTPRequest) -> ConsentRequest? {
        switch (request.method, request.path) {
        case ("POST", "/v1/trust"): .invite(.random(), history(request.body))
        case ("GET", "/v1/trust"): .awaitDevice
        case ("GET", "/v1/devices"): .listDevices
        case ("POST", "/v1/distrust"):
            .distrust(text("device", request.body))
        case ("POST", "/v1/passkey"): .takePasskey(text("code", request.body))
        default: nil
        }
    }

    private static func text(_ key: StaticString, _ body: [UInt8]) -> String {
        (try? JSONDocument(parsing: body).root.optionalString(key)) ?? ""
    }

    /// The part of the past that a device may read. An unknown word, from another version, means the least.
    private static func history(_ body: [UInt8]) -> SharedHistory {
        guard let word = try? JSONDocument(parsing: body).root.optionalString("history") else { return .all }
        return SharedHistory(rawValue: word) ?? .fromNow
    }
}
