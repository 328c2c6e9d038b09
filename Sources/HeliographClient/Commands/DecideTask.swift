internal import Consent
internal import DeviceConsent
internal import HeliographLink
internal import RelayProtocol

/// Options of `heliograph approvals allow`, `deny` and `answer`.
package struct DecideOptions: Sendable {
    package enum Wish: Sendable {
        /// An allow. `--mode`: the mode in which the agent continues, if the approval offers it. `--offer`: the id of one of its
        /// offers.
        case allow(mode: String?, offer: String? = nil)
        /// An allow with another input, from a file, or `-`: JSON, whole or only with the members that change.
        case edit(file: String)
        case deny(message: String?, offer: String? = nil)
        /// Answers by `--choose QUESTION=LABEL[,LABEL]` and `--text QUESTION=…`; if both are empty, the terminal asks.
        case answer(choices: [String], texts: [String])

        fileprivate var isFreeing: Bool { if case .deny = self { false } else { true } }
    }

    /// Id of the approval, or a unique prefix.
    package var approval: String
    package var wish: Wish
    /// `--yes`: no confirmation before an allow.
    package var isConfirmed = false
    /// `--digest`: decide only if the approval is for this input; for scripts that read it before.
    package var digest: String?
    /// `--wait`: time for which the decision's outcome is followed.
    package var wait: Duration = .seconds(10)

    package init(_ wish: Wish, approval: String) {
        self.wish = wish
        self.approval = approval
    }
}

/// One decision: shows the approval, asks, sends the digest of what was shown, and follows the decision to the agent.
final class DecideTask: ClientTask {
    private enum Stage {
        /// The approval is being looked up. Becomes `asking` or `sent`.
        case looking
        /// A person reads and types. A change of the approval ends it. Becomes `sent`.
        case asking(Approval)
        /// The command was sent, and is sent again until it is replied to. Becomes `following`.
        case sent(CommandID, Approval)
        /// The decision is on the relay's disk.
        case following(Approval, shown: ApprovalStage.Word)
    }

    /// Time to follow the agent after delivery; its tool may run much longer, which is not waited for.
    private static let afterDelivery = Duration.seconds(2)
    /// Shortest wait for a reply, without which the outcome is unknown.
    private static let replyMin = Duration.seconds(10)

    var givesUpEarly: Bool { if case .looking = stage { true } else { false } }
    private unowned let run: ClientRun
    private let options: DecideOptions
    private var stage = Stage.looking
    private var answers: [Answer] = []
    private let signer: TerminalSigner
    /// The basis on which the approval was shown.
    private var basis = ApprovalReading.Basis.open
    /// The mode that was chosen on the terminal.
    private var chosenMode: String?
    private var chosenOffer: Offer?
    private var edit: InputEdit?

    init(_ run: ClientRun, _ options: DecideOptions) {
        self.run = run
        signer = TerminalSigner(run.options)
        var options = options
        options.wait = max(.zero, options.wait)
        self.options = options
        run.expectWorkspace()
    }

    func heard(_ news: RelayLink.News) {
        switch news {
        case .changed(.workspaceKnown): if case .looking = stage { look() }
        case .changed(.approval(let approval, _)): changed(approval)
        case .replied(let id, let reply): if case .sent(id, let approval) = stage { replied(reply, approval) }
        case .down(let reason, _): run.say("link down (\(VisibleText.line(reason))), trying again", .yellow)
        case .notice(let notice): run.terminal.remark("the relay says: \(VisibleText.line(notice.message))", .yellow)
        default: break
        }
    }

    // MARK: - Before

