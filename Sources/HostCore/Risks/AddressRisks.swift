/// Warnings about an address that is fetched.
enum AddressRisks {
    static func sentences(_ address: String) -> [String] {
        // The address as browsers read it: invisible characters are left out, and a backslash is a slash.
        let bytes = address.utf8.filter { $0 > 32 }.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
        let read = String(decoding: bytes, as: UTF8.self)
        guard let colon = read.firstIndex(of: ":") else { return [] }
        let scheme = read[..<colon].lowercased()
        guard scheme == "http" || scheme == "https" else { return [] }
        let rest = read[read.index(after: colon)...].drop { $0 == "/" }
        let authority = rest.prefix { !"/?#".contains($0) }
        let host = host(of: authority)
        guard !host.isEmpty else { return [] }
        var found: [String] = []
        if scheme == "http" { found.append("Not over an encrypted connection.") }
        if isNear(host) { found.append("An address of a machine or a network of its own.") }
        if authority.contains("@") { found.append("The address carries a name or a password.") }
        return found
    }

    private static func host(of authority: Substring) -> String {
        let host = authority[(authority.lastIndex(of: "@").map(authority.index(after:)) ?? authority.startIndex)...]
        if host.hasPrefix("[") { return host.prefix { $0 != "]" }.lowercased() }
        var name = host.prefix { $0 != ":" }.lowercased()
        // The final dot of a full host name is removed.
        if name.hasSuffix(".") { name.removeLast() }
        return name
    }

    /// True for a host on this machine or network. A number as the last part makes the whole an IP address, however it is spelled.
    private static func isNear(_ host: String) -> Bool {
        if host == "localhost" || host.hasPrefix("[") || host.hasSuffix(".local") || host.hasSuffix(".internal") { return true }
        let last = host.split(separator: ".").last ?? ""
        let isHexadecimal = last.hasPrefix("0x") && last.dropFirst(2).allSatisfy(\.isHexDigit)
        return !last.isEmpty && (last.utf8.allSatisfy { (48...57).contains($0) } || isHexadecimal)
    }
}
