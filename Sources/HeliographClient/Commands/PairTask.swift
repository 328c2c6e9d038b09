internal import HeliographLink
internal import RelayProtocol

/// Asks the relay for a pairing code.
final class PairTask: ClientTask {
    private unowned let run: ClientRun
    private let role: PairingRole
    private var asked: CommandID?
    private(set) var link: String?

    static func link(_ options: ClientOptions, _ role: PairingRole) -> String? {
        guard (try? Credentials.resolve(options)) != nil else { return nil }
        var task: PairTask?
        let exit = ClientRun.run(options) { run in
            let made = PairTask(run, role)
            task = made
            return made
        }
        return exit == .done ? task?.link : nil
    }

    init(_ run: ClientRun, _ role: PairingRole) {
        self.run = run
        self.role = role
        run.expect { false }
    }

    func heard(_ news: RelayLink.News) {
        switch news {
        case .changed(.workspaceKnown) where asked == nil: asked = run.submit(.pair(role))
        case .replied(let id, let reply) where id == asked:
            guard case .pairing(let link, _, _) = reply else {
                if case .failed(let notice, _) = reply { return run.fail(.notTaken(notice, "let devices in")) }
                return run.fail(ClientError(.failed, "the relay's reply does not fit"))
            }
            self.link = link
            run.finish(.done)
        default: break
        }
    }
}
