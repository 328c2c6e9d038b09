import RelayAccess

/// Validates a node's address for other nodes: a base URL without a path.
enum AdvertisedURL {
    /// Nil if the text is not valid. An IPv6 address may lack its brackets: a Kubernetes manifest writes `http://$(POD_IP):8787`
    /// without knowing the kind of address.
    static func read(_ text: String) -> String? {
        guard text.hasPrefix("http://") || text.hasPrefix("https://"),
            let address = RelayAddress(text) ?? RelayAddress(bracketed(text)), address.prefix.isEmpty,
            case .tcp(_, let port, _) = address.target, port > 0
        else { return nil }
        return address.description
    }

    /// Adds brackets to an IPv6 address; the last colon precedes the port.
    private static func bracketed(_ text: String) -> String {
        guard let mark = text.firstRange(of: "://"), let port = text.lastIndex(of: ":") else { return text }
        let host = text[mark.upperBound..<max(mark.upperBound, port)]
        guard host.filter({ $0 == ":" }).count >= 2, host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else {
            return text
        }
        return "\(text[..<mark.upperBound])[\(host)]\(text[port...])"
    }
}