    private func look() {
        do throws(ClientError) {
            let found = try ApprovalLookup.find(
                options.approval, in: run.view, isBlind: options.isConfirmed && options.digest == nil)
            let reading = ApprovalReading(found, run.view.sessions[found.session])
            let approval = reading.approval
            basis = reading.basis
            try check(approval)
            if approval.stage == .pending { try checkConsent(approval) }
            switch options.wish {
            case .allow, .edit:
                if case .edit(let file) = options.wish {
                    let wanted = try TextInput.read(file, bytesMax: WireLimits.textBytesMax, tooLong: InputEdit.tooLong)
                    edit = try InputEdit(wanted, of: approval)
                }
                if options.isConfirmed { return send(approval) }
                guard run.terminal.isInteractive, !run.options.isJSON else {
                    throw ClientError(
                        .usage, "this is no terminal: add --yes",
                        advice: "Look at it first: heliograph approvals show \(ShortNames.shortest(of: approval.id.rawValue))")
                }
                show(approval)
                stage = .asking(approval)
                ask(approval)
            case .deny(let message, _):
                guard message?.utf8.count ?? 0 <= WireLimits.textBytesMax else {
                    throw ClientError(.usage, "the message is longer than \(WireLimits.textBytesMax) bytes")
                }
                send(approval)
            case .answer(let choices, let texts):
                let questions = ApprovalText(approval).questions
                if choices.isEmpty, texts.isEmpty {
                    guard run.terminal.isInteractive, !run.options.isJSON else {
                        throw ClientError(
                            .usage, "this is not a terminal: nobody can be asked",
                            advice: "Add --choose QUESTION=LABEL or --text QUESTION=TEXT.")
                    }
                    show(approval)
                    stage = .asking(approval)
                    ask(questions[...], approval)
                } else {
                    answers = try AnswerParser.answers(to: questions, choices: choices, texts: texts)
                    send(approval)
                }
            }
        } catch { run.fail(error) }
    }

    /// Checks what a signed host would refuse anyway. A denial without a message is accepted from any device.
    private func checkConsent(_ approval: Approval) throws(ClientError) {
        if case .deny(message: nil, offer: nil) = options.wish { return }
        switch basis {
        case .open: break
        case .signed(let shown): _ = try signer.identity(for: shown.host, named: hostName(of: approval))
        case .unreadable(let reason):
            throw ClientError(
                .refused, "\(reason), so it can only be denied from here",
                advice: "heliograph approvals deny \(approval.id)")
        }
    }

    private func hostName(of approval: Approval) -> String? { run.view.sessions[approval.session]?.host.name }

    private func check(_ approval: Approval) throws(ClientError) {
        try Self.check(approval, options, now: Moment.now)
    }

    /// Checks what the relay would refuse anyway.
    static func check(_ approval: Approval, _ options: DecideOptions, now: Int64) throws(ClientError) {
        // A script that runs twice sends the same decision twice, and gets the same reply.
        guard approval.stage == .pending || repeats(approval, options.wish) else { throw settled(approval, now: now) }
        if let digest = options.digest, digest != approval.request.digest.rawValue {
            throw ClientError(.refused, "this is for another input: its digest is \(approval.request.digest.rawValue)")
        }
        if approval.stage == .pending, approval.request.needsPasskey, options.wish.isFreeing {
            throw ClientError(
                .refused, "its host wants a passkey to confirm it, and a terminal has none",
                advice: "Allow it on the page, at the agent itself, or deny it: heliograph approvals deny \(approval.id)")
        }
        switch (options.wish, approval.request.kind) {
        case (.allow, .question), (.edit, .question):
            throw ClientError(.usage, "this is a question", advice: "heliograph approvals answer \(approval.id)")
        case (.answer, .tool):
            throw ClientError(.usage, "this is no question", advice: "heliograph approvals allow \(approval.id)")
        case (.allow(_?, _?), _): throw ClientError(.usage, "an offer is taken as it is: leave out --mode")
        case (.allow(_, let id?), .tool) where approval.request.offer(id)?.effect != .allow,
            (.deny(_, let id?), _) where approval.request.offer(id)?.effect != .deny:
            throw ClientError(.usage, OfferText.offered(with: approval.request))
        case (.allow(let mode?, _), .tool) where !approval.request.modes.contains(mode):
            let offered = approval.request.modes.map { VisibleText.line($0) }.joined(separator: ", ")
            throw ClientError(.usage, offered.isEmpty ? "no mode is offered with it" : "it offers the modes \(offered)")
        case (.allow, .tool) where approval.request.isCut, (.edit, .tool) where approval.request.isCut:
            throw ClientError(
                .refused, "its text is not whole here, so it cannot be allowed from here",
                advice: "Allow it at the agent itself, or deny it: heliograph approvals deny \(approval.id)")
        default: break
        }
    }

