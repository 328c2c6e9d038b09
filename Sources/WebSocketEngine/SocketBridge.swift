internal import CHeliographLibwebsockets
internal import CHeliographLinux
internal import Glibc
internal import HeliographPlatform
internal import Synchronization

/// Carries bytes between a connected socket and libwebsockets, whose client cannot use a connected one: it connects to `path`, an
/// abstract Unix socket. Blocks the thread that runs it.
final class SocketBridge: Sendable {
    /// Bytes held for each direction; no more are read until those have been passed on.
    private static let heldBytesMax = 64 << 10
    /// Time for libwebsockets to connect, which it does on the next turn of its loop, unless it has given up.
    private static let connectMilliseconds: Int32 = 5_000
    /// Time for a server to read what was sent before our side closed, such as a close frame.
    private static let farewellMilliseconds: Int32 = 5_000
    /// Other processes see an abstract socket and may connect to it. They are dropped, and must not keep libwebsockets out.
    private static let backlog: Int32 = 16

    /// The path, as libwebsockets writes it.
    let path: String
    private let listener: Int32
    /// -1 once it is closed.
    private let server: Mutex<Int32>

    private init(path: String, listener: Int32, server: Int32) {
        self.path = path
        self.listener = listener
        self.server = Mutex(server)
    }

    /// Takes over `server`, and closes it if it fails. `run` must follow.
    static func open(to server: Int32) -> Result<SocketBridge, WebSocketEngineError> {
        let flags = fcntl(server, F_GETFL)
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard listener >= 0, fcntl(server, F_SETFL, flags | O_NONBLOCK) == 0, let name = bindAnywhere(listener),
            listen(listener, backlog) == 0
        else {
            let sentence = "no socket can be made: \(String(errno: errno))"
            if listener >= 0 { close(listener) }
            close(server)
            return .failure(WebSocketEngineError(.cannotConnect, sentence))
        }
        return .success(SocketBridge(path: "@" + name, listener: listener, server: server))
    }

    /// Binds to a free abstract name, which the kernel picks.
    private static func bindAnywhere(_ descriptor: Int32) -> String? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var length = socklen_t(MemoryLayout<sa_family_t>.size)
        return unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int? in
                guard unsafe bind(descriptor, address, length) == 0 else { return nil }
                length = socklen_t(MemoryLayout<sockaddr_un>.size)
                guard unsafe getsockname(descriptor, address, &length) == 0 else { return nil }
                return Int(length) - MemoryLayout<sa_family_t>.size
            }
        }.map { count in
            unsafe withUnsafeBytes(of: address.sun_path) { unsafe String(decoding: $0[1..<count], as: UTF8.self) }
        }
    }

    /// Counts acknowledged bytes of the server; see `SocketCounts`. From any thread.
    var acknowledgedBehindBacklog: UInt64 {
        server.withLock { $0 < 0 ? 0 : SocketCounts.acknowledgedBehindBacklog($0) }
    }

    // MARK: Carrying

    /// Runs until one side has ended and its data has been passed on. Closes both.
    func run() {
        let server = server.withLock(\.self)
        defer {
            self.server.withLock { $0 = -1 }
            close(server)
        }
        let accepted = accept()
        close(listener)
        guard let engine = accepted else { return }
        defer { close(engine) }
        var outward = Lane(from: engine, to: server)
        var inward = Lane(from: server, to: engine)
        while !outward.isOver, !inward.isOver {
            var polled = [
                pollfd(fd: engine, events: outward.reading | inward.writing, revents: 0),
                pollfd(fd: server, events: inward.reading | outward.writing, revents: 0),
            ]
            // poll(2) always reports hang-ups, even if no event is requested, so such entries are disabled.
            for index in polled.indices where polled[index].events == 0 { polled[index].fd = -1 }
            let count = unsafe poll(&polled, nfds_t(polled.count), outward.hasEnded ? Self.farewellMilliseconds : -1)
            if count == 0 || (count < 0 && errno != EINTR) { return }
            guard count > 0 else { continue }
            let (engineEvents, serverEvents) = (polled[0].revents, polled[1].revents)
            if engineEvents != 0 {
                outward.fill()
                inward.drain()
            }
            if serverEvents != 0 {
                inward.fill()
                outward.drain()
            }
        }
    }

    /// Nil if libwebsockets does not connect in time.
    private func accept() -> Int32? {
        while true {
            var polled = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            let count = unsafe poll(&polled, 1, Self.connectMilliseconds)
            if count == 0 || (count < 0 && errno != EINTR) { return nil }
            let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            let accepted = accept4(listener, nil, nil, flags)
            if accepted >= 0, UnixAddress.isOwnProcess(accepted) { return accepted }
            if accepted >= 0 { close(accepted) }
        }
    }

    /// One direction of the bridge.
    private struct Lane {
        private let source: Int32
        private let sink: Int32
        private var buffer = [UInt8](repeating: 0, count: heldBytesMax)
        private var held = 0..<0
        /// True if the source has ended.
        private(set) var hasEnded = false
        /// True if the sink accepts no more.
        private var isRefused = false

        init(from source: Int32, to sink: Int32) {
            self.source = source
            self.sink = sink
        }

        var isOver: Bool { hasEnded && (held.isEmpty || isRefused) }
        private var wantsToRead: Bool { !hasEnded && held.isEmpty }
        var reading: Int16 { wantsToRead ? Int16(POLLIN) : 0 }
        var writing: Int16 { held.isEmpty || isRefused ? 0 : Int16(POLLOUT) }

        /// Reads once, and passes on as much as the sink takes.
        mutating func fill() {
            guard wantsToRead else { return }
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(source, $0.baseAddress, $0.count, 0) }
            if count > 0 {
                held = isRefused ? 0..<0 : 0..<count
                drain()
            } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
                hasEnded = true
            }
        }

        mutating func drain() {
            guard !held.isEmpty, !isRefused else { return }
            let count = unsafe buffer.withUnsafeBytes { bytes in
                unsafe send(sink, bytes.baseAddress! + held.lowerBound, held.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                held = (held.lowerBound + count)..<held.upperBound
            } else if errno != EAGAIN, errno != EINTR {
                isRefused = true
                held = 0..<0
            }
        }
    }
}
