import AgentACP
import Glibc
import HostCore
import Logging
import RelayProtocol
import Testing

@testable import HeliographHost

@Suite("ACP: what the daemon hears last")
struct DaemonReporterTests {
    private let folder: HookFolder
    private let session = SessionID("local-1")!

    init() throws { folder = try HookFolder() }

    private func wait(_ what: String, for isThere: () -> Bool) {
        let deadline = ContinuousClock.now + .seconds(20)
        while !isThere() {
            if ContinuousClock.now > deadline {
                Issue.record("\(what) did not come")
                return
            }
            usleep(5_000)
        }
    }

    @Test("What the daemon took before it went away is not told again")
    func halfTaken() throws {
        let (ok, refusal) = (FakeDaemon.ok("{}"), "HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\n{}")
        let daemon = FakeDaemon(at: folder.socketPath, [.answer(refusal), .answer(ok), .close, .answer(ok)])
        var limits = ACPDriverLimits()
        limits.daemon.retryInterval = .milliseconds(10)
        let reporter = try DaemonReporter(
            socketPath: folder.socketPath, inbox: LoopInbox(), limits: limits, logger: Logger(label: "test"))
        for status in [SessionStatus.running, .idle] {
            reporter.put(.event(session, Event(.statusChanged(status, reason: nil), at: 1)))
        }
        #expect(reporter.start())
        wait("the rest") { daemon.requests.count == 4 && daemon.requests[3] != "" }
        #expect(daemon.requests.map { $0.contains("running") } == [true, true, false, false])
        #expect(daemon.requests.map { $0.contains("idle") } == [true, false, true, true])
        reporter.finish()
    }

    @Test(
        "What became of its commands is told before a session is given up, at its end and at the agent's",
        arguments: [false, true])
    func outcomesFirst(isSessionClosed: Bool) throws {
        let daemon = try SteeringDaemon(
            // Longer than it takes a listener to notice that it is not wanted any more.
            at: folder.socketPath, outcomesTake: .milliseconds(1_300))
        let reporter = try DaemonReporter(
            socketPath: folder.socketPath, inbox: try LoopInbox<ACPItem>(), limits: ACPDriverLimits(),
            logger: Logger(label: "test"))
        #expect(reporter.start())
        reporter.stand(session, ACPStand(SteeringOffer(actions: [.prompt]), .idle))
        wait("the listener") { daemon.order == ["waits"] }
        let name = SteeringName(client: ClientID("phone")!, command: CommandID("k1")!)
        reporter.put(.steered(session, SteeringChange(name, .taken)))
        if isSessionClosed { reporter.stand(session, nil) } else { reporter.finish() }
        wait("the end of both") { daemon.order.count == 3 }
        #expect(daemon.order == ["waits", "outcome", "waits no more"])
    }

    @Test(
        "A command that the agent was not given is refused, at the end of its session and at the agent's",
        arguments: [false, true])
    func untaken(isSessionClosed: Bool) throws {
        let daemon = try SteeringDaemon(
            at: folder.socketPath, command: SteeringDaemon.interrupt(of: SessionID("local-local-1")!))
        let inbox = try LoopInbox<ACPItem>()
        let reporter = try DaemonReporter(
            socketPath: folder.socketPath, inbox: inbox, limits: ACPDriverLimits(), logger: Logger(label: "test"))
        #expect(reporter.start())
        reporter.stand(session, ACPStand(SteeringOffer(actions: [.interrupt]), .busy))
        // The second wait shows that the command of the first is in the inbox.
        wait("the command") { daemon.order == ["waits", "waits"] }
        if isSessionClosed {
            reporter.stand(session, nil)
        } else {
            reporter.agentEnded()
            reporter.stand(session, nil)
            reporter.finish()
        }
        wait("its outcome") { daemon.order.count == 4 }
        #expect(daemon.order == ["waits", "waits", "outcome", "waits no more"])
        let reason = isSessionClosed ? "the session was closed" : "the agent has ended"
        #expect(daemon.outcomes == [SteeringChange(SteeringDaemon.name, .refused, reason: reason)])
        #expect(!reporter.takes(SteeringDaemon.name))
    }
}