    private static func repeats(_ approval: Approval, _ wish: DecideOptions.Wish) -> Bool {
        guard [.decided, .delivered, .applied].contains(approval.stage.word) else { return false }
        switch (wish, approval.decision?.verdict) {
        case (.allow(nil, nil), .allow): return true
        case (.allow(let mine?, nil), .allowIn(let theirs)): return mine == theirs
        case (.allow(nil, let mine?), .allowWith(let theirs, nil)): return mine == theirs
        case (.deny(let mine, nil), .deny(let theirs)): return mine == theirs
        case (.deny(let mine, let own?), .denyWith(let offer, let theirs)): return mine == theirs && own == offer
        default: return false
        }
    }

    static func settled(_ approval: Approval, now: Int64) -> ClientError {
        if let decision = approval.decision, approval.stage.word != .stale {
            return ClientError(.refused, DecisionText.conflict(decision, now: now))
        }
        return ClientError(.refused, VisibleText.line(DecisionText.stage(approval)))
    }

    private func show(_ approval: Approval) {
        let width = run.terminal.width
        let text = ApprovalText(approval)
        let lines = text.lines(
            summary: run.view.sessions[approval.session], width: width, palette: run.terminal.palette, now: Moment.now)
        for line in lines { run.terminal.print(line) }
        if let reminder = text.reminder(width: width) { run.terminal.print(reminder) }
        guard let edit else { return }
        for line in text.editLines(edit.text, width, run.terminal.palette) { run.terminal.print(line) }
    }

    private func ask(_ approval: Approval) {
        if edit != nil { return askAboutEdit(approval) }
        if case .allow(_, let id?) = options.wish, let offer = approval.request.offer(id) { return ask(offer, approval) }
        // The first mode is the meaning of a plain "yes"; the others have numbers, and the agent's own offers have names.
        let modes = Self.isModeGiven(options.wish) ? [] : approval.request.modes
        for (index, mode) in modes.enumerated() {
            run.terminal.print("  \(index == 0 ? "y" : "\(index + 1)"): yes, \(DecisionText.words(forMode: mode))")
        }
        let offers = Self.isModeGiven(options.wish) ? [] : approval.request.offers.filter { $0.effect == .allow }
        for (index, offer) in offers.enumerated() {
            let name = OfferText.plainName(of: offer).map { " \($0)" } ?? ""
            run.terminal.print("  a\(index + 1): yes, with the agent's offer\(name), \(OfferText.place(of: offer))")
        }
        let keys = modes.indices.dropFirst().map { "/\($0 + 1)" } + offers.indices.map { "/a\($0 + 1)" }
        run.terminal.prompt("Allow exactly this? [y\(keys.joined())/N] ")
        run.readLine { [self] line in
            guard case .asking = stage else { return }
            let typed = line?.lowercased() ?? ""
            if let index = offers.indices.first(where: { typed == "a\($0 + 1)" }) { return ask(offers[index], approval) }
            if let number = Int(typed), number > 1, modes.indices.contains(number - 1) {
                chosenMode = modes[number - 1]
                run.terminal.print("  understood: yes, \(DecisionText.words(forMode: modes[number - 1]))")
            } else if !["y", "yes"].contains(typed) {
                return leaveUndecided()
            }
            send(approval)
        }
    }

