import Dispatch
import Foundation
import HostCore
import RelayProtocol
import Testing

@testable import HeliographHost

@Suite("A session's line to the daemon")
struct SteeringLinkTests {
    @Test("an outcome that comes while the rest is sent is sent before the end")
    func lastOutcome() throws {
        let folder = try HookFolder()
        let taken = FakeDaemon.ok("{}")
        let heard = DispatchSemaphore(value: 0)
        let daemon = FakeDaemon(
            at: folder.socketPath,
            [.slowly(String(taken.prefix(9)), String(taken.dropFirst(9)), pause: .milliseconds(500)), .answer(taken)],
            heard: { heard.signal() })
        var limits = DaemonLimits()
        limits.reportGrace = .seconds(60)
        let link = try SteeringLink(
            session: SessionID("claude-1")!, socketPath: folder.socketPath, inbox: LoopInbox(), limits: limits)
        Thread.detachNewThread { link.report() }
        link.stand(SteeringOffer(actions: [.prompt]), .idle)
        heard.wait()
        link.tell(SteeringChange(SteeringName(client: ClientID("phone")!, command: CommandID("k1")!), .taken))
        link.finish()
        #expect(daemon.requests.count == 2 && daemon.requests.last?.contains("POST /v1/agent/steered ") == true)
    }
}
