internal import Consent
internal import ConsentKeys
internal import DeviceConsent
internal import HeliographLink
internal import RelayProtocol

/// `heliograph trust`: makes hosts trust this terminal, by a secret that one of them shows, or a device that they trust.
final class TrustTask: ClientTask {
    /// Time after which an unanswered letter is sent again; a host may be between two connections.
    private static let repeatAfter = Duration.seconds(2)
    /// Time for hosts to answer; a connected one answers at once.
    private static let answerWithin = Duration.seconds(20)
    /// Time for a device to answer, because a person compares the codes first.
    private static let personWithin = Duration.seconds(600)

    private unowned let run: ClientRun
    private let secret: TrustSecret
    private let name: String
    /// True within `login`, where trust comes second.
    private let isLogin: Bool
    private let keys: TerminalKeys
    private var identity: ConsentIdentity?
    /// The progress of joining; nil before the joins are sent.
    private var seeking: TrustSeeking?
    private var sent: [CommandID: LetterPeer] = [:]
    private var refusal: ClientError?

    init(_ run: ClientRun, _ secret: TrustSecret, name: String, isLogin: Bool) {
        self.run = run
        self.secret = secret
        self.name = name
        self.isLogin = isLogin
        keys = TerminalKeys(run.options)
        run.expectWorkspace()
    }

    func heard(_ news: RelayLink.News) {
        switch news {
        case .changed(.workspaceKnown) where identity == nil: begin()
        case .replied(let id, .failed(let notice, _)): if let peer = sent.removeValue(forKey: id) { failed(notice, peer) }
        case .letter(let letter, let peer): received(letter, peer)
        default: break
        }
    }

    // MARK: - Asking

    private func begin() {
        do throws(ClientError) {
            let peers = TrustSeeking.peers(of: secret, among: hosts)
            guard !peers.isEmpty else { return nobody() }
            let identity = try keys.identityToJoin()
            self.identity = identity
            seeking = TrustSeeking(secret, at: peers, by: identity, name: name, nonce: { .random() }, .openSSL)
            send()
            if secret.isOfDevice {
                run.terminal.remark(
                    "Confirm it at the other device. It shows the same code: \(identity.id.shortCode)")
            }
            run.after(secret.isOfDevice ? Self.personWithin : Self.answerWithin) { [weak self] in self?.timeIsOver() }
        } catch { run.fail(error) }
    }

    /// The connected hosts that require signatures.
    private var hosts: Set<KeyID> {
        TrustSeeking.hosts(of: run.view.sessions.values, asking: run.view.pendingApprovals)
    }

    /// Handles that no connected host knows the link, and none trusts this terminal yet.
    private func nobody() {
        let advice = "At a host: heliograph host trust"
        guard isLogin else {
            return run.fail(ClientError(.notFound, "no host of this relay knows this link", advice: advice))
        }
        // If no host requires signatures there is nothing to report.
        if !hosts.isEmpty { run.terminal.remark("No host trusts this terminal yet. \(advice).", .dim) }
        run.finish(.done)
    }

    private func send() {
        for (letter, peer) in seeking?.letters ?? [] {
            sent[run.submit(.letter(letter, to: peer))] = peer
        }
        run.after(Self.repeatAfter) { [weak self] in self?.send() }
    }

    // MARK: - Answers

    private func received(_ letter: Letter, _ peer: LetterPeer) {
        switch seeking?.received(letter, from: peer, wall: Moment.now) {
        case .trusted(let pin): trusts(pin)
        case .refused(let reason):
            let sentence =
                secret.isOfDevice ? Self.sentence(reason) : reason.sentence(host: VisibleText.line(name(of: peer)))
            refusal = ClientError(.refused, sentence)
            finishIfDone()
        case .notConcerned: finishIfDone()
        case .ignored(let error):
            run.terminal.remark(
                "a letter that is not \(VisibleText.line(name(of: peer)))'s was ignored (\(error.code.rawValue))", .yellow)
        case nil: break
        }
    }

    /// A device's reason, in other words than a host's.
    private static func sentence(_ reason: Refusal.Reason) -> String {
        reason == .usedSecret
            ? "Another device has already used this link. Show a new one: heliograph trust --vouch, or the page."
            : "The device that showed the link did not let this terminal in."
    }

    private func trusts(_ pin: HostPin) {
        do throws(ClientError) { try keys.pin(pin) } catch { return run.fail(error) }
        guard let identity else { preconditionFailure("a join is made with keys") }
        if run.options.isJSON {
            let document = JSONWriter.object {
                $0.field("host", pin.id.text)
                $0.field("name", pin.name)
                $0.field("device", identity.id.text)
                $0.field("code", identity.id.shortCode)
            }
            run.terminal.print(JSONLine.text(document))
        } else {
            run.terminal.print(
                run.terminal.palette.paint(
                    "✓ \(VisibleText.line(pin.name)) trusts this terminal: \(identity.id.shortCode)", .green))
            run.terminal.print("  \(secret.isOfDevice ? "The device that let it in" : "Its own screen") shows the same code.")
        }
        finishIfDone()
    }

    private func failed(_ notice: Notice, _ peer: LetterPeer) {
        guard seeking?.isOpen(peer) == true else { return }
        // A host between two connections is back for the next try.
        if notice.code != ErrorCode.notFound.rawValue, notice.code != ErrorCode.unavailable.rawValue,
            notice.code != ErrorCode.tooMany.rawValue
        {
            run.fail(.notTaken(notice, "write to hosts"))
        }
    }

    private func finishIfDone() {
        guard seeking?.isDone == true else { return }
        guard !hasTrust else { return run.finish(.done) }
        if let refusal { run.fail(refusal) } else { nobody() }
    }

    private var hasTrust: Bool { seeking?.trusted.isEmpty == false }

    private func timeIsOver() {
        guard !hasTrust else { return run.finish(.done) }
        run.fail(
            refusal
                ?? ClientError(
                    .timedOut,
                    secret.isOfDevice
                        ? "the other device does not answer: is its link still shown?"
                        : "the host does not answer: is it running, and connected to this relay?",
                    advice: secret.isOfDevice ? nil : "There: heliograph doctor"))
    }

    /// Runs the command. `text`: a link that a host's terminal or a device shows, or its secret alone.
    static func run(_ options: ClientOptions, _ given: String, name: String?, isLogin: Bool = false) -> ClientExit {
        let terminal = Terminal(environment: options.environment)
        let text: String
        do { text = try LinkText.read(given, terminal) } catch {
            terminal.report(error)
            return error.exit
        }
        let name = name ?? PairingCommands.ownName(options.environment)
        guard let secret = TrustSecret(link: text) else {
            let fault = ClientError(
                .usage, "this carries no secret of a host",
                advice: "At the host: heliograph host trust. Its link looks like https://relay.example/#k=SECRET")
            terminal.report(fault)
            return fault.exit
        }
        guard ConsentName.isSpelled(name) else {
            let fault = ClientError(.usage, "a name is one line of at most \(WireLimits.nameBytesMax) bytes")
            terminal.report(fault)
            return fault.exit
        }
        return ClientRun.run(options) { TrustTask($0, secret, name: name, isLogin: isLogin) }
    }

    /// The peer's name as the relay reports it: a host that refuses sends none.
    private func name(of peer: LetterPeer) -> String {
        guard case .host(let host) = peer else { return "the other device" }
        let name = run.view.sessions.values.first { $0.steering?.consent == host }?.host.name
        return name.flatMap { ConsentName.isSpelled($0) ? $0 : nil } ?? "the host"
    }
}
