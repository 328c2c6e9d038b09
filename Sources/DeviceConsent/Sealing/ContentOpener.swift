package import Consent
package import RelayProtocol

/// Opens content that hosts have sealed for this device, before any other code sees it: the rest of the client reads it as if the
/// host did not seal.
///
/// A faulty event is replaced (`UnopenedEvent`); `remark(on:of:)` has the remark to print before an event.
package struct ContentOpener {
    private struct Request: Hashable {
        let session: SessionID
        let approval: ApprovalID
    }

    /// Milliseconds after a new key or connection for which messages sealed with the previous key may still arrive: a phone's lost
    /// connection is noticed within them.
    package static let settlesAfter: Int64 = 30_000
    /// Number of open questions kept for the labels of answers; beyond it the oldest are forgotten.
    private static let questionsMax = 1_024

    package internal(set) var keys: EpochKeys
    let nonce: () -> SealingNonce
    /// The keys of hosts that seal, by the relay's names of these hosts.
    private var hosts: [HostID: KeyID] = [:]
    package private(set) var hostNames: [KeyID: String] = [:]
    /// The host of each sealed session.
    package private(set) var sessions: [SessionID: KeyID] = [:]
    /// The relay's name of each session's host.
    private var hostsOfSessions: [SessionID: HostID] = [:]
    /// Sealed sessions whose host the relay has not named.
    private(set) var unknownHosts: Set<SessionID> = []
    private var lines: [SessionID: (number: Int64, line: SessionLine)] = [:]
    /// Names in the opened offer: only their aliases are sent.
    private(set) var names: [SessionID: Set<String>] = [:]
    private var ledgers: [SessionID: EventLedger] = [:]
    /// Last event of each session's snapshot: later ones are live.
    private var pasts: [SessionID: Int64] = [:]
    private var liveProgress = LiveProgress()
    private var remarks: [SessionID: [Int64: ContentRemark]] = [:]
    private var questions: [Request: [QuestionOffer]] = [:]
    private var questionsInOrder: [Request] = []
    private var epoch: Epoch?
    /// Monotonic milliseconds.
    private var now: Int64 = 0
    private var connectedAt: Int64?
    /// When each session was requested on this connection.
    private var followedAt: [SessionID: Int64] = [:]
    /// Pages of a snapshot that wait for keys from a later page.
    private var held: [MessageToClient]?
    /// Histories that were requested, by command.
    private var histories: [CommandID: SessionID] = [:]
    /// Summaries as they came, to be opened once there is a key.
    private var unopened: [SessionID: Summary] = [:]

    /// `nonce` is random and used once.
    package init(
        _ crypto: ConsentCrypto, nonce: @escaping () -> SealingNonce, _ trusted: @escaping EpochKeys.Trusted,
        remembering: @escaping EpochKeys.Remember = { _, _, _ in }
    ) {
        keys = EpochKeys(crypto, trusted, remembering: remembering)
        self.nonce = nonce
        for pin in keys.sealing {
            hostNames[pin.id] = pin.name
            if let name = pin.sealsAs.flatMap({ HostID($0) }) { hosts[name] = pin.id }
        }
    }

    /// To be called before the command is sent: its reply does not name its session.
    package mutating func sent(_ command: ClientCommand, as id: CommandID) {
        if case .history(let session, _, _) = command { histories[id] = session }
    }

    /// To be called before the session is requested, from the position that is held here.
    package mutating func follows(_ session: SessionID) { followedAt[session] = now }

    /// The remark to print before this event; returned once.
    package mutating func remark(on seq: Int64, of session: SessionID) -> ContentRemark? {
        remarks[session]?.removeValue(forKey: seq)
    }

    // MARK: - Messages

    /// `now` is in milliseconds of a clock that never jumps.
    package mutating func open(_ message: MessageToClient, at now: Int64) -> [MessageToClient] {
        self.now = now
        defer { for host in Set(hosts.values) { _ = settledEpoch(of: host) } }
        if var pages = held {
            pages.append(message)
            held = pages
            guard case .snapshotEnd = message else { return [] }
            held = nil
            let summaries = pages.flatMap(Self.summaries)
            learn(summaries)
            lookBack(summaries)
            return pages.flatMap { opened($0) }
        }
        if case .workspaceSnapshot(_, _, more: true, _) = message {
            held = [message]
            return []
        }
        let isMore = learn(Self.summaries(message))
        if case .summary = message {} else { lookBack(Self.summaries(message)) }
        return opened(message) + (isMore ? reopened() : [])
    }

    private static func summaries(_ message: MessageToClient) -> [Summary] {
        switch message {
        case .workspaceSnapshot(let summaries, _, _, _): summaries
        case .sessionSnapshot(_, _, let summary, _), .summary(let summary): [summary]
        default: []
        }
    }

    /// Takes keys and hosts from the summaries. Returns true if more can be opened than before.
    @discardableResult
    private mutating func learn(_ summaries: [Summary]) -> Bool {
        var isMore = false
        let before = hosts
        for summary in summaries {
            hostsOfSessions[summary.session] = summary.host.id
            guard let offer = summary.steering, offer.seals, let host = offer.host else { continue }
            hosts[summary.host.id] = host
            hostNames[host] = summary.host.name
            if let wraps = offer.wraps, keys.take(wraps, of: host, called: summary.host.id.rawValue) { isMore = true }
        }
        let sealing = summaries.isEmpty ? [] : keys.sealing
        for summary in summaries { if let host = host(of: summary, among: sealing) { sessions[summary.session] = host } }
        // Sessions that were listed before the first offer of their host.
        if hosts != before {
            for (session, name) in hostsOfSessions where sessions[session] == nil { sessions[session] = hosts[name] }
        }
        return isMore
    }

    /// The session's host, if the session is sealed. Whatever the relay says, every session of a host that was seen to seal counts
    /// as sealed.
    private func host(of summary: Summary, among sealing: [HostPin]) -> KeyID? {
        if let offer = summary.steering, offer.seals, let host = offer.host { return host }
        return hosts[summary.host.id] ?? sessions[summary.session]
            ?? sealing.first { $0.name == summary.host.name || $0.id == summary.steering?.host }?.id
    }

    private mutating func lookBack(_ summaries: [Summary]) {
        for summary in summaries { pasts[summary.session] = summary.seq }
    }

    private mutating func reopened() -> [MessageToClient] {
        defer { unopened = unopened.filter { sessions[$0.key].map(keys.canOpen) != true } }
        return unopened.values.sorted { $0.session.rawValue < $1.session.rawValue }.compactMap { summary in
            sessions[summary.session].map(keys.canOpen) == true ? .summary(opened(summary)) : nil
        }
    }

    private mutating func opened(_ message: MessageToClient) -> [MessageToClient] {
        switch message {
        case .welcome(let welcome, _, _, _):
            if let epoch, epoch != welcome.epoch { (ledgers, remarks, pasts) = ([:], [:], [:]) }
            epoch = welcome.epoch
            (connectedAt, followedAt) = (now, [:])
        case .workspaceSnapshot(let summaries, let approvals, let more, let older):
            return [
                .workspaceSnapshot(
                    sessions: summaries.map { opened($0) }, approvals: approvals.map { opened($0) }, more: more,
                    older: older)
            ]
        case .sessionSnapshot(let tail, let seq, let summary, let approvals):
            // The session's line says from which event on the host seals.
            let read = opened(summary)
            return [
                .sessionSnapshot(
                    opened(tail, isLive: false), seq: seq, summary: read, approvals: approvals.map { opened($0) })
            ]
        case .events(let batch): return [.events(opened(batch, isLive: true))]
        case .summary(let summary): return [.summary(opened(summary))]
        case .approval(let approval): return [.approval(opened(approval))]
        case .deltas(var delta):
            guard sessions[delta.session] != nil else { break }
            guard let text = live(delta.text, of: delta.message, in: delta.session, holes: "…") else { return [] }
            delta.text = text
            return [.deltas(delta)]
        case .output(var output):
            guard sessions[output.session] != nil else { break }
            guard let text = live(output.text, of: output.call, in: output.session, holes: "") else { return [] }
            output.text = text
            return [.output(output)]
        case .reply(let id, .history(let first, let page)):
            guard let session = histories.removeValue(forKey: id) else { break }
            let events = opened(page, from: first, of: session, liveAfter: .max)
            return [.reply(id, .history(first: first, events: events))]
        case .removed(let session):
            // The session's host stays known, in case the session comes back.
            (lines[session], names[session], unopened[session]) = (nil, nil, nil)
            (ledgers[session], remarks[session], pasts[session]) = (nil, nil, nil)
            (followedAt[session], hostsOfSessions[session]) = (nil, nil)
        default: break
        }
        return [message]
    }

    // MARK: - Lists

    /// The summary with its opened line. Content that the relay could have written in its place is removed.
    private mutating func opened(_ summary: Summary) -> Summary {
        guard let host = sessions[summary.session] else { return summary }
        var opened = summary
        opened.steering = summary.steering.map { offer($0, of: summary.session, host) }
        let line = line(of: summary, host)
        if line == nil { unopened[summary.session] = summary }
        opened.line = line == nil ? summary.line : nil
        opened.title = line == nil ? Self.sealedTitle : line?.title
        (opened.project, opened.branch) = (line?.project, line?.branch)
        (opened.workingDirectory, opened.folder) = (line?.workingDirectory, line?.folder)
        opened.operation = summary.operation.flatMap { shown in
            if shown == Self.decided { return shown }
            // The relay says which of the two it shows: it may have seen the end of a request that its host has not.
            let asked = shown == WireSide.request ? line?.asks : nil
            return asked ?? line?.operation ?? (WireSide.standIns.contains(shown) ? shown : nil)
        }
        opened.file = summary.file.flatMap { _ in line?.file }
        opened.error = summary.error.map { _ in line?.error ?? "A sealed error" }
        opened.todo?.current = line?.current
        opened.statusReason = line?.reason ?? (summary.statusReason == Self.decided ? Self.decided : nil)
        return opened
    }

    private static let sealedTitle = "Sealed session"
    /// The reason that the relay states itself for a decided approval; it is kept, as it is not sealed content.
    private static let decided = "decided, waits for the host"

    /// The newest line that can be opened; nil if there never was one.
    private mutating func line(of summary: Summary, _ host: KeyID) -> SessionLine? {
        let known = lines[summary.session]
        guard let text = summary.line, let sealed = try? Sealed(text: text, as: .numbered),
            sealed.number >= known?.number ?? 0,
            let bytes = try? keys.seal(of: summary.session, host, sealed.epoch)?.open(sealed, as: .line),
            let line = try? SessionLine(parsing: bytes)
        else { return known?.line }
        lines[summary.session] = (sealed.number, line)
        return line
    }

    /// The opened offer. If it cannot be opened, only the parts that the relay cannot misuse.
    private mutating func offer(_ shown: SteeringOffer, of session: SessionID, _ host: KeyID) -> SteeringOffer {
        var offer = shown
        if let text = shown.sealed, let sealed = try? Sealed(text: text, as: .numbered),
            let bytes = try? keys.seal(of: session, host, sealed.epoch)?
                .open(sealed, as: .event(kind: EventKind.steeringOffered.rawValue)),
            case .steeringOffered(let read)? = try? Event(stored: bytes).head
        {
            offer = read
            names[session] = Set(read.commands + (read.projects ?? []).map(\.name))
        } else {
            offer.actions.subtract([.ruleOff, .ruleAdd, .ruleChange, .ruleTry])
            (offer.takesPictures, offer.hasScreen, offer.rules) = (false, false, nil)
            (offer.commands, offer.reason) = ([], nil)
            offer.projects = shown.projects.map { _ in [] }
            for place in offer.agents.indices { offer.agents[place].takesPictures = false }
        }
        (offer.seals, offer.wraps, offer.sealed) = (true, nil, nil)
        return offer
    }

    // MARK: - Approvals

    private mutating func opened(_ approval: Approval) -> Approval {
        guard let host = sealingHost(of: approval), let event = try? Event(stored: approval.requestBytes) else {
            if (try? Event(stored: approval.requestBytes))?.isSealed == true { unknownHosts.insert(approval.session) }
            return approval
        }
        // The bytes are those of a sealed event that nobody can open, and the head says nothing.
        var bytes = SealedEvent("unopened").bytes(of: event) { _ in "~" }
        var request = approval.request
        if case .approvalRequested(let standIn)? = try? Event(stored: bytes).head { request = standIn }
        if case .opened(let sealed, let plain) = content(of: event, approval.session),
            case .approvalRequested(let read) = plain.head, read.approval == approval.id,
            !isOutdated(sealed, approval, host)
        {
            (request, bytes) = (read, plain.bytes)
            note(read, of: approval.session)
        }
        var opened = Approval(
            session: approval.session, request: request, requestBytes: bytes, requestedAt: approval.requestedAt,
            seq: approval.seq)
        opened.expiresAt = approval.expiresAt
        opened.stage = approval.stage.reading { self.opened($0, on: approval.id, of: approval.session) }
        return opened
    }

    /// The host whose key has to open this request: that of its session, or the one that the request itself names, as a relay may put it
    /// into any session. Nil if that host does not seal.
    private func sealingHost(of approval: Approval) -> KeyID? {
        if let known = sessions[approval.session] { return known }
        guard let text = ShownText.text(inEvent: approval.requestBytes), let shown = try? ShownText(parsing: text) else {
            return nil
        }
        return keys.canOpen(shown.host) || keys.sealing.contains { $0.id == shown.host } ? shown.host : nil
    }

    /// True for a live request that is sealed with an older key than its host's newest.
    private mutating func isOutdated(_ sealed: Sealed, _ approval: Approval, _ host: KeyID) -> Bool {
        approval.stage == .pending && !isCatchingUp(on: approval.session) && approval.seq > pasts[approval.session] ?? 0
            && sealed.epoch < settledEpoch(of: host)
    }

    /// True while the session catches up on this connection from the position that was held here.
    private func isCatchingUp(on session: SessionID) -> Bool {
        (followedAt[session] ?? connectedAt).map { now - $0 < Self.settlesAfter } ?? false
    }

    private mutating func settledEpoch(of host: KeyID) -> EpochNumber {
        keys.settled(of: host, since: now - Self.settlesAfter, at: now)
    }

    private mutating func note(_ request: ApprovalRequest, of session: SessionID) {
        let name = Request(session: session, approval: request.approval)
        guard !request.questions.isEmpty, questions.updateValue(request.questions, forKey: name) == nil else { return }
        questionsInOrder.append(name)
        if questionsInOrder.count > Self.questionsMax { questions[questionsInOrder.removeFirst()] = nil }
    }

    /// The decision with the person's words and the chosen labels opened.
    private mutating func opened(_ decision: Decision, on approval: ApprovalID, of session: SessionID) -> Decision {
        var opened = decision
        let purpose = SealedPurpose.words(with: approval.rawValue)
        func read(_ text: String?) -> String? { text.map { self.text($0, purpose, of: session) ?? Self.unreadable } }
        switch decision.verdict {
        case .allowEdited(let edit): opened.verdict = .allowEdited(read(edit) ?? edit)
        case .deny(let message): opened.verdict = .deny(message: read(message))
        case .denyWith(let offer, let message): opened.verdict = .denyWith(offer: offer, message: read(message))
        case .answer(let answers):
            let asked = questions[Request(session: session, approval: approval)] ?? []
            opened.verdict = .answer(
                answers.map { answer in
                    var answer = answer
                    let labels = asked.first { $0.id == answer.question }?.choices ?? []
                    let numbers = labels.indices.map { "\($0 + 1)" }
                    // The host follows what was signed: numbers and indexes that agree.
                    answer.choices = answer.places(in: numbers)?.map { labels[$0] } ?? [Self.unreadable]
                    answer.text = read(answer.text)
                    return answer
                })
        case .allow, .allowIn, .allowWith: break
        }
        return opened
    }

    private static let unreadable = "(words that this device cannot open)"

    /// A piece of live text, after `holes` if what comes before it has not come; nil if it came before, or cannot be opened.
    private mutating func live(_ text: String, of name: String, in session: SessionID, holes: String) -> String? {
        guard let host = sessions[session], let sealed = try? Sealed(text: text, as: .live) else { return nil }
        keys.saw(sealed.epoch, of: host)
        guard sealed.epoch >= keys.newest(of: host) ?? 0,
            let bytes = try? keys.seal(of: session, host, sealed.epoch)?.open(sealed, as: .live(of: name)),
            let piece = try? LivePiece(parsing: bytes)
        else { return nil }
        return switch liveProgress.arrived(piece, of: name, in: session) {
        case .follows: piece.text
        case .afterHole: holes + piece.text
        case .late: nil
        }
    }

    /// A person's words; nil if they cannot be opened. What is not sealed is nothing that the host would take.
    private mutating func text(_ text: String, _ purpose: SealedPurpose, of session: SessionID) -> String? {
        guard let host = sessions[session], let sealed = try? Sealed(text: text, as: purpose.form) else { return nil }
        keys.saw(sealed.epoch, of: host)
        return try? keys.seal(of: session, host, sealed.epoch)?.openText(sealed, as: purpose)
    }

    // MARK: - Events

    private mutating func opened(_ batch: SessionEvents, isLive: Bool) -> SessionEvents {
        guard sessions[batch.session] != nil else { return batch }
        var opened = batch
        let past = isLive && !isCatchingUp(on: batch.session) ? pasts[batch.session] ?? batch.first - 1 : .max
        opened.events = self.opened(batch.events, from: batch.first, of: batch.session, liveAfter: past)
        return opened
    }

    /// Each event as its host would send it unsealed, or an event that stands in its place.
    private mutating func opened(
        _ events: [[UInt8]], from first: Int64, of session: SessionID, liveAfter past: Int64
    ) -> [[UInt8]] {
        guard let host = sessions[session], !events.isEmpty else { return events }
        var opened = events
        var found: [(seq: Int64, found: EventLedger.Found)] = []
        // The host's own counts of lost events.
        var gaps: [Int64: Int64] = [:]
        for (place, bytes) in events.enumerated() {
            guard let event = try? Event(stored: bytes) else { continue }
            let seq = first + Int64(place)
            func say(_ reason: UnopenedEvent.Reason) { opened[place] = UnopenedEvent.bytes(at: event.at, reason) }
            switch content(of: event, session) {
            case .opened(let sealed, let plain):
                let numbered = EventLedger.Found.numbered(sealed.number, sealed.epoch)
                let isOld = seq > past && sealed.epoch < settledEpoch(of: host)
                // An event that was read while its key was the newest stays as it was.
                guard !isOld || ledgers[session]?.holds(numbered, at: seq) == true else {
                    say(.outdated)
                    continue
                }
                opened[place] = plain.bytes
                found.append((seq, numbered))
                if case .approvalRequested(let request) = plain.head { note(request, of: session) }
                if case .truncated(let count) = plain.head { gaps[seq] = count ?? .max }
            case .failed(let why):
                say(.cannotOpen(why))
                found.append((seq, .closed))
            case .closed:
                say(.noKey)
                found.append((seq, .closed))
            case .plain where event.isOfRelay:
                if case .truncated(let count?) = event.head, count > 0 { found.append((seq, .skipped(count))) }
                opened[place] = read(event, of: session)
            case .plain:
                // Before its host began to seal, nothing was sealed, and a request of that time cannot be told from one that the
                // relay made.
                if case .approvalRequested = event.head { say(.notSealed) }
                if seq > past { say(.notSealed) }
                found.append((seq, .plain))
            }
        }
        let isKnown = lines[session] != nil || ledgers[session]?.hasNumbers == true
        let plainMax = isKnown ? (lines[session]?.line.from ?? 1) - 1 : .max
        let reading = ledgers[session, default: EventLedger()]
            .take(first...(first + Int64(events.count) - 1), found, plainMax: plainMax)
        for (seq, kind) in found {
            let place = Int(seq - first)
            if let doubt = reading.doubts[seq], let at = (try? Event(stored: events[place]))?.at {
                opened[place] = UnopenedEvent.bytes(at: at, doubt.reason)
            } else if let count = reading.missing[seq], count > gaps[seq] ?? 0 {
                note(.missing(count), on: seq, of: session)
            } else if kind == .plain, opened[place] == events[place] {
                note(.unsealed, on: seq, of: session)
            }
        }
        return opened
    }

    /// Number of missing events in the part of the session that was read.
    package func missingCount(of session: SessionID) -> Int64 { ledgers[session]?.missingCount ?? 0 }

    private static let remarksMax = 1_024

    private mutating func note(_ remark: ContentRemark, on seq: Int64, of session: SessionID) {
        remarks[session, default: [:]][seq] = remark
        if remarks[session]?.count ?? 0 > Self.remarksMax, let first = remarks[session]?.keys.min() {
            remarks[session]?[first] = nil
        }
    }

    private enum Content {
        case plain
        /// Sealed, and there is no key.
        case closed
        case opened(Sealed, Event)
        case failed(String)
    }

    private mutating func content(of event: Event, _ session: SessionID) -> Content {
        guard let host = sessions[session],
            let text = try? JSONDocument(parsing: event.bytes).root.optional("body")?.optionalString("sealed")
        else { return .plain }
        let kind = event.head.kind
        do throws(ConsentError) {
            let sealed = try Sealed(text: text, as: .numbered)
            keys.saw(sealed.epoch, of: host)
            guard let seal = keys.seal(of: session, host, sealed.epoch) else {
                return keys.canOpen(host) ? .failed("this device was not given its key") : .closed
            }
            let bytes = try seal.open(sealed, as: .event(kind: kind))
            guard let plain = try? Event(stored: bytes), plain.head.kind == kind else {
                return .failed("what is in it is no event of its kind")
            }
            return .opened(sealed, plain)
        } catch { return .failed(error.message) }
    }

    /// Opens people's words in an event that the relay made.
    private mutating func read(_ event: Event, of session: SessionID) -> [UInt8] {
        switch event.head {
        case .approvalDecided(let approval, let decision):
            return Event(.approvalDecided(approval, opened(decision, on: approval, of: session)), at: event.at).bytes
        case .steeringRequested(var call):
            if let project = call.launch?.project { call.launch?.project = trueName(of: project, in: session) ?? "(not known)" }
            if call.action.isAboutRules {
                let command = call.command
                call.choice = call.choice.map { $0.isEmpty ? $0 : words($0, with: command, of: session) }
                call.rule = call.rule.map { words($0, with: command, of: session) }
            }
            let body = (try? JSONDocument(parsing: event.bytes).root.optional("body")?.members()) ?? []
            var content: [(key: String, json: [UInt8])] = []
            for (key, value) in body {
                let text = key == "text" ? try? value.string() : nil
                let json = text.map { JSONWriter.string(words($0, with: call.command, of: session)) }
                content.append((key, json ?? Array(value.bytes)))
            }
            return Event(.steeringRequested(call), at: event.at) { writer in
                for (key, json) in content { writer.raw(dynamic: key, json) }
            }.bytes
        default: return event.bytes
        }
    }

    /// Opens a prompt, or a command given by its alias with its argument.
    private mutating func words(_ text: String, with command: CommandID, of session: SessionID) -> String {
        let purpose = SealedPurpose.words(with: command.rawValue)
        guard !Sealed.isSealed(text) else { return self.text(text, purpose, of: session) ?? Self.unreadable }
        let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
        guard let name = trueName(of: parts.first ?? "", in: session) else { return "(not sealed)" }
        guard parts.count > 1 else { return name }
        return "\(name) \(self.text(parts[1], purpose, of: session) ?? Self.unreadable)"
    }

    /// The name for an alias; nil if the session offers none.
    private func trueName(of alias: String, in session: SessionID) -> String? {
        guard let host = sessions[session] else { return nil }
        return names[session]?.first { keys.aliases(of: $0, host).contains(alias) }
    }
}

