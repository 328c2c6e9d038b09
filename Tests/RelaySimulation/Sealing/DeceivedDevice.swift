import DeviceConsent
import Consent
import HeliographLink
import RelayCore
import RelayModel
import RelayProtocol

/// A terminal behind a relay that omits, repeats, reorders, swaps and forges events, with the product's reader and view. Checks
/// that it shows only what a host sealed for that place, or warns.
final class DeceivedDevice {
    /// The events of one session that were shown last.
    private struct Shown {
        var seq: Int64 = 0
        /// Number and epoch of the last one that was opened.
        var number: Int64?
        var epoch: EpochNumber = 0
        /// Events reported as truncated since then.
        var truncated: Int64 = 0
        var hasWarning = false
    }

    private unowned let sealing: SealingWorld
    private let name: String
    private var reader: ContentOpener
    private var view = ClientView()
    /// The sessions as this relay presents them, from their first events.
    private var claimed: [SessionID: [[UInt8]]] = [:]
    /// An event held back, to be sent in place of the next.
    private var held: [SessionID: [UInt8]] = [:]
    private var shown: [SessionID: Shown] = [:]
    /// Epochs of each host, by the host's number, with the time at which this relay first showed them.
    private var seen: [Int: [EpochNumber: Int64]] = [:]
    /// The latest events of any sessions.
    private var captured: [[UInt8]] = []

    private static let capturedMax = 64
    private static let resentMax = 4

    init(_ index: Int, in sealing: SealingWorld) {
        self.sealing = sealing
        name = "device\(index)"
        reader = SealedDevice.reader(of: sealing.consent.devices[index].identity, in: sealing)
    }

    private var world: World { sealing.world }
    private var epoch: Epoch { world.log.epoch }

    // MARK: The relay

    /// These events are in the relay's log now.
    func stored(_ append: SessionAppend) {
        let session = append.key.session
        show(.summary(append.state.summary))
        if let offer = append.state.summary.steering, offer.seals, let host = sealing.host(of: session) {
            var epochs = seen[host] ?? [:]
            for wrap in offer.wraps ?? [] { epochs[EpochNumber(wrap.epoch)] = epochs[EpochNumber(wrap.epoch)] ?? world.now }
            seen[host] = epochs
        }
        if claimed[session] == nil {
            claimed[session] = []
            view.follow(session, after: Position(epoch: epoch, seq: 0))
        }
        let first = claimed[session, default: []].count
        for event in append.events { claimed[session, default: []] += claim(event.bytes, in: session) }
        if sealing.dice.chance(world.faults.deceit), let stray = captured.isEmpty ? nil : sealing.dice.pick(captured) {
            // It is sent too early, so that the terminal requests the events before it.
            send([stray], from: first + 2 + sealing.dice.below(4), of: session)
        }
        send(Array(claimed[session, default: []].dropFirst(first)), from: first + 1, of: session)
    }

    /// The events that this relay presents in place of this one.
    private func claim(_ event: [UInt8], in session: SessionID) -> [[UInt8]] {
        captured.append(event)
        if captured.count > Self.capturedMax { captured.removeFirst() }
        let late = held.removeValue(forKey: session).map { [$0] } ?? []
        guard sealing.dice.chance(world.faults.deceit) else { return [event] + late }
        switch sealing.dice.below(8) {
        case 0: return late
        case 1: return [event, event] + late
        case 2: return [sealing.dice.pick(claimed[session].flatMap { $0.isEmpty ? nil : $0 } ?? [event]), event] + late
        case 3:
            held[session] = event
            return late
        case 4: return [sealing.dice.pick(captured)] + late
        case 5: return [Event(.message(.assistant, summary: "made up"), at: world.now).bytes, event] + late
        case 6: return [renamed(event)] + late
        default: return [garbled(event)] + late
        }
    }

    private func renamed(_ event: [UInt8]) -> [UInt8] {
        guard let value = try? JSONDocument(parsing: event).root, let members = try? value.members() else { return event }
        return JSONWriter.object { writer in
            for (key, value) in members {
                writer.raw(dynamic: key, key == "kind" ? JSONWriter.string("made.up") : Array(value.bytes))
            }
        }
    }

    private func garbled(_ event: [UInt8]) -> [UInt8] {
        guard let read = try? Event(stored: event), let text = read.sealed, var bytes = Base64URL.bytes(text) else {
            return event
        }
        bytes[sealing.dice.below(bytes.count)] ^= 1 << UInt8(sealing.dice.below(8))
        return SealedEvent(Base64URL.text(bytes), line: read.line).bytes(of: read) { $0 }
    }

    private func send(_ events: [[UInt8]], from first: Int, of session: SessionID) {
        guard !events.isEmpty else { return }
        show(.events(SessionEvents(session: session, epoch: epoch, first: Int64(first), events: events)))
    }

