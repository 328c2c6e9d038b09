import Foundation
import Glibc
import HostCore
import Logging
import RelayProtocol
import Synchronization
import Testing
import WebSocketEngine

@testable import HeliographHost

@Suite("Hooks that came while the daemon was busy")
struct LocalSocketOrderTests {
    /// Keeps the names of the events of its hooks.
    private final class Listener: HookDriver {
        private(set) var events: [String] = []

        func carryOut(_ order: any Sendable) {}
        func respond(_ token: HookToken, _ output: [UInt8]?) -> Bool { false }
        func callerGone(_ token: HookToken) { events.append("gone") }
        func answers(_ event: String) -> Bool { event == "Asks" }
        func hookCalled(_ report: HookReport) { events.append(report.event) }
        func wordLeft(_ event: String, _ payload: JSONDocument) {}
        func statusLineShown(_ line: JSONDocument, process: AgentProcess?) {}
    }

    private static func connect(_ path: String) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The path fits: it is a temporary folder's.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        let result = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return result == 0 ? descriptor : -1
    }

    private static func send(_ event: String, to socket: Int32) {
        let bytes = Array("POST /v1/hook/claude/\(event) HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}".utf8)
        #expect(unsafe Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    }

    private static func isAnswered(_ socket: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1_024)
        return unsafe recv(socket, &buffer, buffer.count, 0) > 0
    }

    @Test("are heard in the order in which they connected, though the sockets are served in another")
    func order() throws {
        let folder = try HookFolder()
        let path = folder.socketPath
        let heard = Mutex<[String]>([])
        let (isUp, isBlocked, isFree, isOver) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let handle = Mutex<EventLoopHandle?>(nil)
        Thread.detachNewThread {
            try? EventLoop.run(logger: Logger(label: "test")) { loop in
                let driver = Listener()
                let socket = LocalSocket(loop, ["claude": driver], Logger(label: "test")) { _ in
                } status: {
                    []
                }
                loop.inputsEnded = {
                    socket.turnEnds()
                    heard.withLock { $0 = driver.events }
                }
                _ = try loop.listen(LocalSocket.listener(at: path), handler: socket)
                handle.withLock { $0 = loop.handle }
                isUp.signal()
            }
            isOver.signal()
        }
        isUp.wait()
        let listening = handle.withLock { $0 }
        let loop = try #require(listening)
        // Each is known to be accepted, as it has been answered.
        let sockets = (0..<8).map { _ in Self.connect(path) }
        for socket in sockets {
            Self.send("First", to: socket)
            #expect(Self.isAnswered(socket))
        }
        loop.execute {
            isBlocked.signal()
            isFree.wait()
        }
        isBlocked.wait()
        // The last ones are served in the places of those that left.
        for place in [0, 2] { close(sockets[place]) }
        for place in [1, 3, 4, 5, 6, 7] { Self.send("E\(place)", to: sockets[place]) }
        isFree.signal()
        for place in [1, 3, 4, 5, 6, 7] { #expect(Self.isAnswered(sockets[place])) }
        #expect(heard.withLock(\.self).filter { $0.hasPrefix("E") } == ["E1", "E3", "E4", "E5", "E6", "E7"])
        for place in [1, 3, 4, 5, 6, 7] { close(sockets[place]) }
        loop.stop()
        isOver.wait()
    }

    private func request(_ connection: UInt64) -> HTTPRequest {
        var request = HTTPRequest(method: "POST", path: "/\(connection)", peer: .unix(userID: 0, processID: 0))
        request.connection = ConnectionID(rawValue: connection)
        return request
    }

    @Test("and whose caller has left in the same turn are served first, and then their caller is gone")
    func gone() {
        var arrivals = Arrivals()
        arrivals.received(request(7), HTTPRequestID(rawValue: 20))
        arrivals.received(request(3), HTTPRequestID(rawValue: 21))
        let (isKnown, isUnknown) = (arrivals.left(HTTPRequestID(rawValue: 20)), !arrivals.left(HTTPRequestID(rawValue: 19)))
        #expect(isKnown && isUnknown)
        let served = arrivals.take().map { arrival in
            switch arrival {
            case .request(let request, _): request.path
            case .gone(let id): "gone \(id)"
            }
        }
        #expect(served == ["/3", "/7", "gone 20"])
        #expect(arrivals.take().isEmpty)
    }
}
