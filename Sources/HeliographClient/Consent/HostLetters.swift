internal import Consent
internal import ConsentKeys
internal import HeliographLink
internal import RelayProtocol

/// Letters to the hosts that trust this terminal. Each is sent again until its host has answered, because letters are delivered
/// only live.
final class HostLetters {
    private static let repeatAfter = Duration.seconds(2)
    /// Time for hosts to answer; a connected one answers at once.
    private static let answerWithin = Duration.seconds(10)

    let keys: TerminalKeys
    private(set) var identity: ConsentIdentity?
    private unowned let run: ClientRun
    private var pins: [HostKeyID: HostPin] = [:]
    private var open: [HostKeyID: LetterContent] = [:]

    init(_ run: ClientRun) {
        self.run = run
        keys = TerminalKeys(run.options)
        run.expectWorkspace()
    }

    var areAnswered: Bool { open.isEmpty }
    var unanswered: some Collection<LetterContent> { open.values }

    /// Handles a task's news: `begin` once the workspace is known, `received` for each letter from a host.
    func heard(_ news: RelayLink.News, begin: () -> Void, received: (Letter, HostKeyID) -> Void) {
        switch news {
        case .changed(.workspaceKnown) where identity == nil: begin()
        case .letter(let letter, .host(let host)): received(letter, host)
        default: break
        }
    }

    /// Writes to every host; if there is none, the command fails. `timeIsOver` is called if not all have answered in time.
    func begin(_ content: (HostPin, ConsentIdentity, HostBook) -> LetterContent, timeIsOver: @escaping () -> Void) {
        let trusted: (identity: ConsentIdentity, book: HostBook)
        do throws(ClientError) { trusted = try keys.trusted() } catch { return run.fail(error) }
        identity = trusted.identity
        for host in trusted.book.hosts {
            let key = HostKeyID(host.id)
            pins[key] = host
            open[key] = content(host, trusted.identity, trusted.book)
        }
        sendAll()
        run.after(Self.answerWithin) { timeIsOver() }
    }

    /// The letter that `host` has not answered.
    func letter(to host: HostKeyID) -> (content: LetterContent, pin: HostPin)? {
        guard let content = open[host], let pin = pins[host] else { return nil }
        return (content, pin)
    }

    func answered(by host: HostKeyID) { open[host] = nil }

    /// Sends a letter in place of the earlier one.
    func send(_ content: LetterContent, to host: HostKeyID) {
        open[host] = content
        guard let identity else { preconditionFailure("the first letters are signed, too") }
        guard let letter = Letter(SignedLetter(content, by: identity, .openSSL).bytes) else {
            preconditionFailure("what a device writes to a host is shorter than a letter may be")
        }
        _ = run.submit(.letter(letter, to: .host(host)))
    }

    private func sendAll() {
        for (host, content) in open.sorted(by: { $0.key.rawValue < $1.key.rawValue }) { send(content, to: host) }
        run.after(Self.repeatAfter) { [weak self] in self?.sendAll() }
    }
}
