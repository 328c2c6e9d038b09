internal import CHeliographLinux
internal import HeliographCrypto
internal import Glibc

/// All connections of a run on one thread and one epoll, so that this program costs little and the relay is what is measured.
///
/// Frames are read into one buffer and passed on in place; only the incomplete last frame is copied. It does not use
/// `WebSocketEngine`, which allocates messages and takes 5 KiB for each connection: a load on the same library as the relay would
/// also hide that library's cost.
@safe
final class Driver {
    /// Bytes of one read: a few turns of a relay that sends 64 events of 300 bytes in each.
    private static let readBytes = 256 << 10
    /// Size above which an empty tail's memory is freed.
    private static let tailKeptBytes = 32 << 10
    /// Sockets reported by one wait.
    private static let eventsMax = 1_024
    /// Bytes that may wait for a relay that does not read; more means that the plan exceeds its capacity.
    private static let outboxBytesMax = 64 << 20
    /// Size of the plaintext of one TLS record.
    private static let recordBytesMax = 16 << 10
    /// Largest response to an upgrade.
    private static let answerBytesMax = 16 << 10

    private let poll: Int32
    private let hosts: [Endpoint]
    private let clients: [Endpoint]
    private let dialect: Dialect
    private let buffer: UnsafeMutableRawBufferPointer
    private let events: UnsafeMutableBufferPointer<epoll_event>
    /// Links by descriptor, the key that epoll returns.
    private var links: [Link?] = []
    /// Nanoseconds spent waiting: if they are few, this program was measured and not the relay.
    private(set) var waited: Int64 = 0

    /// Peers are assigned to the endpoints of their role in turn.
    init(hosts: [Endpoint], clients: [Endpoint], dialect: Dialect) throws(BenchError) {
        (self.hosts, self.clients) = (hosts, clients)
        self.dialect = dialect
        poll = clinux_epoll_create()
        unsafe buffer = .allocate(byteCount: Self.readBytes, alignment: 64)
        unsafe events = .allocate(capacity: Self.eventsMax)
        guard poll >= 0 else { throw BenchError(.system, "no epoll: \(String(errno: errno))") }
    }

    deinit {
        for link in links { if let link { Glibc.close(link.descriptor) } }
        Glibc.close(poll)
        unsafe buffer.deallocate()
        unsafe events.deallocate()
    }

    // MARK: - Orders

    /// `attempt` counts the connections of one peer: each goes to the next endpoint.
    func open(_ role: Link.Role, number: Int, attempt: Int = 0, token: String) throws(BenchError) -> Link {
        let endpoints = role == .host ? hosts : clients
        let endpoint = endpoints[(number + attempt) % endpoints.count]
        let upgrade = dialect.upgrade(role, host: endpoint.host, prefix: endpoint.prefix, token: token)
        let link = Link(
            role: role, number: number, descriptor: try endpoint.connect(number), tls: endpoint.session(), upgrade: upgrade)
        let place = Int(link.descriptor)
        while links.count <= place { links.append(nil) }
        links[place] = link
        control(EPOLL_CTL_ADD, link)
        if let tls = link.tls { try shakeHands(link, tls) }
        return link
    }

    /// Sends what is queued, as far as the socket takes it.
    func flush(_ link: Link) throws(BenchError) {
        guard link.state != .closed else { return }
        if let tls = link.tls { try seal(link, tls) }
        guard link.outboxSent < link.outbox.count else { return }
        let result = unsafe link.outbox.withUnsafeBytes { bytes in
            unsafe send(
                link.descriptor, bytes.baseAddress! + link.outboxSent, bytes.count - link.outboxSent, Int32(MSG_NOSIGNAL))
        }
        if result > 0 {
            link.outboxSent += result
        } else if errno != EAGAIN, errno != EINTR {
            throw BenchError(.refused, "\(link.name) cannot send: \(String(errno: errno))")
        }
        let isDone = link.outboxSent == link.outbox.count
        if isDone {
            link.outbox.removeAll(keepingCapacity: link.role == .host)
            link.outboxSent = 0
        } else if link.outbox.count - link.outboxSent > Self.outboxBytesMax {
            throw BenchError(
                .tooSlow, "\(link.name) has \(Self.outboxBytesMax) bytes that the relay does not read: lower the rate")
        }
        if link.waitsForRoom == isDone {
            link.waitsForRoom = !isDone
            control(EPOLL_CTL_MOD, link)
        }
    }

