import Foundation
import Glibc
import Logging
import HeliographTestSupport
import Testing

@testable import WebSocketEngine

// Serialized, because each test has its own processes, and the machine few processors.
@Suite("An event loop runs what it is given", .serialized)
struct EventLoopTests {
    @Test("what other threads hand in is run once, in each thread's order")
    func executeKeepsOrder() async throws {
        let loop = try await TestLoop.start()
        let done = EventLog<[Int]>()
        let counts = try await loop.run { loop in LoopBound(Counts(), loop: loop) }
        let threads = 8
        let each = 5000
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<threads {
                group.addTask {
                    for number in 0..<each {
                        loop.handle.execute { counts.value.note(thread, number) }
                    }
                }
            }
        }
        loop.handle.execute { done.append(counts.value.next) }
        #expect(try await done.next { _ in true } == Array(repeating: each, count: threads))
        #expect(try await loop.run { _ in counts.value.disorders } == 0)
    }

    @Test("timers run once, in the order of their time, and not when cancelled")
    func timers() async throws {
        let loop = try await TestLoop.start()
        let log = EventLog<String>()
        let start = ContinuousClock.now
        try await loop.run { loop in
            loop.schedule(after: .milliseconds(150)) { log.append("third") }
            loop.schedule(after: .milliseconds(50)) { log.append("first") }
            loop.schedule(after: .milliseconds(100)) { log.append("second") }
            let cancelled = loop.schedule(after: .milliseconds(75)) { log.append("cancelled") }
            loop.cancel(cancelled)
            loop.schedule(after: .zero) { log.append("at once") }
        }
        _ = try await log.next { $0 == "third" }
        #expect(log.all == ["at once", "first", "second", "third"])
        #expect(ContinuousClock.now - start >= .milliseconds(150))
    }

    @Test("the turn's end comes after what happened in it, and not while nothing happens")
    func turnEnds() async throws {
        let loop = try await TestLoop.start()
        let log = EventLog<String>()
        try await loop.run { loop in
            loop.turnEnded = { log.append("end") }
            loop.schedule(after: .milliseconds(50)) { log.append("timer") }
        }
        for _ in 1...2 { _ = try await log.next { $0 == "end" } }
        _ = try await loop.run { _ in log.append("body") }
        _ = try await log.next { $0 == "end" }
        try await Task.sleep(for: .milliseconds(300))
        #expect(log.all == ["end", "timer", "end", "body", "end"])
    }

    @Test("a tick that is put off waits while there is something to gather for")
    func tickIsPutOff() async throws {
        let loop = try await TestLoop.start()
        let log = EventLog<String>()
        try await loop.run { loop in
            loop.turnEnded = { log.append("tick") }
            loop.hasMoreToGather = { log.all.last != "enough" }
            loop.putOffTick(forNanoseconds: 3_600_000_000_000)
            log.append("first")
        }
        try await loop.run { _ in log.append("more") }
        try await loop.run { _ in log.append("enough") }
        _ = try await log.next { $0 == "tick" }
        #expect(log.all == ["first", "more", "enough", "tick"])
    }

    @Test("what comes after a tick that went early does not wait for what the tick could have")
    func tickIsPutOffNoLonger() async throws {
        let loop = try await TestLoop.start()
        let log = EventLog<String>()
        try await loop.run { loop in
            loop.turnEnded = {
                log.append("tick")
                loop.putOffTick(atMostUntil: nil)
            }
            loop.hasMoreToGather = { log.all.last != "enough" }
            loop.putOffTick(forNanoseconds: 3_600_000_000_000)
            log.append("first")
        }
        try await loop.run { _ in log.append("enough") }
        _ = try await log.next { $0 == "tick" }
        try await loop.run { _ in log.append("later") }
        _ = try await log.next { $0 == "tick" }
        #expect(log.all == ["first", "enough", "tick", "later", "tick"])
    }

    @Test("a tick that is put off comes when its time has come, whether there is more or not")
    func tickIsNotPutOffForEver() async throws {
        let loop = try await TestLoop.start()
        let log = EventLog<String>()
        try await loop.run { loop in
            loop.turnEnded = { log.append("tick") }
            loop.hasMoreToGather = { true }
            loop.putOffTick(forNanoseconds: 20_000_000)
            log.append("first")
        }
        _ = try await log.next { $0 == "tick" }
        #expect(log.all == ["first", "tick"])
    }

    @Test("an error of the body tears down and comes out")
    func errorOfBody() {
        #expect(throws: TestFailure.self) {
            try EventLoop.run(logger: Logger(label: "test")) { loop in
                _ = try loop.listen(
                    ListenerConfiguration(address: .tcp(host: "127.0.0.1", port: 0)), handler: TestServer())
                throw TestFailure("out")
            }
        }
    }

    @Test("a port that is taken, and an address that is none, are errors")
    func cannotListen() async throws {
        let loop = try await TestLoop.start()
        let port = try await loop.listen(TestServer())
        for address in [
            ListenerConfiguration.Address.tcp(host: "127.0.0.1", port: UInt16(port)), .tcp(host: "example.com", port: 0),
        ] {
            await #expect(throws: WebSocketEngineError.self) {
                _ = try await loop.listen(ListenerConfiguration(address: address), TestServer())
            }
        }
    }

    @Test("IPv6 is listened on and connected to, where the machine has it")
    func ipv6() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        guard FileManager.default.fileExists(atPath: "/proc/net/if_inet6"),
            try String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8).contains("00000000000000000000000000000001")
        else { return }
        let port = try await loop.listen(ListenerConfiguration(address: .tcp(host: "::1", port: 0)), server).port
        let client = TestClient()
        _ = try await loop.run { try $0.connect(ClientConfiguration(host: "::1", port: UInt16(port)), handler: client) }
        _ = try await client.nextOpened()
        guard case .upgradeRequested(let request, _) = server.events.all.first else { throw TestFailure("no request") }
        #expect(request.peer == .ip("::1"))
        #expect(request.header("host") == "[::1]:\(port)")
    }

    @Test("every network means both kinds of address, and an IPv4 peer has its own")
    func everyNetwork() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        let port = try await loop.listen(ListenerConfiguration(address: .tcp(host: "::", port: 0)), server).port
        let client = TestClient()
        _ = try await loop.run { try $0.connect(ClientConfiguration(host: "127.0.0.1", port: UInt16(port)), handler: client) }
        _ = try await client.nextOpened()
        guard case .upgradeRequested(let request, _) = server.events.all.first else { throw TestFailure("no request") }
        #expect(request.peer == .ip("127.0.0.1"))
    }

    @Test("a closed listener lets nobody in and keeps who is in")
    func closedListener() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        let bound = try await loop.run { loop in
            server.attach(loop)
            let listener = try loop.listen(ListenerConfiguration(address: .tcp(host: "127.0.0.1", port: 0)), handler: server)
            return (LoopBound(listener, loop: loop), listener.port!)
        }
        let inside = TestClient()
        let id = try await loop.run { try $0.connect(ClientConfiguration(host: "127.0.0.1", port: bound.1), handler: inside) }
        _ = try await inside.nextOpened()
        try await loop.run { _ in bound.0.value.close() }
        let outside = TestClient()
        _ = try await loop.run { try $0.connect(ClientConfiguration(host: "127.0.0.1", port: bound.1), handler: outside) }
        guard case .failed = try await outside.nextClosed() else { throw TestFailure("\(outside.events.all)") }
        try await loop.run { $0.send(OutgoingMessage(text: "still"), to: id) }
        #expect(try await inside.nextMessage().bytes == Array("still".utf8))
    }

    @Test("running out of descriptors does not make the loop spin, and passes")
    func descriptorsRunOut() async throws {
        // In a separate process, because the limit applies to the whole process.
        await #expect(processExitsWith: .success) {
            let loop = try await TestLoop.start()
            let port = try await loop.listen(TestServer())
            // libdispatch opens its descriptors on first use and traps if it cannot.
            try await Task.sleep(for: .milliseconds(10))
            var hoard: [Int32] = []
            var client: [Int32] = []
            for _ in 0..<4 { client.append(Glibc.socket(AF_INET, 1, 0)) }
            var limit = rlimit()
            unsafe getrlimit(__rlimit_resource_t(7), &limit)
            limit.rlim_cur = 256
            unsafe setrlimit(__rlimit_resource_t(7), &limit)
            while true {
                let descriptor = Glibc.dup(0)
                if descriptor < 0 { break }
                hoard.append(descriptor)
            }
            for descriptor in client {
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = UInt16(port).bigEndian
                address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
                _ = unsafe withUnsafePointer(to: &address) { pointer in
                    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
            }
            let before = try await loop.run { _ in HTTPTests.threadTime() }
            try await Task.sleep(for: .seconds(2))
            let spent = try await loop.run { _ in HTTPTests.threadTime() } - before
            for descriptor in hoard { Glibc.close(descriptor) }
            limit.rlim_cur = limit.rlim_max
            unsafe setrlimit(__rlimit_resource_t(7), &limit)
            for _ in 0..<400 where try await loop.run({ $0.connectionCount }) != 4 {
                try await Task.sleep(for: .milliseconds(50))
            }
            let afterwards = try await loop.run { $0.connectionCount }
            precondition(spent < 0.5, "the loop spun")
            precondition(afterwards == 4, "those who waited were not let in")
        }
    }

    private final class Counts {
        var next = [Int](repeating: 0, count: 8)
        var disorders = 0

        func note(_ thread: Int, _ number: Int) {
            if next[thread] != number { disorders += 1 }
            next[thread] += 1
        }
    }
}
