internal import DeviceConsent
internal import HeliographLink
package import RelayProtocol

/// Reads the history of requests that the relay keeps: the events of approvals and starts in a host's sessions.
final class HistoryTask: ClientTask {
    private unowned let run: ClientRun
    private let wish: HistoryOptions
    private let show: ([HistoryOptions.Session]) -> Void
    private var sessions: [Summary] = []
    private var place = 0
    /// Events of the session at `place`, newest first.
    private var events: [Event] = []
    /// The sessions that were read, newest first.
    private var kept: [HistoryOptions.Session] = []
    private var requests = 0
    private var missing: Int64 = 0
    private var asking: CommandID?

    init(_ run: ClientRun, _ wish: HistoryOptions, _ show: @escaping ([HistoryOptions.Session]) -> Void) {
        self.run = run
        self.wish = wish
        self.show = show
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
        let host: String
        switch wish.host {
        case .named(let name): host = name
        case .having(let rule, let name):
            do throws(ClientError) {
                let found = try RuleLookup.find(rule, on: name, in: run.view)
                host = run.view.sessions[found]?.host.name ?? ""
            } catch { return run.fail(error) }
        }
        let named = run.view.sessions.values.filter { $0.host.name == host }
        if named.isEmpty {
            let hosts = Set(run.view.sessions.values.map(\.host.name)).sorted().prefix(5)
            return run.fail(
                ClientError(
                    .notFound, "the relay keeps no session of a host “\(VisibleText.line(host))”",
                    advice: hosts.isEmpty ? nil : "it has: " + hosts.map(VisibleText.line).joined(separator: ", ")))
        }
        sessions = named.filter { $0.lastActivityAt >= wish.since && $0.seq > 0 }.sorted { $0.startedAt > $1.startedAt }
        next()
    }

    private func next() {
        if requests >= HistoryOptions.requestsMax {
            run.terminal.remark("of the newest \(requests) requests; there are more", .yellow)
            place = sessions.count
        }
        guard place < sessions.count else {
            run.remarkSealed()
            if missing > 0 { run.terminal.remark(ContentRemark.missing(missing).words, .yellow) }
            show(kept.reversed())
            return run.finish(.done)
        }
        ask(before: sessions[place].seq + 1)
    }

    private func ask(before seq: Int64) {
        let page = run.submit(
            .history(sessions[place].session, before: seq, limit: Int64(WireLimits.historyEventsMax)))
        asking = page
        run.expect { [weak self] in self?.asking != page }
    }

    private func replied(_ reply: Reply) {
        switch reply {
        case .history(let first, let page):
            let events = page.compactMap { try? Event(stored: $0) }
            self.events += events.reversed().filter(Self.isOfRequests)
            let isEnough = page.isEmpty || first <= 1 || (events.first?.at ?? 0) < wish.since
            guard isEnough else { return ask(before: first) }
        // The session was removed meanwhile.
        case .failed(let notice, _) where notice.code == ErrorCode.notFound.rawValue: events = []
        case .failed(let notice, _): return run.fail(.notTaken(notice, "read the history"))
        default: return run.fail(ClientError(.failed, "the relay's answer is not understood"))
        }
        let wanted = events.reversed().filter { $0.at >= wish.since || !Self.isRequest($0) }
        kept.append((sessions[place], wanted))
        requests += wanted.count(where: Self.isRequest)
        missing += run.missingCount(of: sessions[place].session)
        events = []
        place += 1
        next()
    }

    private static func isRequest(_ event: Event) -> Bool {
        if case .approvalRequested = event.head { true } else { false }
    }

    private static func isOfRequests(_ event: Event) -> Bool {
        switch event.head {
        case .approvalRequested, .approvalDecided, .approvalCancelled, .approvalStale, .sessionStarted: true
        default: false
        }
    }
}

/// The part of the history to read.
package struct HistoryOptions: Sendable {
    /// A session with its events of approvals and starts, oldest first.
    package typealias Session = (summary: Summary, events: [Event])

    package enum Host: Sendable {
        case named(String)
        /// The host with this rule; `named` chooses among several.
        case having(rule: String, named: String?)
    }

    package var host: Host
    /// Time from which it is read, in milliseconds since 1970.
    package var since: Int64

    /// Most requests, which are held in memory with their input.
    static let requestsMax = 20_000

    package init(host: Host, since: Int64) {
        self.host = host
        self.since = since
    }
}
