internal import HeliographPlatform

/// Address of a relay: `https://relay.example`, `http://127.0.0.1:7800`, `https://example.org/relay` or `unix:/run/heliograph.sock`.
package struct RelayAddress: Hashable, Sendable, CustomStringConvertible {
    package enum Target: Hashable, Sendable {
        /// IPv6 literals have no brackets.
        case tcp(host: String, port: UInt16, isTLS: Bool)
        case unix(path: String)
    }

    package let target: Target
    /// Path before every path of the relay, without a slash at its end; empty unless the relay is below another site.
    package let prefix: String

    /// Parses an address. `ws` and `wss` mean the same as `http` and `https`. Without a scheme, this machine is `http` and all
    /// others are `https`. Nil if the text is not a valid address: a user name in it, for example, is refused.
    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            var path = text.dropFirst("unix:".count)
            if path.hasPrefix("//") { path = path.dropFirst(2) }
            // A folder's name may contain blanks and characters of any language.
            guard path.hasPrefix("/"), path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
            target = .unix(path: String(path))
            prefix = ""
            return
        }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        var rest = Substring(text)
        var isTLS: Bool?
        if let mark = text.range(ofFirst: "://") {
            switch text[..<mark.lowerBound].lowercased() {
            case "http", "ws": isTLS = false
            case "https", "wss": isTLS = true
            default: return nil
            }
            rest = text[mark.upperBound...]
        }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        var prefix = rest[slash...]
        while prefix.last == "/" { prefix.removeLast() }
        guard !rest.contains(where: { "?#@\\\"<>".contains($0) }), let (host, port) = Self.authority(rest[..<slash]) else {
            return nil
        }
        let secure = isTLS ?? !Loopback.contains(host)
        target = .tcp(host: host, port: port ?? (secure ? 443 : 80), isTLS: secure)
        self.prefix = String(prefix)
    }

    package var description: String {
        switch target {
        case .unix(let path): return "unix:" + path
        case .tcp(let host, let port, let isTLS):
            return (isTLS ? "https://" : "http://") + Self.authority(host, port == (isTLS ? 443 : 80) ? nil : port) + prefix
        }
    }

    /// True if a token would be sent unencrypted to another machine.
    package var isOpenToOthers: Bool {
        if case .tcp(let host, _, false) = target { !Loopback.contains(host) } else { false }
    }

    /// True if the address means whichever machine uses it.
    package var staysHere: Bool {
        switch target {
        case .unix: true
        case .tcp(let host, _, _): Loopback.contains(host)
        }
    }

    /// Host and port for a URL; IPv6 addresses in brackets.
    static func authority(_ host: String, _ port: UInt16?) -> String {
        (host.contains(":") ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "")
    }

    static func authority(_ text: Substring) -> (host: String, port: UInt16?)? {
        var host = text
        var port: Substring?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            if !rest.isEmpty {
                guard rest.hasPrefix(":") else { return nil }
                port = rest.dropFirst()
            }
            guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || ":.%".contains($0) }) else { return nil }
        } else {
            if let colon = text.firstIndex(of: ":") {
                host = text[..<colon]
                port = text[text.index(after: colon)...]
            }
            guard !host.isEmpty, host.allSatisfy({ $0.isLetter || $0.isNumber || "-._".contains($0) }), !host.hasPrefix("-")
            else { return nil }
        }
        guard let port else { return (host.lowercased(), nil) }
        guard port.allSatisfy(\.isNumber), let number = UInt16(port), number > 0 else { return nil }
        return (host.lowercased(), number)
    }
}

extension String {
    /// The first occurrence of `other`, without Foundation.
    func range(ofFirst other: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(other) { return start..<index(start, offsetBy: other.count) }
            start = index(after: start)
        }
        return nil
    }
}
