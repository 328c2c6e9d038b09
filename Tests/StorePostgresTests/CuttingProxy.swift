import Foundation
import Glibc
import StoreTestSupport
import Synchronization

/// Stands between a store and its database, and ends a connection after so many bytes in one direction. Its threads end with its connections,
/// and the last with the process.
final class CuttingProxy: Sendable {
    enum Direction: Sendable, CaseIterable { case toDatabase, fromDatabase }

    private struct Cut {
        let direction: Direction
        var bytesLeft: Int
    }

    private let cut = Mutex<Cut?>(nil)
    private let listener: Int32
    private let server: String

    /// `folder` gets the socket; `server` is the folder that has the database's.
    init(in folder: String, server: String) throws {
        self.server = Self.socketPath(in: server)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard unsafe Self.withAddress(Self.socketPath(in: folder), { unsafe bind(listener, $0, $1) }) == 0,
            listen(listener, 16) == 0
        else {
            throw POSIXError(.EADDRINUSE)
        }
        Thread { [self] in accept() }.start()
    }

    /// The next connection that has sent, or got, so many bytes from now on ends, and so does the direction back.
    func cut(_ direction: Direction, after bytes: Int) { cut.withLock { $0 = Cut(direction: direction, bytesLeft: bytes) } }

    /// Cuts nothing any more. Whether it would have.
    func stopCutting() -> Bool {
        cut.withLock { cut in
            defer { cut = nil }
            return cut != nil
        }
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { return }
            let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            guard unsafe Self.withAddress(server, { unsafe connect(upstream, $0, $1) }) == 0 else {
                close(client)
                close(upstream)
                continue
            }
            let pair = Pair(client: client, upstream: upstream)
            Thread { [self] in pump(client, upstream, .toDatabase, pair) }.start()
            Thread { [self] in pump(upstream, client, .fromDatabase, pair) }.start()
        }
    }

    private final class Pair: Sendable {
        let client: Int32
        let upstream: Int32
        private let ended = Atomic<Int>(0)

        init(client: Int32, upstream: Int32) { (self.client, self.upstream) = (client, upstream) }

        /// Each of the two calls it once; the second closes.
        func end() {
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(upstream, Int32(SHUT_RDWR))
            guard ended.add(1, ordering: .sequentiallyConsistent).newValue == 2 else { return }
            close(client)
            close(upstream)
        }
    }

    private func pump(_ from: Int32, _ to: Int32, _ direction: Direction, _ pair: Pair) {
        defer { pair.end() }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe recv(from, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            let (passed, isOver) = pass(count, direction)
            var sent = 0
            while sent < passed {
                let written = unsafe buffer[sent..<passed].withUnsafeBytes {
                    unsafe send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard written > 0 else { return }
                sent += written
            }
            if isOver { return }
        }
    }

    private func pass(_ count: Int, _ direction: Direction) -> (passed: Int, isOver: Bool) {
        cut.withLock { cut in
            guard let current = cut, current.direction == direction else { return (count, false) }
            guard current.bytesLeft < count else {
                cut?.bytesLeft -= count
                return (count, false)
            }
            cut = nil
            return (current.bytesLeft, true)
        }
    }

    private static func socketPath(in folder: String) -> String { folder + "/.s.PGSQL.5432" }

    private static func withAddress<Value>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        precondition(bytes.count < MemoryLayout.size(ofValue: address.sun_path), "\(path) is too long for a socket")
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        return unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
