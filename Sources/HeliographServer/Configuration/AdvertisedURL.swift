import RelayAccess

/// Where a node is reached by others: an address and nothing else.
enum AdvertisedURL {
    /// Nil for what is none.
    static func read(_ text: String) -> String? {
        guard text.hasPrefix("http://") || text.hasPrefix("https://"), let address = RelayAddress(text), address.prefix.isEmpty,
            case .tcp(_, let port, _) = address.target, port > 0
        else { return nil }
        return address.description
    }
}
