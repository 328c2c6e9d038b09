internal import RelayProtocol

/// Where a relay is: `https://relay.example`, `http://127.0.0.1:8080`, or with a path where a proxy serves it below one.
package struct RelayAddress: Sendable, Equatable, CustomStringConvertible {
    package var isTLS: Bool
    /// Without the brackets of an IPv6 literal.
    package var host: String
    package var port: UInt16
    /// Empty, or `/below/here` without a slash at its end.
    package var basePath: String

    package init(_ text: String) throws(HostError) {
        let bad = HostError(.badConfiguration, "a relay's address looks like https://relay.example or http://127.0.0.1:8080")
        guard let scheme = text.split(separator: "://", maxSplits: 1).first, text.utf8.count <= 2048 else { throw bad }
        switch scheme {
        case "https", "wss": isTLS = true
        case "http", "ws": isTLS = false
        default: throw bad
        }
        guard text.dropFirst(scheme.count).hasPrefix("://") else { throw bad }
        let rest = text.dropFirst(scheme.count + 3)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        var path = rest.dropFirst(authority.count)
        guard !path.contains("?"), !path.contains("#"), !authority.contains("@") else { throw bad }
        while path.last == "/" { path.removeLast() }
        basePath = String(path)
        var portText: Substring = ""
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { throw bad }
            host = String(authority[authority.index(after: authority.startIndex)..<end])
            portText = authority[authority.index(after: end)...]
        } else {
            let colon = authority.firstIndex(of: ":") ?? authority.endIndex
            host = String(authority[..<colon])
            portText = authority[colon...]
        }
        if portText.isEmpty {
            port = isTLS ? 443 : 80
        } else {
            guard portText.hasPrefix(":"), let number = UInt16(portText.dropFirst()), number > 0 else { throw bad }
            port = number
        }
        guard !host.isEmpty, (host + basePath).utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw bad }
    }

    /// How a person would write it; also what is handed to `curl`.
    package var url: String {
        let isDefault = port == (isTLS ? 443 : 80)
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(isTLS ? "https" : "http")://\(name)\(isDefault ? "" : ":\(port)")\(basePath)"
    }

    package var description: String { url }

    /// Only over loopback may a secret go without TLS.
    package var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }
}
