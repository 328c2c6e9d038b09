/// Proxies whose statement about a request's origin is accepted. Unix-domain sockets are always this machine's own and need not be
/// listed.
struct TrustedProxies: Sendable, Equatable, CustomStringConvertible {
    /// Trusts this machine only.
    static let standard = TrustedProxies(networks: [IPNetwork("127.0.0.0/8")!, IPNetwork("::1")!])
    /// Limit of networks: enough for a load balancer, its health checks, a service mesh; more is a mistake.
    static let countMax = 64
    private static let nobody = "none"

    let networks: [IPNetwork]

    private init(networks: [IPNetwork]) { self.networks = networks }

    /// Parses networks and addresses separated by commas, or `none`; nil for anything else.
    init?(_ text: String) {
        if text == Self.nobody {
            networks = []
            return
        }
        var found: [IPNetwork] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let network = IPNetwork(part.filter { $0 != " " }) else { return nil }
            found.append(network)
        }
        guard found.count <= Self.countMax else { return nil }
        networks = found
    }

    func contain(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

    var description: String { networks.isEmpty ? Self.nobody : networks.map(\.description).joined(separator: ",") }
}