    private func askAboutEdit(_ approval: Approval) {
        run.terminal.prompt("Allow it as edited? The agent is not told of the edit. [y/N] ")
        run.readLine { [self] line in
            guard case .asking = stage else { return }
            guard ["y", "yes"].contains(line?.lowercased() ?? "") else { return leaveUndecided() }
            send(approval)
        }
    }

    /// Asks about an offer. One that applies later is confirmed separately, and once more if it reaches further than this project
    /// and this kind of tool.
    private func ask(_ offer: Offer, _ approval: Approval, isAgain: Bool = false) {
        for line in OfferText.lines(offer, width: run.terminal.width, palette: run.terminal.palette) {
            run.terminal.print(line)
        }
        run.terminal.prompt(isAgain ? "It reaches far. Once more: allow it so? [y/N] " : "Allow, and this too? [y/N] ")
        run.readLine { [self] line in
            guard case .asking = stage else { return }
            guard ["y", "yes"].contains(line?.lowercased() ?? "") else { return leaveUndecided() }
            if offer.isFarReaching, !isAgain { return ask(offer, approval, isAgain: true) }
            chosenOffer = offer
            send(approval)
        }
    }

    private func leaveUndecided() {
        run.terminal.print("nothing was decided")
        run.finish(.refused)
    }

    private static func isModeGiven(_ wish: DecideOptions.Wish) -> Bool { if case .allow(_?, _) = wish { true } else { false } }

    private func ask(_ questions: ArraySlice<ApprovalText.Question>, _ approval: Approval) {
        guard let question = questions.first else { return send(approval) }
        run.terminal.prompt("\(VisibleText.exactLine(question.id)) (\(AnswerParser.hint(for: question))): ")
        run.readLine { [self] line in
            guard case .asking = stage else { return }
            guard let line else {
                run.terminal.print("nothing was answered")
                return run.finish(.refused)
            }
            if line.allSatisfy(\.isWhitespace) { return ask(questions, approval) }
            if let places = AnswerParser.typed(line, for: question) {
                answers.append(AnswerParser.answer(to: question, places))
                run.terminal.print("  understood: \(AnswerParser.understood(places, for: question))")
            } else if !question.takesWords {
                run.terminal.print("  one of the choices, please: it takes no words of your own")
                return ask(questions, approval)
            } else {
                answers.append(Answer(question: question.id, choices: [], text: line))
                run.terminal.print("  in your own words: \(VisibleText.line(line))")
            }
            ask(questions.dropFirst(), approval)
        }
    }

    // MARK: - Sending

    /// Sends the decision. `approval`: as it was shown; its digest is sent, whatever has changed since.
    private func send(_ approval: Approval) {
        let verdict: Decision.Verdict =
            switch options.wish {
            case .allow(let mode, let offer):
                (offer ?? chosenOffer?.id).map { .allowWith(offer: $0) }
                    ?? (mode ?? chosenMode).map { .allowIn(mode: $0) } ?? .allow
            case .edit:
                if let edit { .allowEdited(edit.text) } else { preconditionFailure("an edit is read before it is sent") }
            case .deny(let message, let offer):
                offer.map { .denyWith(offer: $0, message: message) } ?? .deny(message: message)
            case .answer: .answer(answers)
            }
        let sealed: Decision.Verdict
        do throws(ClientError) {
            sealed = try run.sealed(verdict, on: approval.id, of: approval.session)
        } catch { return run.fail(error) }
        let command = DecideCommand(
            session: approval.session, approval: approval.id, digest: approval.request.digest, verdict: sealed,
            signature: signature(sealed, approval))
        let id = run.submit(.decide(command))
        stage = .sent(id, approval)
        run.after(max(options.wait, Self.replyMin)) { [weak self] in self?.replyIsLate() }
        run.after(options.wait) { [weak self] in self?.waitIsOver() }
    }

