import AgentLocal
import HostCore

/// A program's requests to an adapter in its host's daemon: answered, refused, or aborted when either process ends.
final class LocalClient<Fact: Sendable> {
    enum Reply {
        /// An answer; nil for an empty one.
        case answered([UInt8]?)
        case refused(LocalError)
        /// The daemon does not run, or ended before it answered.
        case gone
    }

    private struct Request {
        let token: HookToken
        let done: (Reply) -> Void
    }

    private unowned let world: World
    private unowned let host: HostProcess
    private let adapter: String
    private var open: [Int: Request] = [:]
    private var lastRequest = 0
    /// Facts to deliver in order, each retried until it arrives, or until it is on disk.
    private var outbox: [(fact: (HookToken) -> Fact, untilRecorded: Bool)] = []
    private var isSending = false
    /// Number of the program's current run.
    private var life = 0

    init(world: World, host: HostProcess, of adapter: String) {
        self.world = world
        self.host = host
        self.adapter = adapter
    }

    // MARK: Requests

    /// Sends a request. Returns its number, by which it can be closed.
    @discardableResult
    func post(_ fact: @escaping (HookToken) -> Fact, _ done: @escaping (Reply) -> Void) -> Int {
        lastRequest += 1
        let (request, life) = (lastRequest, life)
        world.after(world.dice.within(0...3)) { [self] _ in
            guard life == self.life else { return }
            guard let daemon = host.daemon else { return done(.gone) }
            let token = daemon.token { [self] output in answered(request, .answered(output)) }
            open[request] = Request(token: token, done: done)
            host.tell(fact(token), of: adapter)
        }
        return request
    }

    private func answered(_ request: Int, _ reply: Reply) {
        guard let done = open.removeValue(forKey: request)?.done else { return }
        let life = life
        world.after(world.dice.within(0...2)) { [self] _ in if life == self.life { done(reply) } }
    }

    func refused(_ token: HookToken, _ error: LocalError) {
        guard let request = open.first(where: { $0.value.token == token })?.key else { return }
        answered(request, .refused(error))
    }

    /// Closes the request's connection without an answer.
    func close(_ request: Int) {
        guard let token = open.removeValue(forKey: request)?.token else { return }
        host.daemon?.tell(.hookGone(token))
    }

    func daemonGone() { for request in open.keys.sorted() { answered(request, .gone) } }

    /// Ends all requests, because the program has ended.
    func end() {
        life += 1
        outbox = []
        isSending = false
        for request in open.keys.sorted() { close(request) }
    }

    // MARK: What has to arrive

    func say(_ fact: @escaping (HookToken) -> Fact, untilRecorded: Bool = false) {
        outbox.append((fact, untilRecorded))
        sendNext()
    }

    private func sendNext() {
        guard !isSending, let next = outbox.first else { return }
        isSending = true
        post(next.fact) { [self] reply in
            isSending = false
            let isLost =
                switch reply {
                case .gone: true
                case .answered(nil): next.untilRecorded
                case .answered, .refused: false
                }
            if isLost {
                isSending = true
                let life = life
                return world.after(world.dice.within(100...2_000)) { [self] _ in
                    guard life == self.life else { return }
                    isSending = false
                    sendNext()
                }
            }
            if !outbox.isEmpty { outbox.removeFirst() }
            sendNext()
        }
    }
}
