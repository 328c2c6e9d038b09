internal import DeviceConsent
internal import HeliographLink
internal import RelayProtocol

/// Options of `heliograph watch`.
package struct WatchOptions: Sendable {
    /// Id of the session, a unique prefix, or `latest`; nil for all sessions.
    package var session: String?
    /// Number of past events that are shown, of one session.
    package var last = 20
    /// True to show the past events and end.
    package var isOnce = false
    package var duration: Duration?
    /// True to show bookkeeping too: status changes, token counts, thoughts.
    package var showsMinor = false

    package init() {}
}

/// `heliograph watch`: shows events as they happen.
final class WatchTask: ClientTask {
    let givesUpEarly: Bool
    private unowned let run: ClientRun
    private let options: WatchOptions
    /// The watched session, once its name is resolved.
    private var session: SessionID?
    private var isShowingPast = true
    private var wasDown = false
    private var names: [String: String] = [:]
    private var ends = ApprovalEnds()

    init(_ run: ClientRun, _ options: WatchOptions) {
        self.run = run
        var options = options
        options.last = max(0, options.last)
        self.options = options
        givesUpEarly = options.isOnce
        run.finishOnInterrupt()
        run.finishWhenUnread()
        if options.session == nil, !options.isOnce { run.followAll() }
        if let duration = options.duration {
            run.after(duration) { [unowned run] in
                if run.wasUp { run.finish(.done) } else { run.fail(run.unreachable) }
            }
        }
        if options.isOnce { run.expect { false } }
    }

    func heard(_ news: RelayLink.News) {
        switch news {
        case .up(let again):
            link("up")
            if !again, wasDown, !run.options.isJSON { run.terminal.remark("connected", .green) }
            wasDown = false
        case .down(let reason, let wait): linkDown(reason, wait)
        case .caughtUp(let events):
            if run.options.isJSON {
                link("caughtUp") { $0.field("events", Int64(events)) }
            } else {
                run.terminal.remark("back, caught up \(Moment.count(events, "event"))", .green)
            }
        case .changed(let change): run.options.isJSON ? changedJSON(change) : changed(change)
        case .notFollowed(let session, let notice): notFollowed(session, notice)
        case .notice(let notice): run.terminal.remark("the relay says: \(VisibleText.line(notice.message))", .yellow)
        case .replied, .push, .letter, .over: break
        }
    }

    private func notFollowed(_ session: SessionID, _ notice: Notice) {
        let message = "cannot follow \(session): \(notice.message)"
        if session == self.session {
            let isAbsent = notice.code == ErrorCode.notFound.rawValue
            return run.fail(ClientError(isAbsent ? .notFound : .refused, message))
        }
        run.terminal.remark(VisibleText.line(message), .yellow)
    }

    // MARK: - Which

    private func workspaceKnown() {
        names = ShortNames.shortest(of: run.view.sessions.keys.map(\.rawValue))
        run.remarkSealed()
        guard let wanted = options.session else {
            run.options.isJSON ? overviewJSON() : overview()
            if options.isOnce { run.finish(.done) }
            return
        }
        do throws(ClientError) {
            let found = try Self.find(wanted, in: run.view)
            session = found
            run.follow(found)
        } catch { run.fail(error) }
    }

    static func find(_ wanted: String, in view: ClientView) throws(ClientError) -> SessionID {
        if wanted == "latest" {
            let latest = view.sessions.values.filter { !$0.standsForHost }.max {
                ($0.endedAt == nil ? 1 : 0, $0.lastActivityAt) < ($1.endedAt == nil ? 1 : 0, $1.lastActivityAt)
            }
            guard let latest else { throw ClientError(.notFound, "there are no sessions yet") }
            return latest.session
        }
        switch ShortNames.match(wanted, among: view.sessions.keys, by: \.rawValue) {
        case .one(let session): return session
        case .none: throw ClientError(.notFound, "there is no session “\(wanted)”", advice: "try: heliograph sessions --all")
        case .several(let sessions):
            throw ClientError(
                .usage, "“\(wanted)” matches \(sessions.count) sessions",
                advice: sessions.map(\.rawValue).sorted().prefix(5).joined(separator: "\n"))
        }
    }

    // MARK: - Text