    func close(_ link: Link) {
        guard link.state != .closed else { return }
        link.state = .closed
        links[Int(link.descriptor)] = nil
        Glibc.close(link.descriptor)
        link.tail = []
        link.outbox = []
        link.outboxSent = 0
        link.unsealed = []
    }

    /// Waits for at most `limit` nanoseconds, and passes on the input.
    func turn(_ limit: Int64, _ handler: some LinkHandler) throws(BenchError) {
        let before = SteadyClock.now
        let count = unsafe clinux_epoll_wait(poll, events.baseAddress, Int32(Self.eventsMax), max(0, limit))
        waited += SteadyClock.now - before
        guard count >= 0 || errno == EINTR else { throw BenchError(.system, "epoll: \(String(errno: errno))") }
        for index in 0..<Int(max(0, count)) {
            let (happened, descriptor) = unsafe (events[index].events, events[index].data.fd)
            // It was closed earlier in this turn.
            guard let link = links[Int(descriptor)] else { continue }
            if happened & EPOLLOUT.rawValue != 0, link.waitsForRoom { try becameWritable(link, handler) }
            if link.state != .closed, happened & ~EPOLLOUT.rawValue != 0 { try becameReadable(link, handler) }
        }
    }

    // MARK: - Sockets

    private func control(_ operation: Int32, _ link: Link) {
        var event = unsafe epoll_event()
        unsafe event.events = EPOLLIN.rawValue | (link.waitsForRoom ? EPOLLOUT.rawValue : 0)
        unsafe event.data.fd = link.descriptor
        let result = unsafe epoll_ctl(poll, operation, link.descriptor, &event)
        precondition(result == 0, "epoll takes every socket once: \(String(errno: errno))")
    }

    private func becameWritable(_ link: Link, _ handler: some LinkHandler) throws(BenchError) {
        if link.state == .upgrading {
            var failure: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            unsafe getsockopt(link.descriptor, SOL_SOCKET, SO_ERROR, &failure, &size)
            guard failure == 0 else { return try lost(link, failure, handler) }
        }
        try flush(link)
    }

    private func becameReadable(_ link: Link, _ handler: some LinkHandler) throws(BenchError) {
        let count = unsafe recv(link.descriptor, buffer.baseAddress, buffer.count, 0)
        guard count > 0 else {
            let failure = count == 0 ? 0 : errno
            if failure == EAGAIN || failure == EINTR { return }
            return try lost(link, failure, handler)
        }
        let now = SteadyClock.now
        let bytes = unsafe UnsafeRawBufferPointer(start: buffer.baseAddress, count: count)
        if let tls = link.tls {
            unsafe try unseal(bytes, tls, link, at: now, handler)
        } else {
            unsafe try received(bytes, on: link, at: now, handler)
        }
    }

    private func received(
        _ bytes: UnsafeRawBufferPointer, on link: Link, at now: Int64, _ handler: some LinkHandler
    ) throws(BenchError) {
        let count = bytes.count
        if link.tail.isEmpty {
            let taken = unsafe try take(bytes, from: link, at: now, handler)
            if taken < count, link.state != .closed { unsafe link.tail.append(contentsOf: bytes[taken...]) }
            return
        }
        unsafe link.tail.append(contentsOf: bytes)
        // Handlers may close the link, which frees its tail, so the bytes are kept here in the meantime.
        var whole = link.tail
        link.tail = []
        let taken = try taken(of: whole, from: link, at: now, handler)
        if taken == whole.count, whole.capacity > Self.tailKeptBytes { return }
        whole.removeFirst(taken)
        if link.state != .closed { link.tail = whole }
    }

    private func taken(
        of bytes: [UInt8], from link: Link, at now: Int64, _ handler: some LinkHandler
    ) throws(BenchError) -> Int {
        unsafe try bytes.withUnsafeBufferPointer { (buffer) throws(BenchError) in
            unsafe try take(UnsafeRawBufferPointer(buffer), from: link, at: now, handler)
        }
    }

