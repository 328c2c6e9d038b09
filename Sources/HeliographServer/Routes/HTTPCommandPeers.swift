import HeliographCrypto
import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol
import WebSocketEngine

/// Clients over HTTP: each is a peer of the core for the duration of one command. Confined to the loop's thread.
final class HTTPCommandPeers {
    /// Simultaneous commands: several phones that wake at once; each takes a request and a peer.
    static let countMax = 256
    /// Time limit of a command: several times a commit on a slow disk.
    static let deadline = Duration.seconds(10)

    private struct Caller {
        let command: CommandID
        let answer: (Reply) -> Void
        let timer: TimerID
    }

    private let loop: EventLoop
    private let mailbox: CoreMailbox
    private var httpPeers: [PeerID: Caller] = [:]
    private var lastPeer = PeerID.firstCommandPeer

    init(loop: EventLoop, mailbox: CoreMailbox) {
        self.loop = loop
        self.mailbox = mailbox
    }

    /// True while requests wait for an answer.
    var isAnswering: Bool { !httpPeers.isEmpty }

    // MARK: - Calls

    /// Runs a command as this client; `answer` is called once.
    func call(as client: ClientIdentity, _ command: ClientCommand, then answer: @escaping (Reply) -> Void) {
        guard let id = CommandID(Secret.identifier(prefix: "http_")) else { preconditionFailure("this spells an identifier") }
        guard let peer = add(id, answer) else { return }
        mailbox.put(.clientConnected(peer, client))
        mailbox.put(.clientSent(peer, .hello(Hello(software: ServerConfiguration.software))))
        mailbox.put(.clientSent(peer, .command(id, command)))
    }

    /// Decides by the code of a push. The command is named after the push, so that sending it twice has one effect.
    func present(_ push: PushID, _ verdict: Decision.Verdict, signature: String?, then answer: @escaping (Reply) -> Void) {
        guard let id = CommandID("code_\(push.rawValue)") else { preconditionFailure("this spells an identifier") }
        guard let peer = add(id, answer) else { return }
        mailbox.put(.codePresented(peer, id, push, verdict, signature: signature))
    }

    private func add(_ command: CommandID, _ answer: @escaping (Reply) -> Void) -> PeerID? {
        guard httpPeers.count < Self.countMax else {
            answer(.failed(.unavailable, "too many ask at once; try again"))
            return nil
        }
        let peer = PeerID(rawValue: lastPeer.rawValue + 1)
        lastPeer = peer
        let timer = loop.schedule(after: Self.deadline) { [weak self] in
            self?.finish(peer, .failed(.unavailable, "there was no answer in time; it may have been done all the same"))
        }
        httpPeers[peer] = Caller(command: command, answer: answer, timer: timer)
        return peer
    }

    // MARK: - What the core says

    func answered(_ reply: Reply, to command: CommandID, of peer: PeerID) {
        if httpPeers[peer]?.command == command { finish(peer, reply) }
    }

    func closed(_ peer: PeerID) { finish(peer, .failed(.unavailable, "the relay's store does not answer; try again")) }

    private func finish(_ peer: PeerID, _ reply: Reply) {
        guard let caller = httpPeers.removeValue(forKey: peer) else { return }
        loop.cancel(caller.timer)
        caller.answer(reply)
        mailbox.put(.disconnected(peer))
    }
}
