internal import DeviceConsent
internal import HeliographLink
internal import RelayProtocol

/// `heliograph export`: the events that the relay keeps, each session from its first one, one JSON object a line.
///
/// Content that hosts have sealed is opened with this terminal's keys. An event that cannot be opened gets a line that says so, and
/// is counted at the end.
final class ExportTask: ClientTask {
    private unowned let run: ClientRun
    /// The session as the person named it; nil: all.
    private let wanted: String?
    private var sessions: [Summary] = []
    private var place = 0
    /// The first event that has not been printed.
    private var next: Int64 = 1
    /// End of the range of events that is requested now.
    private var end: Int64 = 1
    /// Pages of that range, from its end backwards, because the relay may send fewer events than requested.
    private var pages: [(first: Int64, events: [[UInt8]])] = []
    private var asking: CommandID?
    private var counts = (events: 0, unopened: 0, missing: Int64(0))

    init(_ run: ClientRun, _ session: String?) {
        self.run = run
        wanted = session
        run.finishWhenUnread()
        run.expectWorkspace()
    }

    func heard(_ news: RelayLink.News) {
        switch news {
        case .changed(.workspaceKnown) where asking == nil: begin()
        case .replied(let command, let reply) where command == asking: replied(reply)
        case .down: if run.wasUp { run.fail(run.unreachable) }
        default: break
        }
    }

    private func begin() {
        do throws(ClientError) {
            let session = try wanted.map { name throws(ClientError) in try WatchTask.find(name, in: run.view) }
            sessions = run.view.sessions.values.filter { session == nil || $0.session == session }
                .sorted { ($0.startedAt, $0.session.rawValue) < ($1.startedAt, $1.session.rawValue) }
            ask()
        } catch { run.fail(error) }
    }

    /// Requests the following events of this session, or of the next one that has some.
    private func ask() {
        while place < sessions.count, next > sessions[place].seq { nextSession() }
        guard place < sessions.count else { return done() }
        end = min(next + Int64(WireLimits.historyEventsMax), sessions[place].seq + 1)
        ask(before: end)
    }

    private func nextSession() {
        counts.missing += run.missingCount(of: sessions[place].session)
        place += 1
        next = 1
    }

    private func ask(before: Int64) {
        let page = run.submit(.history(sessions[place].session, before: before, limit: before - next))
        asking = page
        run.expect { [weak self] in self?.asking != page }
    }

    private func replied(_ reply: Reply) {
        switch reply {
        case .history(let first, let events):
            if !events.isEmpty {
                pages.append((first, events))
                // Below the first event that is kept the answer is empty.
                if first > next { return ask(before: first) }
            }
            for page in pages.reversed() { print(page.events, from: page.first) }
            pages = []
            next = end
        // The session was removed meanwhile.
        case .failed(let notice, _) where notice.code == ErrorCode.notFound.rawValue: next = .max
        case .failed(let notice, _): return run.fail(.notTaken(notice, "read the history"))
        default: return run.fail(ClientError(.failed, "the relay's answer is not understood"))
        }
        ask()
    }

    private func print(_ events: [[UInt8]], from first: Int64) {
        for (offset, bytes) in events.enumerated() {
            counts.events += 1
            if (try? Event(stored: bytes))?.head.kind == UnopenedEvent.kind { counts.unopened += 1 }
            let line = JSONWriter.object {
                $0.field("session", sessions[place].session)
                $0.field("seq", first + Int64(offset))
                $0.raw("event", bytes)
            }
            run.terminal.print(JSONLine.text(line))
        }
    }

    private func done() {
        run.terminal.remark(
            "\(Moment.count(counts.events, "event")) of \(Moment.count(sessions.count, "session"))", .dim)
        if counts.unopened > 0 {
            run.terminal.remark(
                "\(Moment.count(counts.unopened, "event")) could not be opened, or \(counts.unopened == 1 ? "is" : "are") not shown as true: each has a line of the kind “\(UnopenedEvent.kind)” that says why",
                .yellow)
        }
        if counts.missing > 0 { run.terminal.remark(ContentRemark.missing(counts.missing).words, .yellow) }
        run.remarkSealed()
        run.finish(.done)
    }
}