    /// The signature; nil if none is needed, or none can be made, in which case it is a denial.
    private func signature(_ verdict: Decision.Verdict, _ approval: Approval) -> String? {
        guard case .signed(let shown) = basis else { return nil }
        return try? signer.signature(verdict, for: shown, named: hostName(of: approval), at: Moment.now)
    }

    private func replied(_ reply: Reply, _ approval: Approval) {
        if run.options.isJSON {
            guard case .sent(let id, _) = stage else { return }
            run.terminal.print(JSONLine.text(MessageToClient.reply(id, reply).bytes))
        }
        switch reply {
        case .decided(let reached):
            stage = .following(approval, shown: .pending)
            run.say("✓ the relay has it", .green)
            // The message about the approval may have come before the reply.
            if let current = run.view.approval(approval.id, of: approval.session), current.stage != .pending {
                changed(current)
            } else if reached.isFinal || options.wait == .zero {
                run.finish(.done)
            }
            if options.wait == .zero { run.finish(.done) }
        case .failed(let notice, let winner): run.fail(Self.fault(notice, winner, now: Moment.now))
        default: run.fail(ClientError(.failed, "the relay's reply does not fit a decision"))
        }
    }

    static func fault(_ notice: Notice, _ winner: Decision?, now: Int64) -> ClientError {
        if let winner { return ClientError(.refused, DecisionText.conflict(winner, now: now)) }
        switch ErrorCode(rawValue: notice.code) {
        case .notFound: return ClientError(.notFound, "the relay does not know this approval (any more)")
        case .closed: return ClientError(.refused, "too late: \(notice.message)")
        case .digestMismatch:
            return ClientError(
                .refused, "the agent asks for something else by now", advice: "Look again: heliograph approvals list")
        case .unavailable: return ClientError(.timedOut, "the relay cannot store anything just now: \(notice.message)")
        default: return ClientError.notTaken(notice, "decide")
        }
    }

    // MARK: - After

    private func changed(_ approval: Approval) {
        switch stage {
        case .asking(let asked):
            guard asked.id == approval.id, asked.session == approval.session, approval.stage != .pending else { return }
            run.terminal.print("")
            run.fail(Self.settled(approval, now: Moment.now))
        case .following(let mine, let shown):
            guard mine.id == approval.id, mine.session == approval.session, approval.stage.word != shown else { return }
            stage = .following(mine, shown: approval.stage.word)
            reached(approval)
        case .looking, .sent: break
        }
    }

    private func reached(_ approval: Approval) {
        if run.options.isJSON { run.terminal.print(JSONLine.text(MessageToClient.approval(approval).bytes)) }
        let host = run.view.sessions[approval.session]
        switch approval.stage {
        case .pending: break
        case .decided:
            let isAway = host.map { !$0.hostIsConnected } ?? false
            if isAway {
                run.say("… host \(VisibleText.line(host?.host.name ?? "")) is away: the decision waits for it", .yellow)
            }
        case .delivered:
            run.say("✓ the agent has it", .green)
            run.after(Self.afterDelivery) { [weak self] in self?.run.finish(.done) }
        case .applied(_, let outcome, _):
            run.say("✓ applied: \(outcome.rawValue)", .green)
            run.finish(.done)
        case .expired, .cancelled, .stale: run.fail(ClientError(.refused, DecisionText.stage(approval)))
        }
    }

    private func replyIsLate() {
        guard case .sent = stage else { return }
        run.fail(
            ClientError(
                .timedOut, "no reply came: whether the decision arrived is not known",
                advice: "Look: heliograph approvals list --all"))
    }

    private func waitIsOver() {
        guard case .following(_, let shown) = stage else { return }
        switch shown {
        case .delivered: run.finish(.done)
        default:
            run.fail(
                ClientError(
                    .timedOut, "decided, but the host has not taken it yet",
                    advice: "The relay keeps it until the host is back."))
        }
    }
}
