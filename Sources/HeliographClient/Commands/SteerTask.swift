internal import Consent
internal import DeviceConsent
internal import HeliographLink
internal import RelayProtocol

/// Options of `heliograph prompt`, `interrupt`, `mode`, `model`, `ask-all`, `stop`, `start`, `rules off`, `rules add` and
/// `rules change`.
package struct SteerOptions: Sendable {
    package enum Wish: Sendable {
        /// A prompt. `text`: `-` for standard input. `whenBusy`: `queue`, `steer` or `refuse`. `pictures`: paths of files.
        case prompt(text: String, whenBusy: String, isCommand: Bool, pictures: [String] = [])
        case interrupt
        case mode(String)
        case model(String)
        /// `on` or `off`.
        case askAll(String)
        /// Stops the session. Unless `isConfirmed`, a person is asked at the terminal.
        case stop(isConfirmed: Bool)
        case launch(LaunchWish)
        /// Switches a rule off. Without `host`, on the host that has the rule.
        case ruleOff(String, host: String?)
        /// Adds a rule with this text. Without `host`, on the host that takes rules.
        case ruleAdd(String, host: String?)
        /// Replaces the named rule by this text. Without `host`, on the host that has the rule.
        case ruleChange(String, to: String, host: String?)
    }

    package var wish: Wish
    /// Id of the session, a unique prefix, or `latest`; nil for the only session that takes the command.
    package var session: String?
    /// `--wait`: time for which the command's outcome is followed.
    package var wait: Duration = .seconds(600)

    package init(_ wish: Wish, session: String? = nil) {
        self.wish = wish
        self.session = session
    }
}

/// Sends one command that steers a session, and follows it to the agent's own evidence.
final class SteerTask: ClientTask {
    private enum Stage {
        /// The session is being looked up. Becomes `asking`, `bringing` or `following`.
        case looking
        /// A person is asked to confirm. Becomes `following`.
        case asking
        /// The prompt's pictures are being uploaded. Becomes `following`.
        case bringing
        /// The session's log is being read, where the command's outcome will appear. Becomes `sent`.
        case following(SessionID)
        /// The command was sent; its reply, its events or both are still to come.
        case sent(CommandID, SessionID, isRecorded: Bool)
    }

    /// Shortest wait for a reply, without which the outcome is unknown.
    private static let replyMin = Duration.seconds(10)

    var givesUpEarly: Bool { if case .looking = stage { true } else { false } }
    private unowned let run: ClientRun
    private let options: SteerOptions
    private let signer: TerminalSigner
    /// The action; nil until the project is found, if a session is to be started.
    private var action: SteeringAction?
    private var stage = Stage.looking
    /// Pictures that the relay does not have yet.
    private var pictures: [PictureFile] = []
    private var shown: SteeringStage?

    init(_ run: ClientRun, _ options: SteerOptions) {
        self.run = run
        signer = TerminalSigner(run.options)
        var options = options
        options.wait = max(.zero, options.wait)
        self.options = options
        do throws(ClientError) {
            pictures = try PictureFile.read(Self.pictures(of: options.wish))
            action = try Self.action(options.wish, pictures.map(\.named))
        } catch {
            action = nil
            run.fail(error)
        }
        run.expectWorkspace()
    }

    private static func pictures(of wish: SteerOptions.Wish) -> [String] {
        switch wish {
        case .prompt(_, _, _, let paths): paths
        case .launch(let launch): launch.pictures
        case .interrupt, .mode, .model, .askAll, .stop, .ruleOff, .ruleAdd, .ruleChange: []
        }
    }

    /// The action; nil if it depends on the host's offer.
    static func action(_ wish: SteerOptions.Wish, _ pictures: [Picture] = []) throws(ClientError) -> SteeringAction? {
        switch wish {
        case .prompt(let text, let word, let isCommand, _):
            guard let whenBusy = SteeringAction.WhenBusy(rawValue: word) else {
                throw ClientError(.usage, "--busy is queue, steer or refuse")
            }
            return .prompt(.init(text: try PromptText.read(text), whenBusy: whenBusy, isCommand: isCommand, pictures: pictures))
        case .interrupt: return .interrupt
        case .mode(let mode): return .mode(try name(mode))
        case .model(let model): return .model(try name(model))
        case .askAll(let word):
            guard word == "on" || word == "off" else { throw ClientError(.usage, "it is on or off") }
            return .askAll(word == "on")
        case .stop: return .stop
        case .launch: return nil
        case .ruleOff(let rule, _): return .ruleOff(try name(rule))
        case .ruleAdd(let text, _): return .ruleAdd(try ruleText(text))
        case .ruleChange(let rule, let text, _): return .ruleChange(try name(rule), to: try ruleText(text))
        }
    }

    private static func ruleText(_ text: String) throws(ClientError) -> String {
        guard !text.isEmpty, text.utf8.count <= WireLimits.lineBytesMax else {
            throw ClientError(.usage, "a rule that is sent has at most \(WireLimits.lineBytesMax) bytes")
        }
        return text
    }

