import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol

/// Clients that decide with a notification's code: each is a peer of the core for as long as its one command takes. Like
/// `HTTPCommandPeers`.
final class OwnerCommandPeers {
    private struct Caller {
        let command: CommandID
        let answer: (Reply) -> Void
    }

    static let deadline: Int64 = 10_000

    private unowned let node: ClusterNode
    private var callers: [PeerID: Caller] = [:]
    private var lastPeer = PeerID.firstCommandPeer
    var tell: (Input) -> Void = { _ in }

    init(_ node: ClusterNode) { self.node = node }

    /// Presents a code. The command is named after the push, so that it counts once if sent twice.
    func present(_ push: PushID, named: PushID, _ verdict: Decision.Verdict, then answer: @escaping (Reply) -> Void) {
        guard let command = CommandID("code_\(named.rawValue)") else { preconditionFailure("this spells an identifier") }
        let peer = PeerID(rawValue: lastPeer.rawValue + 1)
        lastPeer = peer
        callers[peer] = Caller(command: command, answer: answer)
        node.inThisLife(after: Self.deadline) { [weak self] in
            self?.finish(peer, .failed(.unavailable, "there was no answer in time; it may have been done all the same"))
        }
        tell(.codePresented(peer, command, push, verdict))
    }

    func answered(_ reply: Reply, to command: CommandID, of peer: PeerID) {
        if callers[peer]?.command == command { finish(peer, reply) }
    }

    func closed(_ peer: PeerID) { finish(peer, .failed(.unavailable, "the relay's store does not answer; try again")) }

    private func finish(_ peer: PeerID, _ reply: Reply) {
        guard let caller = callers.removeValue(forKey: peer) else { return }
        caller.answer(reply)
        tell(.disconnected(peer))
    }
}