    private func lost(_ link: Link, _ failure: Int32, _ handler: some LinkHandler) throws(BenchError) {
        let wasUpgrading = link.state == .upgrading
        close(link)
        guard wasUpgrading else { return try handler.ended(link, .cut(failure: failure)) }
        if failure == ECONNREFUSED, !handler.outlivesRelays { throw BenchError(.unreachable, "nobody listens there any more") }
        try handler.turnedAway(link, status: 0)
    }

    // MARK: - TLS

    /// Continues the handshake with the bytes received.
    private func shakeHands(_ link: Link, _ tls: TLSSession) throws(BenchError) {
        do { try tls.advanceHandshake() } catch { throw BenchError(.unreachable, "\(link.name): \(error.message)") }
        tls.takeOutput(into: &link.outbox)
    }

    private func seal(_ link: Link, _ tls: TLSSession) throws(BenchError) {
        if tls.isEstablished {
            do { try tls.write(link.unsealed) } catch { throw BenchError(.refused, "\(link.name): \(error.message)") }
            link.unsealed.removeAll(keepingCapacity: link.role == .host)
        }
        tls.takeOutput(into: &link.outbox)
    }

    private func unseal(
        _ bytes: UnsafeRawBufferPointer, _ tls: TLSSession, _ link: Link, at now: Int64, _ handler: some LinkHandler
    ) throws(BenchError) {
        unsafe tls.receive(bytes)
        if !tls.isEstablished {
            try shakeHands(link, tls)
            try flush(link)
        }
        var text: [UInt8] = []
        if tls.isEstablished {
            do {
                while try tls.read(into: &text, countMax: Self.recordBytesMax) {}
            } catch { throw BenchError(.refused, "\(link.name): \(error.message)") }
        }
        if !text.isEmpty {
            unsafe try text.withUnsafeBufferPointer { (buffer) throws(BenchError) in
                unsafe try received(UnsafeRawBufferPointer(buffer), on: link, at: now, handler)
            }
        }
        if tls.isClosedByPeer, link.state != .closed { try lost(link, 0, handler) }
    }

    // MARK: - Frames

    /// - Returns: the number of bytes consumed.
    private func take(
        _ bytes: UnsafeRawBufferPointer, from link: Link, at now: Int64, _ handler: some LinkHandler
    ) throws(BenchError) -> Int {
        var taken = 0
        if link.state == .upgrading {
            guard let end = unsafe Self.endOfAnswer(bytes) else {
                guard bytes.count <= Self.answerBytesMax else {
                    throw BenchError(.badMessage, "\(link.name): no end of the answer")
                }
                return 0
            }
            let status = unsafe Self.status(bytes)
            guard status == 101 else {
                close(link)
                try handler.turnedAway(link, status: status)
                return bytes.count
            }
            link.state = .open
            taken = end
            try handler.opened(link)
        }
        while link.state == .open {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[taken...])
            guard let head = unsafe try Frame.head(rest), rest.count >= head.count + head.payload else { break }
            let payload = unsafe UnsafeRawBufferPointer(rebasing: rest[head.count..<head.count + head.payload])
            taken += head.count + head.payload
            switch head.opcode {
            case .text, .binary, .continuation:
                guard dialect.isStream || (head.isFinal && head.opcode != .continuation) else {
                    throw BenchError(.badMessage, "\(link.name): a message came in pieces, as this relay sends none")
                }
                unsafe try handler.received(payload, on: link, at: now)
            case .ping:
                unsafe link.queue(Array(payload), opcode: .pong)
                try flush(link)
            case .pong: break
            case .close:
                let code = payload.count >= 2 ? unsafe Int(payload[0]) << 8 | Int(payload[1]) : 1005
                let reason = unsafe String(decoding: payload.dropFirst(2), as: UTF8.self)
                close(link)
                try handler.ended(link, .closed(code: code, reason: reason))
                return bytes.count
            }
        }
        return taken
    }

    /// Index of the first frame after the response; nil if that is incomplete.
    private static func endOfAnswer(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let found = unsafe clinux_find(bytes.baseAddress!, bytes.count, "\r\n\r\n", 4) else { return nil }
        return unsafe UnsafeRawPointer(found) - bytes.baseAddress! + 4
    }

    /// The status in `HTTP/1.1 101 …`; 0 if there is none.
    private static func status(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard bytes.count >= 12 else { return 0 }
        return unsafe Int(String(decoding: bytes[9..<12], as: UTF8.self)) ?? 0
    }
}