    private static func name(_ text: String) throws(ClientError) -> String {
        guard !text.isEmpty, text.utf8.count <= WireLimits.nameBytesMax else {
            throw ClientError(.usage, "a name has 1 to \(WireLimits.nameBytesMax) bytes")
        }
        return text
    }

    func heard(_ news: RelayLink.News) {
        switch (stage, news) {
        case (.looking, .changed(.workspaceKnown)): look()
        case (.following(let session), .changed(.sessionKnown(let known))) where known == session: send(to: session)
        case (.following(let session), .notFollowed(let other, let notice)) where other == session: run.fail(Self.fault(notice))
        case (.sent(let id, let session, _), .changed(.events(let events, _))) where events.session == session:
            for (offset, bytes) in events.events.enumerated() { take(bytes, at: events.first + Int64(offset), events, id) }
        case (.sent(let id, let session, let isRecorded), .replied(let replied, let reply)) where replied == id:
            answered(reply, id, session, wasRecorded: isRecorded)
        case (_, .down(let reason, _)): run.say("link down (\(VisibleText.line(reason))), trying again", .yellow)
        case (_, .notice(let notice)): run.terminal.remark("the relay says: \(VisibleText.line(notice.message))", .yellow)
        default: break
        }
    }

    // MARK: - Before

    private func look() {
        do throws(ClientError) {
            let (session, action) = try target()
            self.action = action
            if let summary = run.view.sessions[session] {
                try Self.check(action, summary)
                if action.needsSignature, let host = summary.consentKey {
                    _ = try signer.identity(for: host, named: summary.host.name)
                }
            }
            guard case .stop(isConfirmed: false) = options.wish else { return follow(session) }
            guard run.terminal.isInteractive, !run.options.isJSON else {
                throw ClientError(.usage, "this is no terminal: add --yes")
            }
            stage = .asking
            run.terminal.prompt("End “\(SteeredLookup.title(session, in: run.view))” for good? [y/N] ")
            run.readLine { [self] line in
                guard ["y", "yes"].contains(line?.lowercased() ?? "") else {
                    run.terminal.print("nothing was sent")
                    return run.finish(.refused)
                }
                follow(session)
            }
        } catch { run.fail(error) }
    }

    private func target() throws(ClientError) -> (SessionID, SteeringAction) {
        if case .launch(let wish) = options.wish {
            return try LaunchLookup.find(wish, pictures.map(\.named), in: run.view)
        }
        guard let action else { throw ClientError(.usage, "nothing to send") }
        let session =
            switch options.wish {
            case .ruleOff(let rule, let host), .ruleChange(let rule, _, let host):
                try RuleLookup.find(rule, on: host, in: run.view)
            case .ruleAdd(_, let host): try RuleLookup.taking(on: host, in: run.view)
            default: try SteeredLookup.find(options.session, for: action.kind, in: run.view)
            }
        return (session, action)
    }

    /// Checks what the relay would refuse anyway, so that it is not recorded.
    static func check(_ action: SteeringAction, _ summary: Summary) throws(ClientError) {
        guard summary.endedAt == nil else { throw ClientError(.refused, "this session has ended") }
        let offer = summary.steering
        guard let offer, offer.actions.contains(action.kind) else {
            throw ClientError(
                .refused, "this is not a session that \(action.kind.inWords(of: 1))",
                advice: offer?.reason.map(VisibleText.line))
        }
        guard summary.hostIsConnected else {
            throw ClientError(
                .refused,
                "\(VisibleText.line(summary.host.name)) is away, and nothing is kept for it: send it again when it is back")
        }
        switch action {
        case .mode(let mode): try check(mode, among: offer.modes, "mode")
        case .model(let model) where !offer.models.isEmpty: try check(model, among: offer.models, "model")
        case .prompt(let prompt):
            if prompt.isCommand { try check(prompt.command, among: offer.commands, "command") }
            if let why = offer.refusal(ofPicturesOf: prompt) { throw ClientError(.refused, why) }
            if prompt.whenBusy == .steer, !offer.steersWhileBusy {
                throw ClientError(.refused, "this agent takes no prompt while it works", advice: "Let it wait: --busy queue")
            }
        case .launch(let launch): if let why = offer.refusal(of: launch) { throw ClientError(.refused, why) }
        case .model, .askAll, .interrupt, .stop, .ruleOff, .ruleAdd, .ruleChange, .ruleTry: break
        }
    }

    private static func check(_ name: String, among names: [String], _ kind: String) throws(ClientError) {
        guard !names.contains(name) else { return }
        let offered = names.map { VisibleText.line($0) }.joined(separator: ", ")
        throw ClientError(
            .refused, "the \(kind) “\(name)” is not offered", advice: "Offered: \(offered.isEmpty ? "none" : offered)")
    }

