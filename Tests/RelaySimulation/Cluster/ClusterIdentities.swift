import RelayCluster
import RelayModel
import RelayProtocol

/// Asks nodes for the identity of the holder of a token: every role asks at times, even after its token was revoked.
///
/// It has its own random numbers, so that the other events of a seed do not depend on it.
final class ClusterIdentities {
    private static let header = "authorization"
    private static let scheme = "Bearer "

    private unowned let world: ClusterWorld
    private var dice: Dice
    /// Identities that nodes have returned.
    private(set) var told = 0

    init(world: ClusterWorld, seed: UInt64) {
        self.world = world
        dice = Dice(seed: seed ^ 0x1D_E4_71_7E)
    }

    func begin() {
        world.after(dice.within(50...1_000)) { [self] world in
            ask(dice.pick(world.roles))
            begin()
        }
    }

    /// Asks any node.
    func ask(_ role: ClusterSocket.Role) {
        let (node, asked) = (dice.pick(world.nodes), world.now)
        let call = HTTPCall(
            method: "GET", path: ProtocolVersion.mePath, query: nil,
            headers: [HTTPField(Self.header, Self.scheme + world.name(of: role))], body: [], peer: .ip("127.0.0.1"),
            isNamedByProxy: false, isTLS: false)
        world.after(dice.within(1...5)) { [self] _ in
            node.run { [self] in
                node.calls.take(call) { [self] answer in
                    if let answer { check(answer, of: node, to: role, asked) }
                }
            }
        }
    }

    /// The holder of the request's token, among all that ever existed.
    func holder(in call: HTTPCall) -> ClusterSocket.Role? {
        guard let value = call.headers.first(where: { $0.name == Self.header })?.value, value.hasPrefix(Self.scheme) else {
            return nil
        }
        return world.roles.first { world.name(of: $0) == value.dropFirst(Self.scheme.count) }
    }

    // MARK: Checking

    private func check(_ answer: HTTPAnswer, of node: ClusterNode, to role: ClusterSocket.Role, _ asked: Int64) {
        let (name, stored) = (world.name(of: role), world.database[world.workspace(of: role)])
        world.trace.note(world.now, name, "hears who it is", "\(answer.status) of \(node.name)")
        switch answer.status {
        case 200: check(answer.body, of: node, to: role, asked)
        case 401:
            if !stored.isRemoved { world.report(.identity, "\(node.name) does not know the token of \(name) of \(stored.id)") }
        // The node cannot read the entrants.
        case 503:
            guard let since = world.settledSince, asked - since > ServiceLimits.heard else { return }
            world.report(.identity, "\(node.name) does not say who \(name) is, and nothing fails")
        default: world.report(.identity, "\(node.name) answers \(name) with \(answer.status)")
        }
    }

    private func check(_ body: [UInt8], of node: ClusterNode, to role: ClusterSocket.Role, _ asked: Int64) {
        let (name, stored) = (world.name(of: role), world.database[world.workspace(of: role)])
        let identity: Identity
        do throws(WireError) { identity = try Identity(parsing: body) } catch {
            return world.report(.codec, "\(name) does not understand who it is: \(error)")
        }
        told += 1
        let isItself = identity.workspace.id == stored.id && identity.holder == world.holder(of: role)
        if !isItself || !stored.names.contains(identity.workspace.name) {
            let said = "\(identity.holder) of \(identity.workspace.id), which is called \(identity.workspace.name)"
            world.report(.identity, "\(name) of \(stored.id) is told by \(node.name) that it is \(said)")
        }
        guard let removed = stored.removedAt, let settled = world.settledAt else { return }
        let late = asked - max(removed, settled)
        if late > ServiceLimits.heard {
            world.report(.identity, "\(node.name) knows a token of \(stored.id), which all heard \(late) ms ago was removed")
        }
    }
}