    private func changed(_ change: ClientView.Change) {
        switch change {
        case .epochChanged:
            run.terminal.remark("the relay's log was replaced; numbers start again", .yellow)
        case .workspaceKnown: workspaceKnown()
        case .session(let summary, let previous): sessionChanged(summary, previous)
        case .sessionGone(let gone): if gone == session { run.terminal.remark("the relay has forgotten this session", .yellow) }
        case .events(let events, let skipped): show(events, skipped)
        case .sessionKnown(let known):
            guard known == session else { return }
            isShowingPast = false
            if options.isOnce { run.finish(.done) }
        case .reset(_, let reason):
            isShowingPast = true
            run.terminal.remark("cannot go on from here (\(reason.rawValue)): showing the relay's last events again", .yellow)
        case .approval, .delta, .output, .resubscribe, .unusable: break
        }
    }

    private func overview() {
        let summaries = SessionsTask.sorted(Array(run.view.sessions.values)).filter { $0.endedAt == nil }
        let pending = run.view.pendingApprovals
        let sessions = "\(Moment.count(summaries.count, "session")) at \(run.credentials.relay)"
        run.terminal.remark(options.isOnce ? sessions : "watching \(sessions); control-C ends", .dim)
        for approval in pending { question(approval.request, of: approval.session, at: approval.requestedAt) }
    }

    private func sessionChanged(_ summary: Summary, _ previous: Summary?) {
        if names[summary.session.rawValue] == nil { names = ShortNames.shortest(of: run.view.sessions.keys.map(\.rawValue)) }
        guard session == nil || session == summary.session, let previous,
            previous.hostIsConnected != summary.hostIsConnected
        else { return }
        let text = "host \(VisibleText.line(summary.host.name)) is \(summary.hostIsConnected ? "back" : "away")"
        line(Moment.now, summary.session, text, .yellow)
    }

    private func show(_ events: SessionEvents, _ skipped: Int64) {
        let dropped = droppedCount(of: events)
        let skipped = skipped + Int64(dropped)
        if skipped > 0 {
            self.run.terminal.print(
                self.run.terminal.palette.paint("… \(Moment.count(Int(skipped), "earlier event")) not shown", .dim))
        }
        for (offset, bytes) in events.events.enumerated().dropFirst(dropped) {
            if let remark = run.remark(on: events.first + Int64(offset), of: events.session) {
                line(Moment.now, events.session, remark.words, .yellow)
            }
            show(EventText(bytes), of: events.session)
        }
    }

    /// Number of past events that are left out because they are more than requested.
    private func droppedCount(of events: SessionEvents) -> Int {
        isShowingPast && session != nil ? max(0, events.events.count - options.last) : 0
    }

    private func show(_ event: EventText, of session: SessionID) {
        guard !ends.isAfterEnd(event, of: session) else { return }
        if event.isMinor, !options.showsMinor { return }
        if let request = event.question { return question(request, of: session, at: event.at) }
        if self.session != nil, let block = event.block {
            line(event.at, session, event.line, event.style)
            for text in block.split(separator: "\n", omittingEmptySubsequences: false) {
                let width = run.terminal.width.map { $0 - 4 }
                for piece in width.map({ DisplayWidth.wrap(String(text), to: $0) }) ?? [String(text)] {
                    run.terminal.print("  \(ApprovalText.gutter)\(piece)")
                }
            }
            return
        }
        line(event.at, session, event.line, event.style)
    }

    private func question(_ request: ApprovalRequest, of session: SessionID, at: Int64) {
        line(at, session, VisibleText.line("⚠ \(EventText.asks(request)): \(request.title)"), .alert)
        guard run.view.approval(request.approval, of: session)?.stage ?? .pending == .pending else { return }
        let short = ShortNames.shortest(of: run.view.approvals.values.map(\.id.rawValue) + [request.approval.rawValue])
        let name = short[request.approval.rawValue] ?? request.approval.rawValue
        let verb =
            request.kind == .question && !request.needsPasskey
            ? "answer" : request.isCut || request.needsPasskey ? "show" : "allow"
        run.terminal.print(
            run.terminal.palette.paint("          heliograph approvals \(verb) \(name)   or   … deny \(name) -m TEXT", .alert))
    }

