internal import Glibc
internal import HeliographPlatform

/// The proxies in this process's environment for its requests and links, with curl's rules:
///
/// | variable | meaning |
/// |---|---|
/// | `https_proxy`, `HTTPS_PROXY` | for relays at `https://` |
/// | `http_proxy` | for relays at `http://`; in capitals it is ignored, as a CGI program's visitors can set that one |
/// | `all_proxy`, `ALL_PROXY` | for both, if the variable above is not set |
/// | `no_proxy`, `NO_PROXY` | exceptions: names with all below them, addresses, networks as `10.0.0.0/8`, separated by commas; `*`:
/// all |
///
/// Unlike curl's, they never apply to an address of this machine.
package struct ProxySettings: Sendable {
    package static let names = [
        "https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
    ]

    private let values: [String: String]

    package init(_ values: [String: String]) { self.values = values }

    package static let none = ProxySettings([:])

    package static var environment: ProxySettings {
        var values: [String: String] = [:]
        for name in names {
            if let value = unsafe getenv(name) { values[name] = unsafe String(cString: value) }
        }
        return ProxySettings(values)
    }

    /// The proxy to use; nil if the relay is reached directly. Throws if the proxy is of an unsupported kind.
    package func proxy(for relay: RelayAddress) throws(HTTPError) -> ProxyAddress? {
        guard case .tcp(let host, _, let isTLS) = relay.target, !relay.staysHere, !isExcepted(host) else { return nil }
        let candidates = (isTLS ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
        guard let name = candidates.first(where: { values[$0] != nil }), let text = values[name], !text.isEmpty else {
            return nil
        }
        guard let proxy = ProxyAddress(text) else {
            // Without the address, which may contain a password.
            throw HTTPError(
                .proxy, "\(name) names a proxy that heliograph cannot use: it takes http://[NAME:PASSWORD@]HOST:PORT")
        }
        return proxy
    }

    private func isExcepted(_ host: String) -> Bool {
        guard let list = values["no_proxy"] ?? values["NO_PROXY"] else { return false }
        let host = host.last == "." ? host.dropLast() : host[...]
        let address = NetworkAddress(host)
        return list.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }).contains { entry in
            if entry == "*" { return true }
            if let address { return address.isInside(entry) }
            var name = entry.lowercased()[...]
            if name.last == "." { name.removeLast() }
            if name.first == "." { name.removeFirst() }
            return !name.isEmpty && (host == name || host.hasSuffix("." + name))
        }
    }
}

/// The bytes of a numeric address.
private struct NetworkAddress {
    private let bytes: [UInt8]

    init?(_ text: Substring) {
        var text = text
        if text.first == "[", text.last == "]" { text = text.dropFirst().dropLast() }
        var bytes = [UInt8](repeating: 0, count: 16)
        if unsafe inet_pton(AF_INET, String(text), &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else if unsafe inet_pton(AF_INET6, String(text), &bytes) == 1 {
            self.bytes = bytes
        } else {
            return nil
        }
    }

    /// `network`: an address, or one with the number of significant bits.
    func isInside(_ network: Substring) -> Bool {
        let slash = network.firstIndex(of: "/") ?? network.endIndex
        guard let other = NetworkAddress(network[..<slash]), other.bytes.count == bytes.count else { return false }
        let most = bytes.count * 8
        guard let bits = slash == network.endIndex ? most : Int(network[network.index(after: slash)...]),
            (0...most).contains(bits)
        else { return false }
        return zip(bytes, other.bytes).enumerated().allSatisfy { index, pair in
            let counted = min(max(bits - index * 8, 0), 8)
            return (pair.0 ^ pair.1) >> (8 - counted) == 0
        }
    }
}
