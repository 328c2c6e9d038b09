import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol
import Testing

@Suite("Pushes about what is settled before they were sent")
struct WithdrawnPushTests {
    private typealias T = RelayTranscript

    private static let notSent = PushOutcome.notSent("it was withdrawn before it was sent")

    /// An approval's alert is ordered, and not answered.
    private func ringing(_ change: (inout Device) -> Void = { _ in }) throws -> (PlannerRig, PushIntent) {
        let rig = try PlannerRig(change)
        rig.agent(T.started, .statusChanged(.running, reason: nil))
        rig.ask("a1")
        rig.transcript.settle()
        return (rig, try #require(rig.transcript.takePushes().first { $0.purpose == .alert }))
    }

    private func decide(_ rig: PlannerRig) {
        rig.command(T.decide(.allow), by: rig.transcript.client("laptop"))
        rig.transcript.settle()
    }

    private func answer(_ rig: PlannerRig, _ push: PushIntent, _ outcome: PushOutcome) {
        rig.transcript.handle(.pushAnswered(push.id, outcome))
        rig.pass(600_000)
    }

    @Test("what still waits to be sent is withdrawn, and where it was not sent nothing says that it is settled")
    func neverRang() throws {
        for outcome in [Self.notSent, .refused(.sendLater, text: "ServiceUnavailable")] {
            let (rig, ring) = try ringing()
            decide(rig)
            #expect(rig.transcript.withdrawn == [ring.id])
            #expect(rig.transcript.takePushes().isEmpty, "nobody knows yet whether it rang")
            answer(rig, ring, outcome)
            #expect(rig.take().allSatisfy { $0.purpose != .alert })
        }
    }

    @Test("what was taken, or may have been, is replaced when that is known, once")
    func mayHaveRung() throws {
        for outcome in [PushOutcome.accepted(.sandbox, channel: nil), .unknown("no answer came in time")] {
            let (rig, ring) = try ringing()
            decide(rig)
            answer(rig, ring, outcome)
            let alerts = rig.take().filter { $0.purpose == .alert }
            #expect(alerts.map(\.collapse) == [ring.collapse])
            #expect(alerts.allSatisfy { $0.text.contains("passive") && $0.code == nil })
        }
    }

    @Test("what Apple refused for good rang nowhere: nothing says that it is settled")
    func refused() throws {
        let (rig, ring) = try ringing()
        answer(rig, ring, .refused(.fixRequest, text: "BadTopic"))
        decide(rig)
        rig.pass(60_000)
        #expect(rig.take().allSatisfy { $0.purpose != .alert })
    }

    @Test("an alert that is settled in the very commit that plans it is not sent")
    func sameCommit() throws {
        let rig = try PlannerRig()
        rig.agent(T.started, .statusChanged(.running, reason: nil))
        rig.ask("a1")
        // Staged; on disk together with its end.
        rig.agent(.approvalCancelled(ApprovalID("a1")!, reason: "allowedLocally"))
        rig.pass(60_000)
        #expect(rig.take().allSatisfy { $0.purpose != .alert })
    }

    @Test("a relay that starts sends no alert again whose approval is settled, and says so once, as it may have rung")
    func restart() throws {
        let (rig, ring) = try ringing()
        decide(rig)
        let again = RelayTranscript(state: rig.transcript.state, push: PlannerRig.configuration, now: rig.transcript.now)
        again.resume(rig.transcript)
        again.pass(60_000)
        let alerts = again.takePushes().filter { $0.purpose == .alert }
        #expect(!alerts.contains { $0.id == ring.id })
        #expect(alerts.map(\.collapse) == [ring.collapse])
        #expect(alerts.allSatisfy { $0.code == nil })
    }

    @Test("a device that only watches is rung again where its push was not sent, as any other")
    func watcher() throws {
        let watching = try PlannerRig()
        watching.agent(T.started, .statusChanged(.running, reason: nil))
        let watcher = watching.transcript.client("watcher", scope: Scope(of: .watcher))
        var device = Device(
            id: DeviceID("d2")!, name: "Pad", profile: "heliograph", address: .apns(APNsTokens(.sandbox)), system: "17.5")
        device.address.alerts = "ee"
        watching.command(.device(device), by: watcher)
        watching.ask("a1")
        watching.transcript.settle()
        for push in watching.transcript.takePushes() {
            watching.transcript.handle(.pushAnswered(push.id, .notSent("no network")))
        }
        watching.pass(31_000)
        let again = watching.take().filter { $0.device == DeviceID("d2") }
        #expect(again.map(\.purpose) == [.alert] && again[0].code == nil)
    }

    @Test("a card's push that waits for its next try is withdrawn when it says the contrary of what is so")
    func card() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.ask("a1")
        rig.transcript.settle()
        let shown = try #require(rig.transcript.takePushes().first { $0.purpose == .update })
        decide(rig)
        rig.agent(.approvalDelivered(ApprovalID("a1")!))
        #expect(rig.transcript.withdrawn.contains(shown.id))
        rig.transcript.handle(.pushAnswered(shown.id, .refused(.sendLater, text: "ServiceUnavailable")))
        rig.transcript.pass(100)
        let next = rig.transcript.takePushes().filter { $0.purpose == .update }
        #expect(next.count == 1 && next.first?.text.contains(#""status":"running""#) == true)
    }

    @Test("a card that rings for itself rings for nothing that is settled")
    func call() throws {
        let rig = try PlannerRig { $0.address.alerts = nil }
        try rig.withCard()
        rig.ask("a1")
        rig.transcript.settle()
        let ring = try #require(rig.transcript.takePushes().first { $0.purpose == .update })
        rig.agent(.approvalCancelled(ApprovalID("a1")!, reason: "allowedLocally"))
        #expect(rig.transcript.withdrawn == [ring.id])
    }
}