extension EventLedger.Doubt {
    fileprivate var reason: UnopenedEvent.Reason {
        switch self {
        case .repeated: .repeated
        case .outdated: .outdated
        case .unsealed: .notSealed
        }
    }
}

extension SteeringOffer {
    fileprivate var host: KeyID? { consent.flatMap { KeyID(text: $0.rawValue) } }
}

extension Event {
    /// True for events that the relay states itself, which are never sealed.
    fileprivate var isOfRelay: Bool {
        switch head {
        case .truncated: true
        case .approvalStale(_, let reason): reason == "tooMany" || reason == ApprovalStage.sessionEnded
        case .steeringChanged(let change): change.stage == .refused && change.reason == "its host had just gone"
        default: head.knownKind?.isMadeByRelay == true
        }
    }
}

extension ApprovalStage {
    /// The stage with `read` applied to its decision.
    fileprivate func reading(_ read: (Decision) -> Decision) -> ApprovalStage {
        func given(_ given: Given) -> Given { Given(read(given.decision), deliveredAt: given.deliveredAt) }
        return switch self {
        case .pending: .pending
        case .decided(let decision): .decided(read(decision))
        case .delivered(let decision, let time): .delivered(read(decision), at: time)
        case .applied(let before, let outcome, let time): .applied(given(before), outcome, at: time)
        case .expired(let decision, let time): .expired(decision.map(read), at: time)
        case .cancelled(let before, let reason, let time): .cancelled(before.map(given), reason: reason, at: time)
        case .stale(let before, let reason, let time): .stale(before.map(given), reason: reason, at: time)
        }
    }
}
