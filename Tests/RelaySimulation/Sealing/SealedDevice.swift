import DeviceConsent
import Consent
import RelayCore
import RelayModel
import RelayProtocol

/// One client's device, with the product's reader of sealed content. Checks that it sees exactly what it would see of hosts that do
/// not seal, as far as it is permitted.
final class SealedDevice {
    private unowned let sealing: SealingWorld
    private let index: Int
    private let identity: ConsentIdentity
    private var reader: ContentOpener
    /// Epochs whose keys have arrived, by the host's number.
    private var given: [Int: Set<EpochNumber>] = [:]
    private var isFirstLook = false

    init(_ index: Int, in sealing: SealingWorld) {
        self.sealing = sealing
        self.index = index
        identity = sealing.consent.devices[index].identity
        reader = Self.reader(of: identity, in: sealing)
    }

    private var world: World { sealing.world }
    private var name: String { "device\(index)" }
    private var id: KeyID { identity.id }

    /// A new reader. It knows the public keys of all hosts; each host decides whether to trust the device.
    static func reader(of identity: ConsentIdentity, in sealing: SealingWorld) -> ContentOpener {
        let hosts = sealing.consent.hosts.sorted { $0.key < $1.key }.map { index, host in
            HostPin(
                sign: host.identity.sign, box: host.identity.box, name: sealing.world.hosts[index].name, since: 0, .simulated)
        }
        var nonces = 0
        func nonce() -> SealingNonce {
            nonces += 1
            return SimulatedKeys.fixed("\(identity.id) \(nonces)")
        }
        return ContentOpener(.simulated, nonce: nonce, { (identity, hosts) }, remembering: { _, _, _ in })
    }

    // MARK: Words

    /// Seals an action; nil if the reader refuses.
    func sealed(_ action: SteeringAction, as command: CommandID, to session: SessionID) -> SteeringAction? {
        try? reader.sealed(action, as: command, to: session)
    }

    func sealed(_ verdict: Decision.Verdict, on approval: ApprovalID, of session: SessionID) -> Decision.Verdict? {
        try? reader.sealed(verdict, on: approval, of: session)
    }

    // MARK: The relay's messages

    func follows(_ session: SessionID) { reader.follows(session) }

    func received(_ message: MessageToClient) {
        for shown in reader.open(message, at: world.now) {
            switch shown {
            case .events(let batch): check(batch)
            case .sessionSnapshot(let tail, _, _, _): check(tail)
            default: break
            }
        }
        learn(message)
    }

    private func learn(_ message: MessageToClient) {
        let summaries: [Summary] =
            switch message {
            case .workspaceSnapshot(let summaries, _, _, _): summaries
            case .sessionSnapshot(_, _, let summary, _), .summary(let summary): [summary]
            default: []
            }
        for summary in summaries {
            guard let host = sealing.host(of: summary.session) else { continue }
            given[host, default: []].formUnion(epochs(in: summary))
        }
    }

    /// Epochs whose keys this summary has for the device.
    private func epochs(in summary: Summary) -> [EpochNumber] {
        (summary.steering?.wraps ?? []).filter { $0.device.rawValue == id.text }.map { EpochNumber($0.epoch) }
    }

    /// Checks events that the relay sent unchanged.
    private func check(_ batch: SessionEvents) {
        guard let host = sealing.host(of: batch.session), sealing.isSealed(host) else { return }
        let stored = world.log.sessions[SessionKey(workspace: World.workspace.id, session: batch.session)]?.events ?? []
        for (offset, shown) in batch.events.enumerated() {
            let seq = batch.first + Int64(offset)
            if let complaint = complaint(shown, of: stored[Int(seq) - 1], seq, batch.session, host, given[host] ?? []) {
                return world.report(.sealing, "\(name): \(complaint)")
            }
        }
    }

