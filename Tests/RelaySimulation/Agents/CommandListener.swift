import HostCore
import RelayProtocol

/// Waits at the daemon for clients' commands to one session, one request after the other, as `SteeringListener` does.
final class CommandListener<Fact: Sendable> {
    private unowned let world: World
    private let client: LocalClient<Fact>
    private let fact: (HookToken) -> Fact
    private let took: (SteeringRequest) -> Void
    /// Offers the session again, because a restarted daemon has forgotten the offer.
    private let sayAgain: () -> Void
    private var request: Int?
    private var isWanted = true

    /// Pause before the next request, in milliseconds. (A daemon that knows the session keeps a request open for longer.)
    private static var retryInterval: Int64 { 1_000 }

    init(
        world: World, client: LocalClient<Fact>, fact: @escaping (HookToken) -> Fact,
        took: @escaping (SteeringRequest) -> Void, sayAgain: @escaping () -> Void
    ) {
        self.world = world
        self.client = client
        self.fact = fact
        self.took = took
        self.sayAgain = sayAgain
    }

    func listen() {
        let begun = world.now
        request = client.post(fact) { [self] reply in
            guard isWanted else { return }
            request = nil
            switch reply {
            case .answered(let output?):
                if case .steer(let request)? = try? MessageToHost(parsing: output) { took(request) }
                listen()
            case .answered(nil) where world.now - begun >= Self.retryInterval: listen()
            case .answered(nil), .refused, .gone: pause()
            }
        }
    }

    private func pause() {
        sayAgain()
        world.after(world.dice.within(100...2_000)) { [self] _ in if isWanted { listen() } }
    }

    /// Closes the request, by which the daemon knows that the listener has gone.
    func end() {
        isWanted = false
        if let request { client.close(request) }
        request = nil
    }

    /// Ignores replies from now on; the request stays open.
    func forget() { isWanted = false }
}
