internal import Consent
internal import ConsentKeys
internal import HeliographLink
internal import RelayProtocol

/// `heliograph trust --renew`: says this terminal's count again to the hosts that were restored from older files, and take nothing until then.
final class RenewTask: ClientTask {
    private enum Stage {
        /// A count for no generation was sent: the refusal brings the host's. Becomes `saying`.
        case asking
        case saying
    }

    private static let repeatAfter = Duration.seconds(2)
    /// A host answers at once, if it is there.
    private static let answerWithin = Duration.seconds(10)

    let givesUpEarly = true
    private unowned let run: ClientRun
    private let keys: TerminalKeys
    private var identity: ConsentIdentity?
    private var pins: [HostKeyID: HostPin] = [:]
    /// Hosts that have not answered.
    private var open: [HostKeyID: (stage: Stage, bump: Bump)] = [:]
    private var renewed = 0
    private var fault: ClientError?

    init(_ run: ClientRun) {
        self.run = run
        keys = TerminalKeys(run.options)
        run.expect(within: run.options.patience) { [unowned run] in run.view.isWorkspaceKnown }
    }

    func heard(_ news: RelayLink.News) {
        switch news {
        case .changed(.workspaceKnown) where identity == nil: begin()
        case .letter(let letter, let host): received(letter, host)
        default: break
        }
    }

    private func begin() {
        do throws(ClientError) {
            let book = try keys.book()
            guard let identity = try keys.identity(), !book.hosts.isEmpty else {
                throw ClientError(.notFound, "no host trusts this terminal", advice: "heliograph trust LINK")
            }
            self.identity = identity
            let unknown = Generation([UInt8](repeating: 0, count: Generation.count))
            for host in book.hosts {
                guard let key = HostKeyID(host.id.text), let unknown else {
                    preconditionFailure("an id is a key's, zeros are bytes")
                }
                pins[key] = host
                let bump = Bump(host: host.id, generation: unknown, count: book.count, device: identity.id)
                open[key] = (.asking, bump)
            }
            send()
            run.after(Self.answerWithin) { [weak self] in self?.end() }
        } catch { run.fail(error) }
    }

    private func send() {
        guard let identity else { return }
        for (host, (_, bump)) in open.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            guard let letter = Letter(SignedLetter(.bump(bump), by: identity, .openSSL).bytes) else {
                preconditionFailure("a count is shorter than a letter may be")
            }
            _ = run.submit(.letter(letter, to: host))
        }
        run.after(Self.repeatAfter) { [weak self] in self?.send() }
    }

    private func received(_ letter: Letter, _ host: HostKeyID) {
        guard let (stage, bump) = open[host], let pin = pins[host] else { return }
        let name = VisibleText.line(pin.name)
        guard let answer = try? LetterAnswer(letter.bytes, to: bump, by: pin.id, .openSSL) else { return }
        switch answer {
        case .done:
            open[host] = nil
            renewed += 1
            run.terminal.print(run.terminal.palette.paint("✓ \(name) takes what this terminal signs", .green))
        case .refused(.restored, let generation) where stage == .asking:
            open[host] = (.saying, Bump(host: bump.host, generation: generation, count: bump.count, device: bump.device))
            return send()
        case .refused(let reason, _):
            open[host] = nil
            fault = ClientError(.refused, reason.sentence(host: name))
            run.terminal.remark(reason.sentence(host: name), .yellow)
        }
        if open.isEmpty { end() }
    }

    private func end() {
        if let fault { return run.fail(fault) }
        guard renewed > 0 else {
            return run.fail(ClientError(.timedOut, "no host answers", advice: "There: heliograph doctor"))
        }
        run.finish(.done)
    }
}