    /// Pictures are uploaded before the prompt is sent.
    private func follow(_ session: SessionID) {
        guard pictures.isEmpty else {
            stage = .bringing
            do throws(ClientError) {
                for place in pictures.indices {
                    pictures[place] = try pictures[place].sealed { [run] picture throws(ClientError) in
                        try run.sealed(picture: picture, for: session)
                    }
                }
            } catch { return run.fail(error) }
            action = action?.with(pictures.map(\.named))
            let (files, credentials) = (pictures, run.credentials)
            pictures = []
            return run.aside { () throws(ClientError) in
                for file in files { try file.bring(to: credentials, for: session) }
            } then: { [self] in
                follow(session)
            }
        }
        stage = .following(session)
        run.follow(session)
    }

    private func send(to session: SessionID) {
        guard let action else { return }
        let summary = run.view.sessions[session]
        let id: CommandID
        do throws(ClientError) {
            id = try run.submit { [run, signer] id throws(ClientError) in
                let sent = try run.sealed(action, as: id, to: session)
                var signature: String?
                if let host = summary?.consentKey {
                    signature = try signer.signature(sent, of: session, id, for: host, named: summary?.host.name)
                }
                return .steer(session, sent, signature: signature)
            }
        } catch { return run.fail(error) }
        stage = .sent(id, session, isRecorded: false)
        run.after(max(options.wait, Self.replyMin)) { [weak self] in self?.waitIsOver() }
    }

    // MARK: - After

    private func answered(_ reply: Reply, _ id: CommandID, _ session: SessionID, wasRecorded: Bool) {
        if run.options.isJSON { run.terminal.print(JSONLine.text(MessageToClient.reply(id, reply).bytes)) }
        switch reply {
        case .forwarded:
            stage = .sent(id, session, isRecorded: true)
            if shown == nil { run.say("✓ on its way to the host", .green) }
            if options.wait == .zero { run.finish(.done) }
        // The command's event contains its outcome, and the reason.
        case .failed where wasRecorded: break
        case .failed(let notice, _): run.fail(Self.fault(notice))
        default: run.fail(ClientError(.failed, "the relay's reply does not fit this command"))
        }
    }

    static func fault(_ notice: Notice) -> ClientError {
        switch ErrorCode(rawValue: notice.code) {
        case .notFound: ClientError(.notFound, "the relay does not know this session (any more)")
        default: ClientError.notTaken(notice, "tell agents what to do", role: "operator")
        }
    }

    private func take(_ bytes: [UInt8], at seq: Int64, _ events: SessionEvents, _ id: CommandID) {
        guard case .sent(id, let session, _) = stage, let event = try? Event(stored: bytes) else { return }
        switch event.head {
        case .steeringRequested(let call) where call.command == id:
            stage = .sent(id, session, isRecorded: true)
            tell(bytes, at: seq, events)
        case .steeringChanged(let change) where change.name.command == id && shown?.isFinal != true:
            shown = change.stage
            tell(bytes, at: seq, events)
            if let past = PastSession.list(inEvent: bytes) { list(past) }
            reached(change, session)
        default: break
        }
    }

    private func list(_ past: [PastSession]) {
        guard !run.options.isJSON else { return }
        guard !past.isEmpty else { return run.terminal.print("no past sessions in this project") }
        let table = ProjectsTask.table(past, now: Moment.now)
        run.terminal.print(table)
    }

    private func reached(_ change: SteeringChange, _ session: SessionID) {
        let text = SteeringText.word(of: change.stage) + (change.reason.map { ": \(VisibleText.line($0))" } ?? "")
        switch change.stage {
        case .queued:
            run.say("… \(text)", .yellow)
            let names = [session.rawValue, change.name.command.rawValue].map { ShortNames.shortest(of: $0) }
            run.terminal.remark("  heliograph withdraw \(names.joined(separator: " ")) takes it back", .dim)
        case .given: run.say("… \(text)", .dim)
        case .taken:
            if let started = change.started {
                run.say("✓ it has begun: \(started)", .green)
                run.terminal.remark("  heliograph watch \(started)", .dim)
            } else if action?.kind != .past {
                run.say("✓ \(text)", .green)
            }
            run.finish(.done)
        case .refused, .withdrawn: run.fail(ClientError(.refused, text))
        case .unknown:
            let looked = change.started ?? session
            run.fail(ClientError(.timedOut, text, advice: "Look before you send it again: heliograph watch \(looked)"))
        }
    }

    private func waitIsOver() {
        guard case .sent(_, _, let isRecorded) = stage else { return }
        let advice = "To see its outcome: heliograph watch"
        run.fail(
            isRecorded
                ? ClientError(.timedOut, "it is with the host, and there is no outcome yet", advice: advice)
                : ClientError(.timedOut, "no reply came: whether it arrived is not known", advice: advice))
    }

    // MARK: - Telling

    private func tell(_ event: [UInt8], at seq: Int64, _ events: SessionEvents) {
        guard run.options.isJSON else { return }
        var writer = JSONWriter(type: "event")
        writer.field("session", events.session)
        writer.field("epoch", events.epoch)
        writer.field("seq", seq)
        writer.raw("event", event)
        run.terminal.print(JSONLine.text(writer.finish()))
    }
}
