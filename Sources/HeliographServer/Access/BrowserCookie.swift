import WebSocketEngine

/// The half of a browser's credential that scripts cannot read.
enum BrowserCookie {
    static let name = "heliograph"
    /// Name of the cookie over HTTPS. With this prefix a browser accepts it only over HTTPS, and not from another name of the same
    /// domain.
    static let secureName = "__Host-heliograph"
    /// Number of cookies that are looked at: a server on another port of the same host can add cookies with this name to ours. Ours
    /// is found among this many, which are more than a browser keeps for one site.
    private static let countMax = 1_000
    private static let year = 365 * 24 * 60 * 60

    /// Values of every cookie that could be ours.
    static func values(in request: HTTPRequest) -> [String] {
        let pairs = (request.header("cookie") ?? "").split(separator: ";").lazy.map {
            $0.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        }
        return Array(
            pairs.filter { $0.count == 2 && ($0[0] == name || $0[0] == secureName) }.map { String($0[1]) }.prefix(countMax))
    }

    static func given(_ value: String, isSecure: Bool) -> [(String, String)] {
        // The cookie of an earlier visit over the other scheme is removed, or it would be sent along for a year.
        guard isSecure else { return [header(name, value, seconds: year, false)] }
        return [header(secureName, value, seconds: year, true), header(name, "", seconds: 0, true)]
    }

    static func taken(isSecure: Bool) -> [(String, String)] {
        [header(name, "", seconds: 0, isSecure)] + (isSecure ? [header(secureName, "", seconds: 0, true)] : [])
    }

    private static func header(_ name: String, _ value: String, seconds: Int, _ isSecure: Bool) -> (String, String) {
        // Not every browser supports secure cookies over plain HTTP, which is used on loopback, or at its owner's own risk.
        (
            "set-cookie",
            "\(name)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
        )
    }
}
