import HostCore
import RelayProtocol
import Synchronization
import Testing

@testable import HeliographHost

@Suite("Waiting at the daemon for what steers a session")
struct SteeringListenerTests {
    private let folder: HookFolder
    private let session = SessionID("claude-1")!

    init() throws { folder = try HookFolder() }

    private func command(_ id: String, _ session: SessionID) -> String {
        let request = SteeringRequest(
            command: CommandID(id)!, session: session, by: Named(id: ClientID("phone")!, name: "phone"), action: .interrupt)
        return FakeDaemon.ok(String(decoding: MessageToHost.steer(request).bytes, as: UTF8.self))
    }

    private func conflict(_ path: String) -> String {
        let body = #"{"code":"conflict","message":"m","path":"\#(path)"}"#
        return "HTTP/1.1 409 Conflict\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Runs a listener until the first command; returns how often the offer was repeated, and the command.
    private func heard(
        _ replies: [FakeDaemon.Reply], retryInterval: Duration = .milliseconds(100), adapter: String? = "claude",
        asHost: SessionID? = nil
    ) -> (again: Int, String) {
        let daemon = FakeDaemon(at: folder.socketPath, replies + [.answer(command("last", asHost ?? session))])
        var limits = DaemonLimits()
        limits.retryInterval = retryInterval
        limits.unwantedInterval = retryInterval
        let taken = Mutex<[String]>([])
        var again = 0
        let run = ProgramRun(name: "r1", since: 1)
        SteeringListener(session: session, adapter: adapter, run: run, socketPath: folder.socketPath, limits: limits).listen(
            isWanted: { taken.withLock { $0.isEmpty } }, sayAgain: { again += 1 },
            took: { request in taken.withLock { $0.append(request.command.rawValue) } })
        #expect(daemon.requests.allSatisfy { $0.contains("POST /v1/agent/steering/next ") && $0.contains(#""name":"r1""#) })
        return (again, taken.withLock { $0.joined(separator: " ") })
    }

    @Test("A daemon that knows nothing of the session, by an answer at once, is told again what can be done to it")
    func forgotten() {
        #expect(heard([.answer(FakeDaemon.noContent), .answer(conflict("$.offer")), .close]) == (3, "last"))
    }

    @Test("A request that was open until its time was over is made again, and nothing is said again")
    func nothing() {
        let slow = FakeDaemon.Reply.slowly("HTTP/1.1 204 No", " Content\r\n\r\n", pause: .milliseconds(200))
        #expect(heard([slow], retryInterval: .milliseconds(50)) == (0, "last"))
    }

    @Test("Where another program waits for the same session, it asks later, and says nothing again")
    func unwanted() {
        #expect(heard([.answer(conflict("$.session"))]) == (0, "last"))
    }

    @Test("A command for another session is not handed on")
    func otherSession() {
        #expect(heard([.answer(command("c1", SessionID("claude-2")!))]) == (1, "last"))
    }

    @Test("The host has another name for a program's own session")
    func ownSession() {
        let known = SessionID("local-claude-1")!
        #expect(heard([.answer(command("c1", session))], adapter: nil, asHost: known) == (1, "last"))
    }
}