    private func line(_ at: Int64, _ session: SessionID, _ text: String, _ style: Style?) {
        let palette = run.terminal.palette
        let clock = Moment.clock(at, now: Moment.now)
        let name = self.session == nil ? (names[session.rawValue] ?? ShortNames.shortest(of: session.rawValue)) : ""
        let room = run.terminal.width.map { $0 - clock.utf8.count - 2 - (name.isEmpty ? 0 : name.utf8.count + 2) }
        let shown = room.map { DisplayWidth.cut(text, to: max(20, $0)) } ?? text
        run.terminal.print(
            palette.paint(clock, .dim) + "  " + (name.isEmpty ? "" : palette.paint(name, .cyan) + "  ")
                + palette.paint(shown, style))
    }

    // MARK: - Link

    private func linkDown(_ reason: String, _ wait: Duration) {
        wasDown = true
        let milliseconds = wait.components.seconds * 1_000 + wait.components.attoseconds / 1_000_000_000_000_000
        if run.options.isJSON {
            link("down") {
                $0.field("reason", reason)
                $0.field("retryMs", milliseconds)
            }
        } else {
            let seconds = max(1, (milliseconds + 500) / 1_000)
            run.terminal.remark("link down (\(VisibleText.line(reason))), retrying in \(seconds) s", .yellow)
        }
    }

    private func link(_ state: String, _ more: (inout JSONWriter) -> Void = { _ in }) {
        guard run.options.isJSON else { return }
        emit("link") {
            $0.field("state", state)
            more(&$0)
        }
    }

    // MARK: - JSON

    private func changedJSON(_ change: ClientView.Change) {
        switch change {
        case .epochChanged: emit("epochChanged") { _ in }
        case .workspaceKnown: workspaceKnown()
        case .session(let summary, _): if concerns(summary.session) { emit("summary") { $0.raw("summary", summary.bytes) } }
        case .sessionGone(let session): if concerns(session) { emit("sessionGone") { $0.field("session", session) } }
        case .approval(let approval, _):
            if concerns(approval.session) { emit("approval") { $0.raw("approval", approval.bytes) } }
        case .events(let events, let skipped): showJSON(events, skipped)
        case .delta(let delta):
            emit("deltas") {
                $0.field("session", delta.session)
                $0.field("message", delta.message)
                $0.field("text", delta.text)
                $0.field("agent", delta.agent)
            }
        case .output(let output):
            emit("output") {
                $0.field("session", output.session)
                $0.field("call", output.call)
                $0.field("text", output.text)
            }
        case .reset(let session, let reason):
            isShowingPast = true
            emit("reset") {
                $0.field("session", session)
                $0.field("reason", reason.rawValue)
            }
        case .sessionKnown(let known):
            guard known == session else { return }
            isShowingPast = false
            if options.isOnce { run.finish(.done) }
        case .resubscribe, .unusable: break
        }
    }

    private func overviewJSON() {
        for summary in SessionsTask.sorted(Array(run.view.sessions.values)) { changedJSON(.session(summary, previous: nil)) }
        for approval in run.view.pendingApprovals { changedJSON(.approval(approval, previous: nil)) }
    }

    private func showJSON(_ events: SessionEvents, _ skipped: Int64) {
        let dropped = droppedCount(of: events)
        if skipped + Int64(dropped) > 0 {
            emit("skipped") {
                $0.field("session", events.session)
                $0.field("count", skipped + Int64(dropped))
            }
        }
        for (offset, event) in events.events.enumerated().dropFirst(dropped) {
            let seq = events.first + Int64(offset)
            if let remark = run.remark(on: seq, of: events.session) {
                emit(remark == .unsealed ? "unsealed" : "missing") {
                    $0.field("session", events.session)
                    $0.field("before", seq)
                    if case .missing(let count) = remark { $0.field("count", count) }
                }
            }
            emit("event") {
                $0.field("session", events.session)
                $0.field("epoch", events.epoch)
                $0.field("seq", seq)
                $0.raw("event", event)
            }
        }
    }

    private func concerns(_ session: SessionID) -> Bool { options.session == nil || session == self.session }

    private func emit(_ type: StaticString, _ body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter(type: type)
        body(&writer)
        run.terminal.print(JSONLine.text(writer.finish()))
    }
}
