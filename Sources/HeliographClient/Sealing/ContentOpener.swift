internal import Consent
internal import HeliographLink
internal import RelayProtocol

/// Opens what hosts have sealed for this terminal before anything else sees it, so that all else reads it as if it came from another host.
///
/// What is not right with an event shows in its place (`UnopenedEvent`), and a hole before it in `missing(before:of:)`.
struct ContentOpener {
    private struct Request: Hashable {
        let session: SessionID
        let approval: ApprovalID
    }

    /// Of open questions, for the labels of answers; the oldest are forgotten.
    private static let questionsMax = 1_024

    var keys: EpochKeys
    /// The keys of hosts that seal, by the relay's names of these hosts.
    private var hosts: [HostID: KeyID] = [:]
    private var hostNames: [KeyID: String] = [:]
    /// The host of each session that is sealed.
    private(set) var sessions: [SessionID: KeyID] = [:]
    private var lines: [SessionID: (number: Int64, line: SessionLine)] = [:]
    /// Names that are sent in place of the true ones.
    private(set) var aliases: [SessionID: [String: String]] = [:]
    private var watches: [SessionID: (through: Int64, watch: NumberWatch)] = [:]
    /// What was there when this client looked: what comes after that happens now.
    private var pasts: [SessionID: Int64] = [:]
    private var holes: [SessionID: [Int64: Int64]] = [:]
    private var questions: [Request: [QuestionOffer]] = [:]
    private var questionsInOrder: [Request] = []
    private var epoch: Epoch?
    /// Pages of a snapshot whose keys may come in a later one.
    private var held: [MessageToClient]?
    /// Histories that were asked for.
    private var histories: [CommandID: SessionID] = [:]
    /// As they came, for when there is a key.
    private var unopened: [SessionID: Summary] = [:]

    init(_ trusted: @escaping EpochKeys.Trusted) { keys = EpochKeys(trusted) }

    /// The command is about to be sent: its reply does not say of which session it is.
    mutating func sent(_ command: ClientCommand, as id: CommandID) {
        if case .history(let session, _, _) = command { histories[id] = session }
    }

    /// Number of events that are missing before this one; counts once.
    mutating func missing(before seq: Int64, of session: SessionID) -> Int64? { holes[session]?.removeValue(forKey: seq) }

    /// How to get at what this terminal cannot open, a sentence for each host.
    var advice: [String] {
        Set(sessions.values).filter { !keys.canOpen($0) }.map { host in
            let name = VisibleText.line(hostNames[host] ?? "its host")
            return keys.isPinned(host)
                ? "\(name) seals its content, and has no key for this terminal yet: it is asked when it is next there"
                : "\(name) seals its content, and does not trust this terminal: heliograph host trust, at that machine, and here: heliograph trust LINK"
        }.sorted()
    }

    // MARK: - Messages

    mutating func open(_ message: MessageToClient) -> [MessageToClient] {
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
        if case .workspaceSnapshot(_, _, more: true) = message {
            held = [message]
            return []
        }
        let isMore = learn(Self.summaries(message))
        if case .summary = message {} else { lookBack(Self.summaries(message)) }
        return opened(message) + (isMore ? reopened() : [])
    }

    private static func summaries(_ message: MessageToClient) -> [Summary] {
        switch message {
        case .workspaceSnapshot(let summaries, _, _): summaries
        case .sessionSnapshot(_, _, let summary, _), .summary(let summary): [summary]
        default: []
        }
    }

