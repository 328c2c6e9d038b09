internal import Consent
internal import ConsentKeys
internal import HeliographLink
internal import RelayAccess
internal import RelayProtocol

/// `heliograph trust --vouch`: lets another device in at the hosts that trust this terminal, once a person has compared the codes.
final class VouchTask: ClientTask {
    /// Validity of the link, the same as of its pairing code.
    private static let shownFor = Duration.seconds(600)
    /// Time after which an unanswered letter is sent again, because letters are delivered only live.
    private static let repeatAfter = Duration.seconds(2)
    /// Time for hosts to answer; a connected one answers at once.
    private static let answerWithin = Duration.seconds(20)

    private unowned let run: ClientRun
    private let wish: VouchOptions
    private let keys: TerminalKeys
    private let identity: ConsentIdentity
    private let hosts: [HostPin]
    private var vouching: Vouching?
    private var askedForCode: CommandID?
    private var newcomer: Vouching.Newcomer?
    /// The client that sends the newcomer's letters.
    private var client: ClientID?
    /// Letters to the newcomer that the relay has not delivered.
    private var underWay: Set<CommandID> = []
    private var isAccepted = false
    private var brought = 0
    private var fault: ClientError?

    /// Throws if no host trusts this terminal.
    init(_ run: ClientRun, _ wish: VouchOptions) throws(ClientError) {
        self.run = run
        self.wish = wish
        keys = TerminalKeys(run.options)
        let (identity, book) = try keys.trusted()
        (self.identity, hosts) = (identity, book.hosts)
        run.expectWorkspace()
    }

    func heard(_ news: RelayLink.News) {
        switch news {
        case .changed(.workspaceKnown) where askedForCode == nil: askedForCode = run.submit(.pair(wish.role))
        case .replied(let id, let reply) where id == askedForCode: show(reply)
        case .replied(let id, let reply):
            guard underWay.remove(id) != nil else { return }
            // The newcomer may be between two connections.
            if case .failed = reply { return run.after(Self.repeatAfter) { [weak self] in self?.introduce() } }
            endIfDone()
        case .letter(let letter, .client(let client)): received(letter, client)
        case .letter(let letter, .host(let host)): received(letter, host)
        default: break
        }
    }

    // MARK: - The link

    private func show(_ reply: Reply) {
        guard let client = run.client else { preconditionFailure("the relay has said who this is") }
        let secret = TrustSecret(.device(identity.id, client), secret: .random())
        vouching = Vouching(secret, by: identity, .openSSL)
        let link: String
        if case .pairing(let given, _, _) = reply {
            let relay = run.credentials.relay
            guard let made = VouchingLink(given, at: relay.description, staysHere: relay.staysHere, secret) else {
                return run.fail(ClientError(.failed, "the relay's reply does not fit"))
            }
            link = made.text
        } else {
            // This terminal may not pair devices with the relay, so the link is for a device that is paired already.
            link = "\(run.credentials.relay)/#k=\(secret.text)"
        }
        if run.options.isJSON {
            run.terminal.print(
                JSONLine.text(
                    JSONWriter.object {
                        $0.field("link", link)
                        $0.field("device", identity.id.text)
                        $0.strings("hosts", hosts.map(\.id.text))
                    }))
        } else {
            let names = hosts.map { VisibleText.line($0.name) }.joined(separator: ", ")
            run.terminal.print("\nOpen this on the device that shall decide, too, for \(names):\n\n   \(link)\n")
            if let picture = wish.picture(link) { run.terminal.print(picture) }
            run.terminal.print("It works once, for ten minutes. Waiting for the device; Ctrl-C takes the link back.")
        }
        run.after(Self.shownFor) { [weak self] in
            guard let self, !isAccepted else { return }
            run.fail(ClientError(.timedOut, "the link's ten minutes are over: heliograph trust --vouch shows a new one"))
        }
    }

    // MARK: - The newcomer

    private func received(_ letter: Letter, _ client: ClientID) {
        switch vouching?.received(letter.bytes) {
        case .asked(let newcomer):
            self.newcomer = newcomer
            self.client = client
            ask(newcomer)
        case .again(let answers):
            self.client = client
            tell(answers)
        case .refused(let reply):
            run.terminal.remark("another device has this link, too, and was refused", .yellow)
            _ = run.submit(.letter(Self.letter(reply), to: .client(client)))
        case .ignored(let error):
            run.terminal.remark("a letter that does not belong to this link was ignored (\(error.code.rawValue))", .yellow)
        case nil: break
        }
    }

