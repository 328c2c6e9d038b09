import WebSocketEngine

/// The half of a browser's credential that no script reads.
enum BrowserCookie {
    static let name = "heliograph"
    /// With this prefix a browser takes it over HTTPS alone, and from no other name below the same domain.
    static let secureName = "__Host-heliograph"
    /// Another port of the same name can add more of the same name to ours; ours counts wherever it is among so many, which are more than a
    /// browser keeps of one site.
    private static let countMax = 1_000
    private static let year = 365 * 24 * 60 * 60

    /// Every one that could be ours.
    static func values(in request: HTTPRequest) -> [String] {
        let pairs = (request.header("cookie") ?? "").split(separator: ";").lazy.map {
            $0.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        }
        return Array(
            pairs.filter { $0.count == 2 && ($0[0] == name || $0[0] == secureName) }.map { String($0[1]) }.prefix(countMax))
    }

    static func given(_ value: String, isSecure: Bool) -> [(String, String)] {
        // The cookie of an earlier visit over the other scheme is removed, or it would be carried along for a year.
        guard isSecure else { return [header(name, value, seconds: year, false)] }
        return [header(secureName, value, seconds: year, true), header(name, "", seconds: 0, true)]
    }

    static func taken(isSecure: Bool) -> [(String, String)] {
        [header(name, "", seconds: 0, isSecure)] + (isSecure ? [header(secureName, "", seconds: 0, true)] : [])
    }

    private static func header(_ name: String, _ value: String, seconds: Int, _ isSecure: Bool) -> (String, String) {
        // Plain HTTP has no secure cookies in every browser; it is served on loopback, or at its owner's own risk.
        (
            "set-cookie",
            "\(name)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
        )
    }
}
