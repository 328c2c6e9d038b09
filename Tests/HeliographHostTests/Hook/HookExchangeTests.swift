import Foundation
import Glibc
import Synchronization
import Testing

@testable import HeliographHook

@Suite("Hook exchange", .timeLimit(.minutes(1)))
struct HookExchangeTests {
    private let folder: HookFolder
    private let socketPath: String
    private let request: HookRequest

    init() throws {
        folder = try HookFolder()
        socketPath = folder.socketPath
        request = try #require(
            HookRequest(
                path: ["hook", "claude", "Stop"], body: Array("{}\n".utf8), caller: HookCaller(process: "42")))
    }

    private func exchange(isAgentAlive: @escaping () -> Bool = { true }) -> HookExchange {
        var limits = HookLimits()
        limits.agentCheck = .milliseconds(20)
        limits.retryInterval = .milliseconds(5)
        limits.retryWindow = .milliseconds(300)
        // A loaded machine must not decide a test; what tests the budget sets its own.
        limits.budget = .seconds(5)
        return HookExchange(request: request, socketPath: socketPath, limits: limits, isAgentAlive: isAgentAlive)
    }

    @Test("An agent waits 50 ms for a daemon that is not there, and no longer")
    func standardBudget() { #expect(HookLimits().budget == .milliseconds(50)) }

    // MARK: - Telling

    @Test("An event reaches the daemon verbatim, with three facts and nothing else")
    func tell() {
        let daemon = FakeDaemon(at: socketPath, [.answer(FakeDaemon.noContent)])
        exchange().tell()
        #expect(
            daemon.requests == [
                "POST /v1/hook/claude/Stop HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 3\r\n"
                    + "X-Agent-Pid: 42\r\nConnection: close\r\n\r\n{}\n"
            ])
    }

    @Test("What the daemon has to say to an event is handed on verbatim; nothing is told from no answer")
    func toldBack() {
        _ = FakeDaemon(
            at: socketPath,
            [
                .answer(FakeDaemon.ok("{\"a\": 1}")), .answer(FakeDaemon.noContent), .close,
                .answer("HTTP/1.1 200 OK\r\n\r\n"), .answer("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"),
            ])
        #expect(exchange().tell() == .answered(Array("{\"a\": 1}".utf8)))
        #expect(exchange().tell() == .taken)
        for _ in 0..<4 { #expect(exchange().tell() == .unheard) }
    }

    @Test("A daemon that never answers costs the budget and no more")
    func hangingDaemon() {
        let daemon = FakeDaemon(at: socketPath, [.hang(.seconds(3))])
        var exchange = exchange()
        exchange.limits.budget = .milliseconds(50)
        let begun = ContinuousClock.now
        exchange.tell()
        let took = ContinuousClock.now - begun
        #expect(took >= .milliseconds(45) && took < .seconds(2))
        _ = daemon
    }

    @Test("Without a daemon, with a dead socket or with a plain file in its place nothing happens")
    func noDaemon() {
        exchange().tell()
        #expect(exchange().ask() == nil)
        var daemon: FakeDaemon? = FakeDaemon(at: socketPath, [])
        daemon = nil
        exchange().tell()
        #expect(exchange().ask() == nil)
        _ = daemon
    }

    // MARK: - Asking

    @Test("A decision is handed on verbatim")
    func decision() {
        _ = FakeDaemon(at: socketPath, [.answer(FakeDaemon.ok("{\"a\": 1}\n"))])
        #expect(exchange().ask() == Array("{\"a\": 1}\n".utf8))
    }

    @Test("A decision that comes in pieces is handed on whole")
    func slowDecision() {
        _ = FakeDaemon(
            at: socketPath,
            [.slowly("HTTP/1.1 200 OK\r\ncontent-length: 4\r", "\n\r\nabcd", pause: .milliseconds(80))])
        #expect(exchange().ask() == Array("abcd".utf8))
    }

    @Test(
        "Whatever is not a whole decision is none",
        arguments: [
            FakeDaemon.noContent, "HTTP/1.1 500 Oops\r\nContent-Length: 2\r\n\r\n{}",
            "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r\n{}", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}{}",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n{}", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "SSH-2.0-OpenSSH\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 20000),
        ])
    func noDecision(response: String) {
        _ = FakeDaemon(at: socketPath, [.answer(response)])
        #expect(exchange().ask() == nil)
    }

    @Test("A question is asked again where the connection broke, and says the how manyth time it is")
    func restart() {
        let daemon = FakeDaemon(
            at: socketPath,
            [
                .close, .answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .refuse,
                .answer(FakeDaemon.ok("done")),
            ])
        #expect(exchange().ask() == Array("done".utf8))
        let attempts = daemon.requests.map { $0.split(separator: "X-Attempt: ").dropFirst().first?.prefix(1) }
        #expect(attempts == [nil, "2", "4"])
    }

    @Test("A daemon that stays away after it broke off is given up")
    func goneForGood() {
        _ = FakeDaemon(at: socketPath, [.close])
        let begun = ContinuousClock.now
        #expect(exchange().ask() == nil)
        #expect(ContinuousClock.now - begun >= .milliseconds(300))
    }

    @Test("Where somebody sits at the terminal, a daemon may stay away for longer than an agent alone would wait")
    func attended() {
        var daemon: FakeDaemon? = FakeDaemon(at: socketPath, [.close])
        var exchange = exchange()
        exchange.isAttended = true
        exchange.limits.retryWindow = .milliseconds(50)
        exchange.limits.retryIntervalLater = .milliseconds(20)
        let path = socketPath
        Thread.detachNewThread {
            usleep(400_000)
            unsafe unlink(path)
            _ = FakeDaemon(at: path, [.answer(FakeDaemon.ok("done"))])
        }
        #expect(exchange.ask() == Array("done".utf8))
        daemon = nil
        _ = daemon
    }

    @Test("A question whose agent is gone is dropped, though the daemon still thinks")
    func agentGone() {
        let daemon = FakeDaemon(at: socketPath, [.hang(.seconds(5))])
        let looks = Mutex(0)
        let begun = ContinuousClock.now
        let answer = exchange {
            looks.withLock {
                $0 += 1
                return $0 < 3
            }
        }.ask()
        #expect(answer == nil)
        #expect(looks.withLock { $0 } == 3)
        #expect(ContinuousClock.now - begun < .seconds(4))
        _ = daemon
    }

    /// Runs `body` while a stopped process holds the daemon's socket: the kernel still accepts connections for it.
    private func withStoppedDaemon(_ body: () throws -> Void) throws {
        let listener = try #require(FakeDaemon.listener(at: socketPath))
        let holder = Process()
        holder.executableURL = URL(fileURLWithPath: "/bin/sleep")
        holder.arguments = ["600"]
        // The socket becomes its standard input, so that the process holds it.
        holder.standardInput = FileHandle(fileDescriptor: listener, closeOnDealloc: true)
        try holder.run()
        close(listener)
        defer {
            kill(holder.processIdentifier, SIGKILL)
            holder.waitUntilExit()
        }
        kill(holder.processIdentifier, SIGSTOP)
        var status: Int32 = 0
        #expect(unsafe waitpid(holder.processIdentifier, &status, WUNTRACED) == holder.processIdentifier)
        try body()
    }

    @Test("A stopped daemon costs an event its budget, and a question three signs of life that did not come")
    func stoppedDaemon() throws {
        try withStoppedDaemon {
            var exchange = exchange()
            exchange.limits.budget = .milliseconds(50)
            exchange.limits.probeInterval = .milliseconds(40)
            exchange.limits.probePatience = .milliseconds(30)
            let begun = ContinuousClock.now
            exchange.tell()
            #expect(ContinuousClock.now - begun < .seconds(5))
            let asked = ContinuousClock.now
            #expect(exchange.ask() == nil)
            let took = ContinuousClock.now - asked
            #expect(took >= .milliseconds(3 * 70) && took < .seconds(20))
        }
    }

    @Test("A daemon that listened and was then stopped is not waited for by whoever glances at it")
    func glance() throws {
        let daemon = Process()
        daemon.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        daemon.arguments = [
            "python3", "-c",
            """
            import os, signal, socket, sys
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(sys.argv[1])
            listener.listen()
            os.kill(os.getpid(), signal.SIGSTOP)
            """, socketPath,
        ]
        try daemon.run()
        defer {
            kill(daemon.processIdentifier, SIGKILL)
            daemon.waitUntilExit()
        }
        var status: Int32 = 0
        try #require(unsafe waitpid(daemon.processIdentifier, &status, WUNTRACED) == daemon.processIdentifier)
        try #require(status & 0xFF == 0x7F, "it is stopped, and has not ended")
        var exchange = exchange()
        // Longer than the suite may take.
        exchange.limits.budget = .seconds(3_600)
        exchange.limits.glance = .milliseconds(1)
        #expect(exchange.tell() == .unheard)
    }

    @Test("A daemon that gives signs of life is waited for")
    func thinkingDaemon() {
        let daemon = FakeDaemon(at: socketPath, thinksUntilProbed: 5, then: FakeDaemon.ok("late"))
        var exchange = exchange()
        exchange.limits.probeInterval = .milliseconds(10)
        exchange.limits.probePatience = .seconds(5)
        #expect(exchange.ask() == Array("late".utf8))
        #expect(daemon.requests.count == 6 && daemon.requests.last?.hasPrefix("GET /v1/alive ") == true)
    }

    @Test("A large event may take longer than the budget, a daemon that takes nothing may not")
    func largeTell() throws {
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 2 << 20)
        let request = try #require(HookRequest(path: ["hook", "claude", "Stop"], body: body))
        var limits = HookLimits()
        limits.budget = .seconds(5)
        limits.transferMax = .seconds(20)
        let daemon = FakeDaemon(at: socketPath, [.answer(FakeDaemon.noContent), .refuse])
        HookExchange(request: request, socketPath: socketPath, limits: limits).tell()
        #expect(daemon.requests.map(\.utf8.count) == [request.bytes().count])
    }

    @Test("A large event goes through whole")
    func largeEvent() throws {
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 4 << 20)
        let daemon = FakeDaemon(at: socketPath, [.answer(FakeDaemon.ok("ok"))])
        var exchange = exchange()
        exchange = HookExchange(
            request: try #require(HookRequest(path: ["hook", "claude", "Stop"], body: body)),
            socketPath: socketPath, limits: exchange.limits)
        #expect(exchange.ask() == Array("ok".utf8))
        #expect(daemon.requests[0].utf8.count > body.count)
    }
}
