import RelayAccess

/// A node's address for others: an address and nothing else.
enum AdvertisedURL {
    /// Nil for what is none. An IPv6 address may lack its brackets: a manifest writes `http://$(POD_IP):8787` and does not know of which kind it is.
    static func read(_ text: String) -> String? {
        guard text.hasPrefix("http://") || text.hasPrefix("https://"),
            let address = RelayAddress(text) ?? RelayAddress(bracketed(text)), address.prefix.isEmpty,
            case .tcp(_, let port, _) = address.target, port > 0
        else { return nil }
        return address.description
    }

    /// The last colon precedes the port.
    private static func bracketed(_ text: String) -> String {
        guard let mark = text.firstRange(of: "://"), let port = text.lastIndex(of: ":") else { return text }
        let host = text[mark.upperBound..<max(mark.upperBound, port)]
        guard host.filter({ $0 == ":" }).count >= 2, host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else {
            return text
        }
        return "\(text[..<mark.upperBound])[\(host)]\(text[port...])"
    }
}
