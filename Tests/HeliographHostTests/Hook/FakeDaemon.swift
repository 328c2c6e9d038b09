import Foundation
import Glibc
import Synchronization

/// A Unix socket that answers one connection after the other with given replies, on a thread of its own.
final class FakeDaemon: Sendable {
    enum Reply: Sendable {
        /// Reads the request, then writes this and closes.
        case answer(String)
        /// The same in two writes with a pause between.
        case slowly(String, String, pause: Duration)
        /// Reads the request and closes.
        case close
        /// Closes at once.
        case refuse
        /// Reads the request, then nothing for so long.
        case hang(Duration)
    }

    static let noContent = "HTTP/1.1 204 No Content\r\n\r\n"

    static func ok(_ body: String) -> String { "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)" }

    private let received = Mutex<[String]>([])

    /// The bytes read from each connection so far.
    var requests: [String] { received.withLock { $0 } }

    /// The first connection is answered after so many others were.
    init(at path: String, thinksUntilProbed count: Int, then answer: String) {
        guard let listener = Self.listener(at: path) else { preconditionFailure("the fake daemon cannot listen") }
        Thread.detachNewThread { [self] in
            let first = accept(listener, nil, nil)
            let question = readRequest(first)
            received.withLock { $0.append(question) }
            for _ in 0..<count { serve(listener, .answer(Self.noContent)) }
            send(answer, to: first)
            close(first)
            close(listener)
        }
    }

    /// `heard` is called with each request that was read, before its reply.
    init(at path: String, _ replies: [Reply], heard: @escaping @Sendable () -> Void = {}) {
        guard let listener = Self.listener(at: path) else { preconditionFailure("the fake daemon cannot listen") }
        Thread.detachNewThread { [self] in
            for reply in replies { serve(listener, reply, heard) }
            close(listener)
        }
    }

    /// A listening socket.
    static func listener(at path: String) -> Int32? {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The path fits: it is a temporary folder's.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        let bound = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return bound == 0 && listen(listener, 8) == 0 ? listener : nil
    }

    private func serve(_ listener: Int32, _ reply: Reply, _ heard: () -> Void = {}) {
        let connection = accept(listener, nil, nil)
        defer { close(connection) }
        if case .refuse = reply { return }
        received.withLock { $0.append("") }
        let request = readRequest(connection)
        received.withLock { $0[$0.count - 1] = request }
        heard()
        switch reply {
        case .answer(let text): send(text, to: connection)
        case .slowly(let first, let second, let pause):
            send(first, to: connection)
            Thread.sleep(forTimeInterval: pause / .seconds(1))
            send(second, to: connection)
        case .hang(let duration): Thread.sleep(forTimeInterval: duration / .seconds(1))
        case .close, .refuse: return
        }
    }

    private func readRequest(_ connection: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe read(connection, &buffer, buffer.count)
            if count <= 0 { break }
            bytes += buffer[..<count]
            let text = String(decoding: bytes, as: UTF8.self)
            guard let head = text.range(of: "\r\n\r\n"), let field = text.range(of: "Content-Length: "),
                let length = Int(text[field.upperBound...].prefix { $0.isNumber })
            else { continue }
            if text[head.upperBound...].utf8.count >= length { return text }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func send(_ text: String, to connection: Int32) {
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