    // MARK: The terminal

    private func show(_ message: MessageToClient, resent: Int = 0) {
        for opened in reader.open(message, at: world.now) {
            for change in view.reduce(opened) {
                switch change {
                case .events(let run, let skipped): check(run, skipped: skipped)
                case .resubscribe(let session, let position?) where resent < Self.resentMax:
                    let events = Array(claimed[session, default: []].dropFirst(Int(position.seq)))
                    guard !events.isEmpty else { continue }
                    let again = SessionEvents(session: session, epoch: epoch, first: position.seq + 1, events: events)
                    show(.events(again), resent: resent + 1)
                default: break
                }
            }
        }
    }

    private func check(_ run: SessionEvents, skipped: Int64) {
        // Until a terminal has seen a host's offer it does not know that the host seals.
        guard let host = sealing.host(of: run.session), sealing.isSealed(host), let epochs = seen[host] else { return }
        let settled = epochs.filter { world.now - $0.value > ContentOpener.settlesAfter }.keys.max() ?? 0
        if skipped > 0 { shown[run.session]?.hasWarning = true }
        for (offset, bytes) in run.events.enumerated() {
            let seq = run.first + Int64(offset)
            let claims = claimed[run.session, default: []]
            guard claims.indices.contains(Int(seq) - 1) else { return }
            let remark = sealing.planted(reader.remark(on: seq, of: run.session))
            let content = sealing.content(of: claims[Int(seq) - 1], in: run.session, of: host)
            let bytes = sealing.planted(bytes, claims[Int(seq) - 1], content)
            if let content, bytes == content.plain, content.epoch < settled, shown[run.session].map({ seq > $0.seq }) ?? true {
                world.report(.sealing, "\(name), of a bad relay: \(run.session) goes on with a key that is no longer used")
            }
            if let complaint = complaint(bytes, claims[Int(seq) - 1], content, remark, seq, run.session) {
                return world.report(.sealing, "\(name), of a bad relay: \(complaint)")
            }
        }
    }

    private func complaint(
        _ bytes: [UInt8], _ claim: [UInt8], _ content: SealedContent.Opened?, _ remark: ContentRemark?, _ seq: Int64,
        _ session: SessionID
    ) -> String? {
        var state = shown[session] ?? Shown()
        defer { shown[session] = state }
        if seq != state.seq + 1 { state.hasWarning = true }
        state.seq = seq
        if remark != nil { state.hasWarning = true }
        guard let event = try? Event(stored: bytes) else { return nil }
        if case .unsupported(UnopenedEvent.kind) = event.head {
            state.hasWarning = true
            return nil
        }
        guard let content, bytes == content.plain else {
            if case .truncated(let count) = event.head { state.truncated += count ?? 0 }
            if event.isStatedByRelay || remark == .unsealed { return nil }
            return "event \(seq) of \(session) is shown, and its host sealed no such one: "
                + String(decoding: bytes.prefix(200), as: UTF8.self)
        }
        defer { (state.number, state.epoch, state.truncated, state.hasWarning) = (content.number, content.epoch, 0, false) }
        guard let last = state.number else { return nil }
        if content.number <= last { return "event \(content.number) of \(session) is shown as new after event \(last)" }
        if content.epoch < state.epoch {
            return "event \(content.number) of \(session) of epoch \(content.epoch) is shown after one of \(state.epoch)"
        }
        let hole = content.number - last - 1
        var said = state.truncated
        if case .truncated(let count) = event.head, hole <= count ?? .max { said = hole }
        if hole > 0, hole != said, !state.hasWarning {
            return
                "\(hole) events of \(session) are missing before event \(content.number), and nothing says so: \(claims(before: seq, in: session))"
        }
        return nil
    }

    /// The presented events before `seq`, as kinds with the numbers of those that the host sealed.
    private func claims(before seq: Int64, in session: SessionID) -> String {
        let host = sealing.host(of: session)
        return claimed[session, default: []].prefix(Int(seq)).suffix(8).map { bytes in
            let number = host.flatMap { sealing.content(of: bytes, in: session, of: $0)?.number }
            return "\((try? Event(stored: bytes))?.head.kind ?? "?") \(number.map(String.init) ?? "-")"
        }.joined(separator: ", ")
    }
}

extension Event {
    /// True if people know that the relay states such events.
    fileprivate var isStatedByRelay: Bool {
        switch head {
        case .truncated, .approvalDecided, .approvalExpired, .budgetCrossed, .steeringRequested: true
        case .approvalStale(_, let reason): reason == "tooMany" || reason == ApprovalStage.sessionEnded
        case .steeringChanged(let change): change.stage == .withdrawn || change.stage == .unknown
        default: false
        }
    }
}
