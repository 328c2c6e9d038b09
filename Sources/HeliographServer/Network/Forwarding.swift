import WebSocketEngine

/// Determines the origin of a request that came through proxies, from the one header that they are known to write.
///
/// Only one header is read: a proxy that writes one of them usually passes the other on as the client sent it. It is read from the
/// right, where the nearest proxy wrote, through trusted proxies, and no further: the rest may be forged.
struct Forwarding: Sendable {
    enum Header: String, Sendable, CaseIterable {
        case xForwardedFor = "X-Forwarded-For"
        /// The header of RFC 7239.
        case forwarded = "Forwarded"
    }

    /// Other headers of proxies: their values are never read, but their presence shows that there was a proxy.
    private static let traces = ["x-forwarded-proto", "x-forwarded-host"]

    enum Finding: Equatable {
        /// The peer whose socket it came on.
        case peer
        case visitor(IPAddress)
        /// A trusted proxy wrote an invalid value; a sentence for a log.
        case malformed(String)
    }

    let proxies: TrustedProxies
    let header: Header
    /// The public address's `Host`, in lower case; nil if there is none.
    var publicHost: String?

    /// Limit of proxies in a row; more are a loop.
    static let hopsMax = 16

    /// True if a proxy sent it, over a connection that may also carry requests of others. A trusted address of another machine is a
    /// proxy's. This machine's may be any process's: then a proxy is recognised by its headers, or by the requested name.
    func isByProxy(_ request: HTTPRequest) -> Bool {
        guard case .ip(let text) = request.peer, let peer = IPAddress(text), proxies.contain(peer) else { return false }
        guard request.peer.isLocal else { return true }
        return Self.hasTraces(request) || publicHost != nil && request.header("host")?.lowercased() == publicHost
    }

    /// True if there is a header that only proxies write.
    static func hasTraces(_ request: HTTPRequest) -> Bool {
        (traces + Header.allCases.map(\.rawValue)).contains { request.header($0) != nil }
    }

    /// The origin. `value`: the header's value, several lines joined with commas; nil: there was none.
    func whom(_ peer: IPAddress, says value: String?) -> Finding {
        guard let value, proxies.contain(peer) else { return .peer }
        var rest = value[...]
        var nearest: IPAddress?
        for _ in 0..<Self.hopsMax {
            guard let entry = Self.takeLast(&rest) else { break }
            guard let address = header == .forwarded ? Self.address(ofElement: entry) : Self.address(ofNode: entry) else {
                return .malformed("an entry of \(header.rawValue) names no address")
            }
            nearest = address
            if !proxies.contain(address) { return .visitor(address) }
        }
        if !rest.allSatisfy({ $0 == " " }) { return .malformed("\(header.rawValue) names more than \(Self.hopsMax) proxies") }
        // All addresses are trusted, so the request began with the first of them.
        return nearest.map { .visitor($0) } ?? .malformed("\(header.rawValue) is empty")
    }

    /// Removes and returns the last entry; nil if there is none left. Searched from the right, so that an unclosed quote further
    /// left, which the client may have sent, changes nothing.
    private static func takeLast(_ rest: inout Substring) -> Substring? {
        guard !rest.isEmpty else { return nil }
        var isQuoted = false
        var index = rest.endIndex
        while index > rest.startIndex {
            let before = rest.index(before: index)
            if rest[before] == "\"" { isQuoted.toggle() }
            if rest[before] == ",", !isQuoted {
                let entry = rest[index...]
                rest = rest[..<before]
                return entry.trimmed
            }
            index = before
        }
        let entry = rest
        rest = rest[rest.endIndex...]
        return entry.trimmed
    }

    // MARK: - One entry

    /// The address in an element such as `for=192.0.2.1;proto=https`, in any order, with names in any case; nil if it has no `for`,
    /// or two, or no address in it.
    private static func address(ofElement element: Substring) -> IPAddress? {
        var found: IPAddress?
        for pair in element.split(separator: ";", omittingEmptySubsequences: false) {
            let parts = pair.trimmed.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            guard parts[0].lowercased() == "for" else { continue }
            guard found == nil else { return nil }
            var value = parts[1]
            if value.hasPrefix("\""), value.hasSuffix("\""), value.count >= 2 { value = value.dropFirst().dropLast() }
            guard let address = address(ofNode: value) else { return nil }
            found = address
        }
        return found
    }

    /// Parses `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:443`; nil for anything else, such as
    /// `unknown` or an obfuscated name.
    private static func address(ofNode node: Substring) -> IPAddress? {
        if node.hasPrefix("[") {
            guard let end = node.firstIndex(of: "]"), let address = IPAddress(node[node.index(after: node.startIndex)..<end]),
                node[..<end].contains(":")
            else { return nil }
            let port = node[node.index(after: end)...]
            return port.isEmpty || port.first == ":" && UInt16(port.dropFirst()) != nil ? address : nil
        }
        let parts = node.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count == 2 {
            guard UInt16(parts[1]) != nil, let address = IPAddress(parts[0]) else { return nil }
            return address
        }
        // A zone in an address has a meaning only on the relay's own machine.
        return node.contains("%") ? nil : IPAddress(node)
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = self.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