    /// Returns true if more can be opened than before.
    @discardableResult
    private mutating func learn(_ summaries: [Summary]) -> Bool {
        var isMore = false
        for summary in summaries {
            guard let offer = summary.steering, offer.seals, let host = offer.host else { continue }
            hosts[summary.host.id] = host
            hostNames[host] = summary.host.name
            if let wraps = offer.wraps, keys.take(wraps, of: host) { isMore = true }
        }
        for summary in summaries where summary.line != nil || summary.steering?.seals == true {
            sessions[summary.session] =
                summary.steering?.host ?? hosts[summary.host.id] ?? sessions[summary.session]
        }
        return isMore
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
            if let epoch, epoch != welcome.epoch { (watches, holes, pasts) = ([:], [:], [:]) }
            epoch = welcome.epoch
        case .workspaceSnapshot(let summaries, let approvals, let more):
            return [
                .workspaceSnapshot(
                    sessions: summaries.map { opened($0) }, approvals: approvals.map { opened($0) }, more: more)
            ]
        case .sessionSnapshot(let tail, let seq, let summary, let approvals):
            return [
                .sessionSnapshot(
                    opened(tail, isLive: false), seq: seq, summary: opened(summary), approvals: approvals.map { opened($0) })
            ]
        case .events(let batch): return [.events(opened(batch, isLive: true))]
        case .summary(let summary): return [.summary(opened(summary))]
        case .approval(let approval): return [.approval(opened(approval))]
        case .deltas(var delta):
            guard sessions[delta.session] != nil else { break }
            guard let text = text(delta.text, .live(of: delta.message), of: delta.session) else { return [] }
            delta.text = text
            return [.deltas(delta)]
        case .output(var output):
            guard sessions[output.session] != nil else { break }
            guard let text = text(output.text, .live(of: output.call), of: output.session) else { return [] }
            output.text = text
            return [.output(output)]
        case .reply(let id, .history(let first, let page)):
            guard let session = histories.removeValue(forKey: id) else { break }
            var watch = NumberWatch()
            let events = page.map { opened($0, of: session, isLive: false, &watch).bytes }
            return [.reply(id, .history(first: first, events: events))]
        case .removed(let session):
            (sessions[session], lines[session], aliases[session]) = (nil, nil, nil)
            (watches[session], holes[session], unopened[session], pasts[session]) = (nil, nil, nil, nil)
        default: break
        }
        return [message]
    }

    // MARK: - Lists

    private mutating func opened(_ summary: Summary) -> Summary {
        guard let host = sessions[summary.session] else { return summary }
        var opened = summary
        if let offer = summary.steering, let text = offer.sealed {
            opened.steering = self.offer(text, offer, of: summary.session, host) ?? offer
        }
        guard let line = line(of: summary, host) else {
            unopened[summary.session] = summary
            opened.title = summary.title ?? "Sealed session"
            return opened
        }
        opened.line = nil
        (opened.title, opened.project, opened.branch) = (line.title, line.project, line.branch)
        (opened.workingDirectory, opened.folder) = (line.workingDirectory, line.folder)
        if WireSide.standIns.contains(summary.operation ?? "") { opened.operation = line.operation ?? summary.operation }
        if summary.file != nil { opened.file = line.file ?? summary.file }
        if summary.error != nil { opened.error = line.error ?? summary.error }
        opened.todo?.current = line.current
        opened.statusReason = summary.statusReason ?? line.reason
        return opened
    }

    /// The latest that can be opened; nil if there never was one.
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

    /// The true offer, whose names have the aliases that stand in their places.
    private mutating func offer(
        _ text: String, _ shown: SteeringOffer, of session: SessionID, _ host: KeyID
    ) -> SteeringOffer? {
        guard let sealed = try? Sealed(text: text, as: .numbered),
            let bytes = try? keys.seal(of: session, host, sealed.epoch)?
                .open(sealed, as: .event(kind: EventKind.steeringOffered.rawValue)),
            case .steeringOffered(var offer)? = try? Event(stored: bytes).head
        else { return nil }
        offer.seals = true
        let names =
            zip(offer.commands, shown.commands).map { ($0, $1) }
            + zip(offer.projects ?? [], shown.projects ?? []).map { ($0.name, $1.name) }
        aliases[session] = Dictionary(names) { first, _ in first }
        return offer
    }

    // MARK: - Approvals

    private mutating func opened(_ approval: Approval) -> Approval {
        guard sessions[approval.session] != nil, let event = try? Event(stored: approval.requestBytes) else { return approval }
        var request = approval.request
        var bytes = approval.requestBytes
        if case .opened(_, let plain) = content(of: event, approval.session), case .approvalRequested(let read) = plain.head,
            read.approval == approval.id
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

    private mutating func note(_ request: ApprovalRequest, of session: SessionID) {
        let name = Request(session: session, approval: request.approval)
        guard !request.questions.isEmpty, questions.updateValue(request.questions, forKey: name) == nil else { return }
        questionsInOrder.append(name)
        if questionsInOrder.count > Self.questionsMax { questions[questionsInOrder.removeFirst()] = nil }
    }

    /// A decision with the words that a person wrote and the labels that they chose.
    private mutating func opened(_ decision: Decision, on approval: ApprovalID, of session: SessionID) -> Decision {
        var opened = decision
        let purpose = SealedPurpose.words(with: approval.rawValue)
        func read(_ text: String?) -> String? { text.map { self.text($0, purpose, of: session) ?? Self.unreadable } }
        switch decision.verdict {
        case .deny(let message): opened.verdict = .deny(message: read(message))
        case .denyWith(let offer, let message): opened.verdict = .denyWith(offer: offer, message: read(message))
        case .answer(let answers):
            let asked = questions[Request(session: session, approval: approval)] ?? []
            opened.verdict = .answer(
                answers.map { answer in
                    var answer = answer
                    let labels = asked.first { $0.id == answer.question }?.choices ?? []
                    if let indexes = answer.indexes, indexes.allSatisfy({ labels.indices.contains(Int($0)) }) {
                        answer.choices = indexes.map { labels[Int($0)] }
                    }
                    answer.text = read(answer.text)
                    return answer
                })
        case .allow, .allowIn, .allowWith: break
        }
        return opened
    }

    private static let unreadable = "(words that this terminal cannot open)"

    /// Live text or a person's words; nil if they cannot be opened. What is not sealed is nothing that the host would take.
    private mutating func text(_ text: String, _ purpose: SealedPurpose, of session: SessionID) -> String? {
        guard let host = sessions[session], let sealed = try? Sealed(text: text, as: purpose.form) else { return nil }
        return try? keys.seal(of: session, host, sealed.epoch)?.openText(sealed, as: purpose)
    }

    // MARK: - Events

    private mutating func opened(_ batch: SessionEvents, isLive: Bool) -> SessionEvents {
        guard sessions[batch.session] != nil else { return batch }
        var opened = batch
        var (through, watch) = watches[batch.session] ?? (batch.first - 1, NumberWatch())
        if batch.first > through + 1 { watch.lookAway() }
        // What is sent again is looked at by itself.
        var again = NumberWatch()
        for (offset, bytes) in batch.events.enumerated() {
            let seq = batch.first + Int64(offset)
            let isNew = seq > through
            let isLive = isLive && seq > pasts[batch.session] ?? 0
            let (text, missing) =
                isNew
                ? self.opened(bytes, of: batch.session, isLive: isLive, &watch)
                : self.opened(bytes, of: batch.session, isLive: false, &again)
            opened.events[offset] = text
            if missing > 0 { note(missing, before: seq, of: batch.session) }
            through = max(through, seq)
        }
        watches[batch.session] = (through, watch)
        return opened
    }

    private static let holesMax = 1_024

    private mutating func note(_ missing: Int64, before seq: Int64, of session: SessionID) {
        holes[session, default: [:]][seq] = missing
        if holes[session]?.count ?? 0 > Self.holesMax, let first = holes[session]?.keys.min() { holes[session]?[first] = nil }
    }

    /// The event as its host would send it if it did not seal, or what is said in its place.
    private mutating func opened(
        _ bytes: [UInt8], of session: SessionID, isLive: Bool, _ watch: inout NumberWatch
    ) -> (bytes: [UInt8], missing: Int64) {
        guard let host = sessions[session], let event = try? Event(stored: bytes) else { return (bytes, 0) }
        func unopened(_ reason: UnopenedEvent.Reason) -> (bytes: [UInt8], missing: Int64) {
            (UnopenedEvent.bytes(at: event.at, reason), 0)
        }
        switch content(of: event, session) {
        case .opened(let sealed, let plain):
            let newest = isLive ? keys.newest(of: host) : nil
            switch watch.take(sealed.number, sealed.epoch, newest: newest) {
            case .fits(let missing):
                if case .approvalRequested(let request) = plain.head { note(request, of: session) }
                return (plain.bytes, missing)
            case .repeated: return unopened(.repeated)
            case .outdated: return unopened(.outdated)
            }
        case .failed(let why): return unopened(.cannotOpen(why))
        case .closed: return (bytes, 0)
        case .plain where event.isOfRelay:
            if case .truncated(let count) = event.head { watch.skip(count ?? 0) }
            return (read(event, of: session), 0)
        case .plain:
            // Before its host began to seal, nothing was.
            let isSealing = isLive || watch.highest != nil
            return isSealing && keys.canOpen(host) ? unopened(.notSealed) : (bytes, 0)
        }
    }

    private enum Content {
        case plain
        /// There is no key.
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
            guard let seal = keys.seal(of: session, host, sealed.epoch) else {
                return keys.canOpen(host) ? .failed("this terminal was not given its key") : .closed
            }
            let bytes = try seal.open(sealed, as: .event(kind: kind))
            guard let plain = try? Event(stored: bytes), plain.head.kind == kind else {
                return .failed("what is in it is no event of its kind")
            }
            return .opened(sealed, plain)
        } catch { return .failed(error.message) }
    }

    /// An event that the relay has made, with the words of people in it.
    private mutating func read(_ event: Event, of session: SessionID) -> [UInt8] {
        switch event.head {
        case .approvalDecided(let approval, let decision):
            return Event(.approvalDecided(approval, opened(decision, on: approval, of: session)), at: event.at).bytes
        case .steeringRequested(var call):
            if let project = call.launch?.project { call.launch?.project = trueName(of: project, in: session) }
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

    /// A prompt, or a command by its alias with what follows it.
    private mutating func words(_ text: String, with command: CommandID, of session: SessionID) -> String {
        let purpose = SealedPurpose.words(with: command.rawValue)
        guard !Sealed.isSealed(text) else { return self.text(text, purpose, of: session) ?? Self.unreadable }
        let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
        let name = trueName(of: parts.first ?? "", in: session)
        guard parts.count > 1 else { return name }
        return "\(name) \(self.text(parts[1], purpose, of: session) ?? Self.unreadable)"
    }

    private func trueName(of alias: String, in session: SessionID) -> String {
        aliases[session]?.first { $0.value == alias }?.key ?? alias
    }
}

extension SteeringOffer {
    /// The key of its host.
    fileprivate var host: KeyID? { consent.flatMap { KeyID(text: $0.rawValue) } }
}

extension Event {
    /// True for what the relay states itself, which nobody seals.
    fileprivate var isOfRelay: Bool {
        switch head {
        case .truncated: true
        case .approvalStale(_, let reason): reason == "tooMany" || reason == ApprovalStage.sessionEnded
        case .steeringChanged(let change): change.stage == .withdrawn || change.stage == .unknown
        default: head.knownKind?.isMadeByRelay == true
        }
    }
}

extension ApprovalStage {
    /// With what `read` makes of the decision in it.
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