    private func complaint(
        _ shown: [UInt8], of raw: [UInt8], _ seq: Int64, _ session: SessionID, _ host: Int, _ given: Set<EpochNumber>
    ) -> String? {
        let remark = reader.remark(on: seq, of: session)
        if let remark { return "event \(seq) of \(session) has the remark: \(remark.words)" }
        guard let content = sealing.content(of: raw, in: session, of: host) else { return nil }
        if shown == content.plain {
            return sealing.mayRead(content.epoch, id, of: host)
                ? nil : "event \(seq) of \(session) is read, of epoch \(content.epoch), by one that may not"
        }
        guard given.contains(content.epoch) else { return nil }
        // A reader rejects events that arrive after a newer key; a second look shows them.
        if !isFirstLook, content.epoch < given.max() ?? 0 { return nil }
        return "event \(seq) of \(session) is shown as \(String(decoding: shown.prefix(300), as: UTF8.self))"
    }

    // MARK: The end

    /// Checks a fresh reader when all is quiet.
    func checkQuiet(_ live: Relay) {
        reader = Self.reader(of: identity, in: sealing)
        given = [:]
        isFirstLook = true
        defer { isFirstLook = false }
        let committed = live.committed
        for key in committed { learn(.summary(key.state.summary)) }
        let approvals = committed.flatMap { $0.approvals.values.sorted { $0.seq < $1.seq } }
        received(
            .workspaceSnapshot(sessions: committed.map(\.state.summary), approvals: approvals, more: false))
        for (key, state, approvals) in committed {
            guard let host = sealing.host(of: key.session), sealing.isSealed(host), let stored = world.log.sessions[key] else {
                continue
            }
            let events = Array(stored.events.dropFirst(Int(stored.keptFrom) - 1))
            let tail = SessionEvents(session: key.session, epoch: world.log.epoch, first: stored.keptFrom, events: events)
            let shown = reader.open(
                .sessionSnapshot(
                    tail, seq: stored.seq, summary: state.summary,
                    approvals: approvals.values.sorted { $0.seq < $1.seq }), at: world.now)
            guard case .sessionSnapshot(let read, _, let summary, let shownApprovals)? = shown.first else {
                return world.report(.sealing, "\(name) shows nothing of \(key.session)")
            }
            check(read)
            if let complaint = twinComplaint(stored, state, summary, shownApprovals, host) {
                return world.report(.sealing, "\(name): \(complaint)")
            }
        }
    }

    /// The difference between what the device shows and what it would show of a host that does not seal; nil for none. After a
    /// start of the relay an unsealed summary has only what its events restore; a sealed line still has the rest.
    private func twinComplaint(
        _ stored: SimulatedLog.Stored, _ state: SessionState, _ summary: Summary, _ approvals: [Approval], _ host: Int
    ) -> String? {
        let session = summary.session
        let contents = stored.events.map { sealing.content(of: $0, in: session, of: host) }
        // The line's event may have come later, or after the session's end.
        guard world.held == nil, stored.begunAfter == 0, !world.hosts[host].ledger.hasRefused(session),
            !stored.events.contains(where: { $0.starts(with: #"{"kind":"truncated""#.utf8) }),
            contents.allSatisfy({ $0.map { given[host]?.contains($0.epoch) == true } ?? true })
        else { return nil }
        let plain = zip(stored.events, contents).map { $1?.plain ?? $0 }
        // A host whose disk lost the session's start may have sent no line, so there is nothing to compare.
        guard plain.contains(where: { $0.starts(with: #"{"kind":"session.started""#.utf8) }) else { return nil }
        guard let twin = try? Relay.replay(plain, after: stored.begunAfter, usage: stored.usage, like: state) else {
            return "the events of \(session) are none"
        }
        let isWhole = world.hosts[host].life == 0
        let (shown, open) = (
            Self.words(of: summary, isWhole: isWhole), Self.words(of: twin.state.summary, isWhole: isWhole)
        )
        if shown != open { return "\(session) is shown as \(shown), and an open one would be \(open)" }
        for approval in approvals where approval.stage == .pending {
            let asked = twin.approvals[approval.id]
            if approval.requestBytes != asked?.requestBytes || approval.request != asked?.request {
                return "\(approval.id) is shown as \(String(decoding: approval.requestBytes, as: UTF8.self))"
            }
        }
        return nil
    }

    private static func words(of summary: Summary, isWhole: Bool) -> [String] {
        let lasting = [summary.title, summary.project, summary.workingDirectory, summary.folder, summary.branch]
        let passing = [summary.operation, summary.file, summary.statusReason, summary.todo?.current, summary.error]
        return (isWhole ? lasting + passing : lasting).map { $0 ?? "" }
    }
}
