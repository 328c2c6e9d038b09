import PushPlanner
import RelayCluster
import RelayProtocol

/// HTTP requests at a node: those that only a workspace's owner can answer, here decisions by a notification's code, whose number
/// identifies the workspace; and requests for an identity, which every node answers. Like `NodeRoutes`, except that requests do not
/// wait for an owner.
final class NodeCalls {
    private unowned let node: ClusterNode
    /// Requests from this node's own sockets, by number.
    private var waiting: [UInt64: (HTTPAnswer?) -> Void] = [:]
    private var lastCall: UInt64 = 0
    /// The last identity returned, for a planted fault.
    private var lastIdentity: Identity?

    init(_ node: ClusterNode) { self.node = node }

    /// `done` gets nil if the process ends first.
    func take(_ call: HTTPCall, then done: @escaping (HTTPAnswer?) -> Void) {
        lastCall += 1
        let number = lastCall
        waiting[number] = done
        answer(call, isCarried: false, number) { [weak self] in self?.finish(number, $0) }
    }

    /// `isCarried`: it came over a link from another node, which takes this one for the owner.
    func answer(_ call: HTTPCall, isCarried: Bool, _ number: UInt64 = 0, then done: @escaping (HTTPAnswer) -> Void) {
        if call.path == ProtocolVersion.mePath { return identify(call, then: done) }
        guard let code = ClusterCode(path: call.path) else { return done(HTTPAnswer(status: 404)) }
        let named = PushNumbers(of: code.push).workspace
        guard let workspace = node.placement.workspace(numbered: named) else { return done(HTTPAnswer(status: 404)) }
        if let part = node.owner(of: workspace) {
            let verdict: Decision.Verdict = call.body == ClusterCode.allow ? .allow : .deny(message: nil)
            return part.present(code.push, of: code.life, verdict) { done(HTTPAnswer($0)) }
        }
        // A code of an epoch that this node does not know is wrong, and is not forwarded.
        if !isCarried, node.placement.epoch(of: workspace)?.rawValue != code.life { return done(HTTPAnswer(status: 404)) }
        guard !isCarried, let holder = node.placement.holder(of: workspace), let edge = node.edges[holder], edge.isServing
        else { return done(HTTPAnswer(status: 503)) }
        edge.take(.called(EdgeMachine.CallID(rawValue: number), call))
    }

    /// Answers with an identity. If the token is unknown, another node may just have issued it, so the tokens are read again first.
    private func identify(_ call: HTTPCall, isAskedAgain: Bool = false, then done: @escaping (HTTPAnswer) -> Void) {
        let (world, entrants) = (node.world, node.entrants!)
        guard let role = world.identities.holder(in: call) else { return done(HTTPAnswer(status: 401)) }
        if let identity = entrants.identity(of: role) { return done(HTTPAnswer(planted(identity))) }
        let isRefuted = isAskedAgain || entrants.isRemoved(world.workspace(of: role))
        guard !isRefuted, world.plant != .hastyRefusal else { return done(HTTPAnswer(status: 401)) }
        entrants.read { [weak self] isRead in
            guard isRead else { return done(HTTPAnswer(status: 503)) }
            self?.identify(call, isAskedAgain: true, then: done)
        }
    }

    private func planted(_ identity: Identity) -> Identity {
        guard node.world.plant == .swappedIdentity else { return identity }
        defer { lastIdentity = identity }
        return lastIdentity ?? identity
    }

    func answered(_ call: EdgeMachine.CallID, _ answer: HTTPAnswer) { finish(call.rawValue, answer) }
    func failed(_ call: EdgeMachine.CallID, _ failure: EdgeMachine.CallFailure) {
        finish(call.rawValue, HTTPAnswer(status: 503))
    }

    private func finish(_ number: UInt64, _ answer: HTTPAnswer) {
        guard let done = waiting.removeValue(forKey: number) else {
            return node.world.report(.codes, "\(node.name) answers a request twice, or one that nobody has made")
        }
        done(answer)
    }

    /// The process has ended.
    func lose() {
        for (_, done) in waiting.sorted(by: { $0.key < $1.key }) { done(nil) }
        waiting = [:]
    }
}

/// A notification's code in a request: the push number, and in place of the proof the epoch, which this simulation needs.
struct ClusterCode {
    private static let path = "/v1/decisions/"
    static let allow = Array("allow".utf8)
    static let deny = Array("deny".utf8)

    let push: PushID
    let life: String

    init(_ push: PushID, in epoch: Epoch) { (self.push, life) = (push, epoch.rawValue) }

    init?(path: String) {
        let parts = path.dropFirst(Self.path.count).split(separator: ".", maxSplits: 1)
        guard path.hasPrefix(Self.path), parts.count == 2, let push = PushID(text: parts[0]) else { return nil }
        (self.push, life) = (push, String(parts[1]))
    }

    func call(_ body: [UInt8]) -> HTTPCall {
        HTTPCall(
            method: "POST", path: "\(Self.path)\(push.rawValue).\(life)", query: nil, headers: [], body: body,
            peer: .ip("127.0.0.1"), isNamedByProxy: false, isTLS: false)
    }
}

extension HTTPAnswer {
    fileprivate init(status: UInt16) { self.init(status: status, headers: [], body: []) }
    fileprivate init(_ identity: Identity) { self.init(status: 200, headers: [], body: identity.bytes) }

    /// The response for a reply: 200 for a decision made by this code.
    fileprivate init(_ reply: Reply) {
        switch reply {
        case .decided: self.init(status: 200)
        case .failed(let notice, _):
            self.init(status: notice.code == "unavailable" ? 503 : 409, headers: [], body: Array(notice.code.utf8))
        default: self.init(status: 500)
        }
    }
}
