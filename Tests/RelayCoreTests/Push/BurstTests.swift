import PushPlanner
import RelayCore
import RelayProtocol
import Testing

@Suite("A burst of approvals")
struct BurstTests {
    private typealias T = RelayTranscript

    @Test("200 approvals to one phone wait for answers alone: all have rung after four round trips")
    func rings() throws {
        let rig = try PlannerRig()
        rig.agent(T.started, .statusChanged(.running, reason: nil))
        let start = rig.transcript.now
        for number in 1...60 { rig.ask("a\(number)") }
        for session in 2...4 {
            let name = SessionID("s\(session)")!
            rig.transcript.send([T.started] + (1...47).map { T.request("b\($0)") }, to: name, first: 1, by: rig.host)
            rig.transcript.commit()
        }
        var latest: [Int64] = []
        for _ in 0..<20 where latest.count < 201 {
            rig.transcript.settle()
            let pushes = rig.transcript.takePushes().filter { $0.purpose == .alert }
            #expect(pushes.count <= 64)
            rig.transcript.pass(60)
            for push in pushes {
                latest.append(rig.transcript.now - start)
                rig.transcript.handle(.pushAnswered(push.id, .accepted(.sandbox, channel: nil)))
            }
        }
        #expect(latest.count == 201)
        #expect(latest.max() ?? .max <= 2_000)
    }

    @Test("a card and an alert that found no room go as soon as there is some")
    func others() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        for number in 1...64 { rig.ask("a\(number)") }
        rig.transcript.settle()
        let pushes = rig.transcript.takePushes()
        rig.agent(.error(message: "e1", recoverable: true))
        rig.transcript.settle()
        #expect(rig.transcript.takePushes().isEmpty)
        for push in pushes.prefix(2) {
            rig.transcript.handle(.pushAnswered(push.id, .accepted(.sandbox, channel: nil)))
        }
        rig.transcript.settle()
        #expect(rig.transcript.takePushes().contains { $0.collapse == "error.s1" })
    }
}