    private func ask(_ newcomer: Vouching.Newcomer) {
        if run.options.isJSON {
            run.terminal.print(
                JSONLine.text(
                    JSONWriter.object { line in
                        line.object("newcomer") {
                            $0.field("id", newcomer.id.text)
                            $0.field("code", newcomer.id.shortCode)
                            $0.field("name", newcomer.name)
                        }
                    }))
        } else {
            run.terminal.print(
                "\n\(VisibleText.line(newcomer.name)) wants to be let in. Its own screen has to show this code: \(newcomer.id.shortCode)"
            )
            run.terminal.prompt("Does it, and is it to decide for these machines? [y/N] ")
        }
        run.readLine { [weak self] line in
            if ["y", "yes"].contains(line?.lowercased() ?? "") { self?.accept() } else { self?.decline() }
        }
    }

    private func decline() {
        guard let reply = vouching?.decline() else { return }
        fault = ClientError(.refused, "nobody was let in")
        tell([reply])
        // A refusal stands even if the other device cannot be informed.
        run.after(Self.repeatAfter) { [weak self] in self?.end() }
    }

    private func tell(_ answers: [[UInt8]]) {
        guard let client else { return }
        for answer in answers { underWay.insert(run.submit(.letter(Self.letter(answer), to: .client(client)))) }
    }

    private func introduce() { tell(vouching?.introductions ?? []) }

    private static func letter(_ bytes: [UInt8]) -> Letter {
        guard let letter = Letter(bytes) else { preconditionFailure("what devices write is shorter than a letter may be") }
        return letter
    }

    // MARK: - The hosts

    private func accept() {
        do throws(ClientError) {
            vouching?.accept(at: hosts, count: try keys.nextCount())
            isAccepted = true
            vouch()
            run.after(Self.answerWithin) { [weak self] in self?.timeIsOver() }
        } catch { run.fail(error) }
    }

    private func vouch() {
        guard let unanswered = vouching?.unanswered, !unanswered.isEmpty else { return }
        for (host, letter) in unanswered {
            _ = run.submit(.letter(Self.letter(letter), to: .host(HostKeyID(host.id))))
        }
        run.after(Self.repeatAfter) { [weak self] in self?.vouch() }
    }

    private func received(_ letter: Letter, _ host: HostKeyID) {
        guard let id = KeyID(text: host.rawValue), let answer = try? vouching?.answered(letter.bytes, by: id),
            let newcomer
        else { return }
        switch answer {
        case .brought(let pin):
            brought += 1
            if run.options.isJSON {
                run.terminal.print(
                    JSONLine.text(
                        JSONWriter.object {
                            $0.field("host", pin.id.text)
                            $0.field("name", pin.name)
                        }))
            } else {
                let sentence = "✓ \(VisibleText.line(pin.name)) trusts \(VisibleText.line(newcomer.name))"
                run.terminal.print(run.terminal.palette.paint(sentence, .green))
            }
        case .refused(let pin, let reason):
            let name = VisibleText.line(pin.name)
            let sentence =
                reason == .notTrusted ? "\(name) does not let this terminal bring others" : reason.sentence(host: name)
            fault = ClientError(.refused, sentence)
            run.terminal.remark(sentence, .yellow)
        }
        introduce()
    }

    private func endIfDone() {
        if underWay.isEmpty, isAccepted, vouching?.unanswered.isEmpty == true { end() }
    }

    private func timeIsOver() {
        for (host, _) in vouching?.unanswered ?? [] {
            let name = VisibleText.line(host.name)
            fault = ClientError(
                .timedOut, "\(name) has not answered: whether it trusts the device is not known",
                advice: "At that machine: heliograph host devices")
        }
        end()
    }

    private func end() {
        if let fault, brought == 0 { return run.fail(fault) }
        if let fault { run.terminal.remark("heliograph: \(fault.message)", .yellow) }
        run.finish(.done)
    }
}
