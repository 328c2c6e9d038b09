/// A node's lease in the database, and the rule for when the process has to end: its last renewal is so old that others take over, or it
/// owns workspaces from another life of the database.
final class NodeLease {
    private static let lookInterval: Int64 = 1_000
    /// Age of the last renewal at which the process ends: a second before others consider the node dead.
    private static let deadline: Int64 = 7_000

    private unowned let node: ClusterNode
    private var renewedAt: Int64
    private var isAsking = false

    init(_ node: ClusterNode) {
        self.node = node
        renewedAt = node.uptime
    }

    /// `asked` is the time of the request, by the node's own clock.
    func renewed(at asked: Int64) { renewedAt = max(renewedAt, asked) }

    func renew(isLeaving: Bool) {
        guard !isAsking else { return }
        isAsking = true
        let asked = node.uptime
        node.database.ask(.lease) { [address = node.address] database, _, reply in
            database.renew(address, isLeaving: isLeaving)
            reply(database.timeline)
        } answer: { [self] (timeline: Int?) in
            isAsking = false
            guard let timeline else { return }
            renewed(at: asked)
            if node.placement.ownsAny(notBornOn: timeline) { node.end("the database lives another life") }
        }
    }

    func keep() {
        node.inThisLife(after: Self.lookInterval) { [self] in
            if node.placement.isOwner, node.uptime - renewedAt >= Self.deadline {
                return node.end("it has not renewed its lease")
            }
            keep()
        }
    }
}
