import AgentACP
import Foundation
import Glibc
import HostCore
import Logging
import RelayProtocol
import Synchronization
import Testing

@testable import HeliographHost

@Suite("ACP: what the daemon hears last")
struct DaemonReporterTests {
    private let folder: HookFolder
    private let session = SessionID("local-1")!

    init() throws { folder = try HookFolder() }

    /// Takes each request on a thread of its own, keeps those that wait for a command open, and is slow with outcomes.
    private final class SlowDaemon: Sendable {
        private let heard = Mutex<[String]>([])

        var order: [String] { heard.withLock { $0 } }

        init(at path: String) throws {
            let listener = try #require(FakeDaemon.listener(at: path))
            Thread.detachNewThread { [self] in
                while true {
                    let connection = accept(listener, nil, nil)
                    Thread.detachNewThread { [self] in serve(connection) }
                }
            }
        }

        private func serve(_ connection: Int32) {
            defer { close(connection) }
            let request = Self.read(connection)
            if request.contains("/steering/next ") {
                heard.withLock { $0.append("waits") }
                _ = Self.read(connection)
                return heard.withLock { $0.append("waits no more") }
            }
            // Longer than it takes a listener to notice that it is not wanted any more.
            if request.contains("/steered ") { Thread.sleep(forTimeInterval: 1.3) }
            if request.contains("/steered ") { heard.withLock { $0.append("outcome") } }
            let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".utf8)
            _ = unsafe send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
        }

        /// Until nothing comes for a moment, or its end.
        private static func read(_ connection: Int32) -> String {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = unsafe recv(connection, &buffer, buffer.count, 0)
                if count <= 0 { break }
                bytes += buffer[..<count]
                let text = String(decoding: bytes, as: UTF8.self)
                if text.contains("\r\n\r\n"), text.hasSuffix("}") { break }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

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
        let daemon = try SlowDaemon(at: folder.socketPath)
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
}
