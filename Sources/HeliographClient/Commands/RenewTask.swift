internal import Consent
internal import ConsentKeys
internal import HeliographLink
internal import RelayProtocol

/// `heliograph trust --renew`: sends this terminal's count again to hosts that were restored from older files and accept nothing
/// until they get it.
final class RenewTask: ClientTask {
    private unowned let run: ClientRun
    private let letters: HostLetters
    private var renewed = 0
    private var fault: ClientError?

    init(_ run: ClientRun) {
        self.run = run
        letters = HostLetters(run)
    }

    func heard(_ news: RelayLink.News) { letters.heard(news, begin: begin, received: received) }

    private func begin() {
        letters.begin { host, identity, book in
            // A host refuses a count for an unknown generation, and replies with its own generation.
            .bump(Bump(host: host.id, generation: .unknown, count: book.count, device: identity.id))
        } timeIsOver: { [weak self] in
            self?.end()
        }
    }

    private func received(_ letter: Letter, _ host: HostKeyID) {
        guard case (.bump(let bump), let pin)? = letters.letter(to: host),
            let answer = try? LetterAnswer(letter.bytes, to: bump, by: pin.id, .openSSL)
        else { return }
        let name = VisibleText.line(pin.name)
        switch answer {
        case .done:
            letters.answered(by: host)
            renewed += 1
            run.terminal.print(run.terminal.palette.paint("✓ \(name) takes what this terminal signs", .green))
        case .refused(.restored, let generation) where bump.generation == .unknown:
            let known = Bump(host: bump.host, generation: generation, count: bump.count, device: bump.device)
            return letters.send(.bump(known), to: host)
        case .refused(let reason, _):
            letters.answered(by: host)
            fault = ClientError(.refused, reason.sentence(host: name))
            run.terminal.remark(reason.sentence(host: name), .yellow)
        }
        if letters.areAnswered { end() }
    }

    private func end() {
        if let fault { return run.fail(fault) }
        guard renewed > 0 else {
            return run.fail(ClientError(.timedOut, "no host answers", advice: "There: heliograph doctor"))
        }
        run.finish(.done)
    }
}
