internal import Consent
internal import ConsentKeys
internal import HeliographLink
internal import RelayProtocol

/// `heliograph trust`: has hosts trust this terminal, by the secret that one of them shows.
final class TrustTask: ClientTask {
    /// A letter is sent again if nothing has come by then: a host may be between two connections.
    private static let repeatAfter = Duration.seconds(2)
    /// A host answers at once, if it is there.
    private static let answerWithin = Duration.seconds(20)

    let givesUpEarly = true
    private unowned let run: ClientRun
    private let secret: TrustSecret
    private let name: String
    /// Trust is only the second thing that is wanted.
    private let isLogin: Bool
    private let keys: TerminalKeys
    private var identity: ConsentIdentity?
    /// Joins without an answer, by the host's key.
    private var open: [HostKeyID: JoinAttempt] = [:]
    private var sent: [CommandID: HostKeyID] = [:]
    private var trusted: [HostPin] = []
    private var refusal: ClientError?

    init(_ run: ClientRun, _ secret: TrustSecret, name: String, isLogin: Bool) {
        self.run = run
        self.secret = secret
        self.name = name
        self.isLogin = isLogin
        keys = TerminalKeys(run.options)
        run.expect(within: run.options.patience) { [unowned run] in run.view.isWorkspaceKnown }
    }

    func heard(_ news: RelayLink.News) {
        switch news {
        case .changed(.workspaceKnown) where identity == nil: begin()
        case .replied(let id, .failed(let notice, _)): if let host = sent.removeValue(forKey: id) { failed(notice, host) }
        case .letter(let letter, let host): received(letter, host)
        default: break
        }
    }

    // MARK: - Asking

    private func begin() {
        do throws(ClientError) {
            let hosts = hosts
            guard !hosts.isEmpty else { return nobody() }
            let identity = try keys.identityToJoin()
            self.identity = identity
            for host in hosts {
                guard let key = HostKeyID(host.text) else { preconditionFailure("16 bytes in base64url are a key's id") }
                open[key] = JoinAttempt(secret, host: host, by: identity, name: name, nonce: .random(), .openSSL)
            }
            send()
            run.after(Self.answerWithin) { [weak self] in self?.timeIsOver() }
        } catch { run.fail(error) }
    }

    /// Of a link for all hosts of a machine: those that are there and ask for signatures.
    private var hosts: [KeyID] {
        if case .host(let host) = secret.scope { return [host] }
        let there = run.view.sessions.values.filter(\.hostIsConnected)
        let asking = run.view.pendingApprovals.compactMap { approval -> KeyID? in
            guard case .signed(let shown) = ApprovalReading(approval, nil).basis else { return nil }
            return shown.host
        }
        return Set(there.compactMap(\.consentKey) + asking).sorted { $0.text < $1.text }
    }

    /// No host is trusted yet, and none that is there knows the link.
    private func nobody() {
        let advice = "At a host: heliograph host trust"
        guard isLogin else {
            return run.fail(ClientError(.notFound, "no host of this relay knows this link", advice: advice))
        }
        // Where no host asks for signatures there is nothing to be told.
        if !hosts.isEmpty { run.terminal.remark("No host trusts this terminal yet. \(advice).", .dim) }
        run.finish(.done)
    }

    private func send() {
        for (host, attempt) in open.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            guard let letter = Letter(attempt.letter) else {
                preconditionFailure("a join is shorter than a letter may be")
            }
            sent[run.submit(.letter(letter, to: host))] = host
        }
        run.after(Self.repeatAfter) { [weak self] in self?.send() }
    }

    // MARK: - Answers

    private func received(_ letter: Letter, _ host: HostKeyID) {
        guard let attempt = open[host] else { return }
        do throws(ConsentError) {
            switch try attempt.answer(letter.bytes, wall: Moment.now) {
            case .admitted(let pin): admitted(pin, host)
            case .refused(let reason):
                // Hosts of other machines are asked, too, and know nothing of it.
                if secret.scope != .machine || reason != .unknownSecret {
                    refusal = ClientError(.refused, reason.sentence(host: VisibleText.line(hostName(host))))
                }
                open[host] = nil
                finishIfDone()
            }
        } catch {
            // No answer of that host to this join: as if it had not come.
            run.terminal.remark(
                "a letter that is not \(VisibleText.line(hostName(host)))'s was ignored (\(error.code.rawValue))", .yellow)
        }
    }

    private func admitted(_ pin: HostPin, _ host: HostKeyID) {
        do throws(ClientError) { try keys.pin(pin) } catch { return run.fail(error) }
        trusted.append(pin)
        open[host] = nil
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
            run.terminal.print("  Its own screen shows the same code.")
        }
        finishIfDone()
    }

    private func failed(_ notice: Notice, _ host: HostKeyID) {
        guard open[host] != nil else { return }
        // One that is between two connections is there for the next try.
        if notice.code != ErrorCode.notFound.rawValue, notice.code != ErrorCode.unavailable.rawValue,
            notice.code != ErrorCode.tooMany.rawValue
        {
            run.fail(.notTaken(notice, "write to hosts"))
        }
    }

    private func finishIfDone() {
        guard open.isEmpty else { return }
        guard trusted.isEmpty else { return run.finish(.done) }
        if let refusal { run.fail(refusal) } else { nobody() }
    }

    private func timeIsOver() {
        guard trusted.isEmpty else { return run.finish(.done) }
        run.fail(
            refusal
                ?? ClientError(
                    .timedOut, "the host does not answer: is it running, and connected to this relay?",
                    advice: "There: heliograph doctor"))
    }

    /// `text` is a link that a host's terminal shows, or its secret alone.
    static func run(_ options: ClientOptions, _ text: String, name: String?, isLogin: Bool = false) -> ClientExit {
        let terminal = Terminal(environment: options.environment)
        let name = name ?? PairingCommands.ownName(options.environment)
        let part = text.split(separator: "#").last?.split(separator: "&").first { $0.hasPrefix("k=") }
        guard let secret = TrustSecret(text: part?.dropFirst(2) ?? text[...]) else {
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

    /// By what the relay says: a host that refuses says no name.
    private func hostName(_ host: HostKeyID) -> String {
        let name = run.view.sessions.values.first { $0.steering?.consent == host }?.host.name
        return name.flatMap { ConsentName.isSpelled($0) ? $0 : nil } ?? "the host"
    }
}
