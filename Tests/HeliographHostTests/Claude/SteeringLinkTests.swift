import Dispatch
import Foundation
import Glibc
import HeliographHook
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

    @Test("a command that is still in the inbox when the agent ends is refused, and not given any more")
    func untaken() throws {
        let folder = try HookFolder()
        let session = SessionID("claude-1")!
        let daemon = try SteeringDaemon(at: folder.socketPath, command: SteeringDaemon.interrupt(of: session))
        let inbox = try LoopInbox<RunItem>()
        var limits = DaemonLimits()
        limits.reportGrace = .seconds(60)
        let link = try SteeringLink(session: session, socketPath: folder.socketPath, inbox: inbox, limits: limits)
        #expect(link.start())
        var names: [SteeringName] = []
        while names.isEmpty {
            #expect(HookSocket.wait(for: POLLIN, on: inbox.pipe.readEnd, until: .now + .seconds(20)) == .ready)
            names = inbox.take().compactMap { if case .steered(let request) = $0 { request.name } else { nil } }
        }
        link.finish()
        #expect(daemon.outcomes == [SteeringChange(SteeringDaemon.name, .refused, reason: "the agent has ended")])
        #expect(!link.takes(SteeringDaemon.name))
    }

    @Test("what the agent's loop has taken is the loop's to report")
    func taken() throws {
        let folder = try HookFolder()
        let session = SessionID("claude-1")!
        let daemon = try SteeringDaemon(at: folder.socketPath, command: SteeringDaemon.interrupt(of: session))
        let inbox = try LoopInbox<RunItem>()
        var limits = DaemonLimits()
        limits.reportGrace = .seconds(60)
        let link = try SteeringLink(session: session, socketPath: folder.socketPath, inbox: inbox, limits: limits)
        #expect(link.start())
        #expect(HookSocket.wait(for: POLLIN, on: inbox.pipe.readEnd, until: .now + .seconds(20)) == .ready)
        #expect(link.takes(SteeringDaemon.name))
        link.tell(SteeringChange(SteeringDaemon.name, .taken))
        link.finish()
        #expect(daemon.outcomes == [SteeringChange(SteeringDaemon.name, .taken)])
    }
}
