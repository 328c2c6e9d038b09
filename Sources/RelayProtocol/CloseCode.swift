/// Reason for which the relay closes a WebSocket. The range says whether to reconnect: 4000 to 4099 yes, 4400 to 4499 no.
package enum CloseCode: UInt16, Sendable, CaseIterable {
    case normal = 1000
    case goingAway = 1001
    case protocolError = 1002
    case unsupportedData = 1003
    case notUTF8 = 1007
    case tooBig = 1009
    /// The relay restarts: reconnect after a moment, with your position.
    case restarting = 4000
    /// The connection did not read fast enough.
    case tooSlow = 4008
    case timedOut = 4009
    case tooMany = 4029
    case revoked = 4401
    /// The host has opened a newer connection.
    case replaced = 4409
    case unsupportedVersion = 4426

    /// True if a peer that was closed with this code should reconnect by itself. Codes of others (1006, 1011 …) also invite that.
    package static func invitesReconnect(_ code: UInt16) -> Bool { !(4400..<4500).contains(code) }

    /// Close reason for `restarting` that asks one peer to wait, so that thousands of peers do not reconnect at the same moment.
    package static func restarting(inMilliseconds wait: Int64) -> String {
        "restarting: come back in \(wait) ms with your position"
    }

    /// Close reason for `revoked` if the whole workspace was removed.
    package static let workspaceRemoved = "revoked: this workspace was removed from the relay"

    /// Close reason for `tooMany` that names the limit, and asks the peer to wait.
    package static func tooMany(_ what: String, inSeconds wait: Int) -> String {
        "\(what): come back in \(wait) s with your position"
    }

    /// Wait in milliseconds that a close reason of the relay asks for: given in seconds with `tooMany` (an hour at most), in
    /// milliseconds with `restarting` (a minute at most). Nil if the reason names none.
    package static func wait(_ code: UInt16, _ reason: String) -> Int64? {
        let named = reason.split { !$0.isASCII || !$0.isNumber }.first.flatMap { Int64($0) }
        guard let named else { return nil }
        switch CloseCode(rawValue: code) {
        case .tooMany: return min(max(named, 1), 3_600) * 1_000
        case .restarting: return min(max(named, 0), 60_000)
        default: return nil
        }
    }

    package var reason: String {
        switch self {
        case .normal: "done"
        case .goingAway: "going away"
        case .protocolError: "protocol error"
        case .unsupportedData: "text messages only"
        case .notUTF8: "not UTF-8"
        case .tooBig: "message too big"
        case .restarting: "restarting: come back with your position"
        case .tooSlow: "too slow: come back with your position"
        case .timedOut: "timed out"
        case .tooMany: "too many"
        case .revoked: "revoked: pair again"
        case .replaced: "this host connected again elsewhere"
        case .unsupportedVersion: "this relay speaks version 1"
        }
    }
}
