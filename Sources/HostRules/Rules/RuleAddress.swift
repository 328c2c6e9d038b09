/// The host in a web address, if all programs agree on it.
enum RuleAddress {
    static func isHost(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 253 && !text.hasPrefix(".") && !text.hasSuffix(".")
            && text.utf8.allSatisfy {
                (48...57).contains($0) || (97...122).contains($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
            }
    }

    static func host(of address: String) -> String? {
        let lower = address.lowercased()
        guard let scheme = ["https://", "http://"].first(where: lower.hasPrefix) else { return nil }
        let rest = lower.dropFirst(scheme.count)
        // Programs differ in how they read a backslash, a tab or a user's name.
        guard rest.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }) else { return nil }
        let authority = rest.prefix { !"/?#".contains($0) }
        guard !authority.contains("@") else { return nil }
        let pieces = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = pieces.first.map(String.init), isHost(host), pieces.count <= 2 else { return nil }
        if pieces.count == 2, UInt16(pieces[1]) == nil { return nil }
        return host
    }

    /// True if the text has the host's name, or that of a host below it.
    static func names(_ host: String, in text: String) -> Bool {
        let (host, text) = (Array(host.utf8), Array(text.lowercased().utf8))
        guard !host.isEmpty, text.count >= host.count else { return false }
        func isName(_ place: Int) -> Bool {
            text.indices.contains(place) && (text[place].isLetterOrDigit || text[place] == UInt8(ascii: "-"))
        }
        return (0...(text.count - host.count)).contains { start in
            let end = start + host.count
            guard text[start..<end].elementsEqual(host), !isName(start - 1), !isName(end) else { return false }
            return end == text.count || text[end] != UInt8(ascii: ".") || !isName(end + 1)
        }
    }
}
