internal import CHeliographLibwebsockets

/// Detects that a peer has left while its connection is not read, because its request waits for a response.
///
/// An epoll instance that waits for hang-ups only, and is itself a descriptor of the loop.
final class DepartureWatch {
    let id: UInt64
    /// Closed by libwebsockets, together with its context.
    private let hangUps: Epoll
    private unowned let loop: EventLoop

    init(loop: EventLoop) throws(WebSocketEngineError) {
        self.loop = loop
        self.id = loop.makeID()
        hangUps = try Epoll()
        let tag = unsafe UnsafeMutableRawPointer(bitPattern: UInt(id))
        guard unsafe clws_adopt_readable(loop.storage.plainVhost, hangUps.descriptor, tag) != nil else {
            throw WebSocketEngineError(.initialisationFailed, "libwebsockets does not take an epoll")
        }
    }

    func watch(_ connection: Connection, descriptor: Int32) {
        guard hangUps.add(descriptor, for: .hangUp, tag: connection.id.rawValue) else {
            return loop.failed(connection, "cannot be watched")
        }
    }

    func forget(descriptor: Int32) {
        hangUps.remove(descriptor)
    }

    func becameReadable() {
        // Tags beyond the limit are reported in the next turn.
        for tag in hangUps.ready() {
            guard let connection = loop.connections[tag], connection.exchange != nil else { continue }
            loop.end(connection, .failed("the peer left"))
        }
    }
}
