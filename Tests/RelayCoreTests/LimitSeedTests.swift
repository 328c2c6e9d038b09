import RelayModel
import RelayProtocol
import Testing

@testable import RelayCore

/// Hosts of three workspaces that send whatever they like, by seeds: what each workspace holds stays within its limits, the others' refusals are
/// their own, and the core counts as one would by looking at everything.
@Suite struct LimitSeedTests {
    typealias T = RelayTranscript

    private struct Dice {
        var state: UInt64

        mutating func roll(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(count))
        }
    }

    private struct Sender {
        let workspace: WorkspaceID
        let host: String
        let session: SessionID
        var peer: PeerID
    }

    private static let limits: [WorkspaceID: WorkspaceLimits] = [
        T.home.id: WorkspaceLimits(sessions: 6, megabytes: 1), WorkspaceID("work")!: WorkspaceLimits(sessions: 3, megabytes: 2),
        WorkspaceID("third")!: WorkspaceLimits(keepDays: 1),
    ]

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `no workspace holds more than its limits, whatever its hosts send`(_ seed: UInt64) {
        var dice = Dice(state: seed &* 0x9E37_79B9_7F4A_7C15)
        let t = T(retention: Retention(ageMax: 30 * 24 * 60 * 60 * 1000, bytesMax: 64 << 20))
        t.preparesMessages = false
        t.handle(.limitsListed(Self.limits))
        var senders: [Sender] = []
        for workspace in Self.limits.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            for host in ["a", "b"] {
                let peer = t.host("\(host)-\(workspace)", in: workspace)
                for number in 0..<5 {
                    let session = SessionID("\(host)\(number)")!
                    senders.append(
                        Sender(workspace: workspace, host: "\(host)-\(workspace)", session: session, peer: peer))
                }
            }
        }
        for _ in 0..<160 {
            let place = dice.roll(senders.count)
            send(&senders[place], t, &dice)
            if dice.roll(4) == 0 { t.settle() }
            if dice.roll(20) == 0 { t.pass(Int64(dice.roll(12)) * 60 * 60 * 1000) }
            if dice.roll(25) == 0 { t.failCommitIfStaged() }
            check(t, seed)
        }
        t.pass(24 * 60 * 60 * 1000)
        check(t, seed)
    }

    private func send(_ sender: inout Sender, _ t: T, _ dice: inout Dice) {
        // A host whose events the disk refused was sent away, and comes back.
        if t.closed[sender.peer] != nil { sender.peer = t.host(sender.host, in: sender.workspace) }
        let key = SessionKey(workspace: sender.workspace, session: sender.session)
        let first = (t.relay.sessionHostSeq(of: key) ?? 0) + 1
        let text = String(repeating: "x", count: dice.roll(120_000))
        var heads: [EventHead] = first == 1 ? [T.started] : [.statusChanged(.running, reason: nil)]
        if dice.roll(3) == 0 { heads.append(.sessionEnded(reason: nil, failed: false)) }
        let events = heads.map { head in Event(head, at: t.now) { $0.field("text", text) } }
        t.send(events: events, to: sender.session, first: first, by: sender.peer)
    }

    private func check(_ t: T, _ seed: UInt64) {
        #expect(t.relay.census.breach == nil, "seed \(seed)")
        for (workspace, limits) in Self.limits {
            let states = t.states.filter { $0.key.workspace == workspace }
            #expect(states.count <= limits.sessions ?? .max, "seed \(seed): sessions of \(workspace)")
            guard let megabytes = limits.megabytes else { continue }
            let bytes = states.values.reduce(0) { $0 + $1.eventBytes }
            let max = Int64(megabytes) << 20
            // Plus a message, and the relay's additions to sessions.
            #expect(bytes <= Limits.refusalExcessOfSmall.above(max) + 1 << 20, "seed \(seed): bytes of \(workspace)")
        }
    }
}

extension Relay {
    /// The last event of its host's numbering that was taken in.
    fileprivate func sessionHostSeq(of key: SessionKey) -> Int64? { sessions.staged(key)?.hostSeq ?? removed[key]?.hostSeq }
}

extension RelayTranscript {
    /// The disk refuses the batch, if there is one.
    fileprivate func failCommitIfStaged() {
        handle(.tickEnded)
        guard pendingBatch != nil else { return }
        failCommit()
    }
}
