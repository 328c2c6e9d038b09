import HeliographPlatform
import RelayAccess
import RelayCluster
import RelayProtocol

/// Problems of the nodes on one database, as seen from this machine: each is called at the address that it advertises.
///
/// Links are needed in both directions: run this on each node's machine to check all of them.
struct NodesDoctor {
    private let nodes: [NodeRow]
    private let certificateAuthorityFile: String?

    /// Time limit of one call; a reachable node answers in milliseconds.
    private static let callSeconds: Int64 = 5
    /// Tolerated difference of the clocks; `Date` has whole seconds.
    private static let clockSecondsMax: Int64 = 3
    /// A subprotocol that is not a link's, so that no link is opened: a node that accepts the secret refuses it for the
    /// subprotocol, any other for the secret.
    private static let noSubprotocol = ProtocolVersion.subprotocol

    init(_ nodes: [NodeRow], certificateAuthorityFile: String?) {
        self.nodes = nodes
        self.certificateAuthorityFile = certificateAuthorityFile
    }

    /// Empty if no relay advertises an address. Takes some seconds for each node that does not answer.
    func findings() -> [Finding] {
        guard !nodes.isEmpty else { return [] }
        let living = nodes.filter { $0.leaseSeconds >= 0 }
        return [rows] + living.map { finding(of: $0, look(at: $0)) } + versions(of: living)
    }

    // MARK: - Rows

    private var rows: Finding {
        let living = nodes.filter { $0.leaseSeconds >= 0 }
        let names = living.map { node in
            "\(node.name) (owns \(node.workspaceCount) workspace\(node.workspaceCount == 1 ? "" : "s"), lease for \(node.leaseSeconds) s more)"
        }
        let gone = nodes.count - living.count
        let text =
            "\(living.isEmpty ? "none" : names.joined(separator: ", "))"
            + (gone == 0 ? "" : "; \(gone) ended without a word within the last day")
        if let lost = living.first(where: { !$0.isConnected }) {
            return Finding(
                "Nodes", .doubtful, "\(text); \(lost.name) has a lease, and is not connected to the database",
                mend: "it was killed, or has lost its connection to the database: look at its log; its lease ends by itself")
        }
        guard Set(living.map(\.name)).count == living.count else {
            return Finding("Nodes", .doubtful, "\(text); two have one name", mend: "give each a --node NAME of its own")
        }
        return Finding("Nodes", .well, text)
    }

    // MARK: - Calls

    private enum Seen {
        case unreachable(String)
        /// Another process answers at the address.
        case another(String)
        /// `aheadSeconds`: the node's clock minus this machine's.
        case node(takesLinks: Bool, aheadSeconds: Int64?)
    }

    private func look(at node: NodeRow) -> Seen {
        guard let address = RelayAddress(node.url) else { return .another("\(node.url) is no address") }
        do throws(HTTPError) {
            let health = try exchange(address, "/healthz").perform()
            guard health.status == 200 else {
                return .another("\(node.url) answers with \(health.status), and is not a relay")
            }
            var link = exchange(address, NodeLinkProtocol.path)
            (link.bearer, link.subprotocol) = (node.secret, Self.noSubprotocol)
            let answer = try link.perform()
            if answer.status == 401 { return .another("\(node.url) leads to another node, or to another process of it") }
            guard answer.status == 400 || answer.status == 404 else {
                return .another("\(node.url) answers a link with \(answer.status)")
            }
            let ahead = health.date.flatMap(HTTPDate.seconds).map { $0 - WallClock.milliseconds / 1_000 }
            return .node(takesLinks: answer.status == 400, aheadSeconds: ahead)
        } catch {
            return .unreachable(error.message)
        }
    }

    private func exchange(_ address: RelayAddress, _ path: String) -> HTTPExchange {
        var exchange = HTTPExchange(
            relay: address, method: .get, path: path, certificateAuthorityFile: certificateAuthorityFile)
        exchange.seconds = Self.callSeconds
        // Without proxies, like the links between nodes.
        exchange.proxies = .none
        return exchange
    }

    private func finding(of node: NodeRow, _ seen: Seen) -> Finding {
        let subject = "Node \(node.name)"
        switch seen {
        case .unreachable(let why):
            return Finding(
                subject, .wrong, "\(node.url) cannot be reached from here: \(why)",
                mend: "make it reachable from every node's machine, or let it --advertise another address")
        case .another(let what):
            return Finding(subject, .wrong, what, mend: "--advertise names the node's own address, and no proxy's")
        case .node(let takesLinks, let ahead):
            if node.linkVersion != NodeLinkProtocol.version {
                return Finding(
                    subject, .doubtful,
                    "it speaks version \(node.linkVersion) of the link, and this program \(NodeLinkProtocol.version)",
                    mend: "finish the upgrade: one of the two stands by until the other has gone")
            }
            if let ahead, abs(ahead) > Self.clockSecondsMax {
                return Finding(
                    subject, .doubtful, "its clock differs from this machine's by \(abs(ahead)) s",
                    mend: "let all use the same time server")
            }
            guard takesLinks else {
                return Finding(
                    subject, .doubtful, "\(node.url) takes no links",
                    mend: "check again: it may just have been started anew, as a relay that is alone on the database")
            }
            return Finding(subject, .well, "\(node.url) takes links with its secret")
        }
    }

    private func versions(of nodes: [NodeRow]) -> [Finding] {
        let versions = Set(nodes.map(\.software))
        guard versions.count > 1 else { return [] }
        return [
            Finding(
                "Node versions", .doubtful, "nodes run \(versions.sorted().joined(separator: " and "))",
                mend: "finish the upgrade, one node after the other")
        ]
    }
}
