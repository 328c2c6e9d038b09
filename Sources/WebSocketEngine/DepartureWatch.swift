internal import CHeliographLibwebsockets
internal import Glibc

/// Sees peers leave whose connection is not being read, because their request waits for an answer.
///
/// An epoll instance of its own that waits for nothing but hang-ups, and is itself one descriptor of the loop.
final class DepartureWatch {
    let id: UInt64
    /// Closed by libwebsockets, with its context.
    private let hangups: Int32
    private unowned let loop: EventLoop

    init(loop: EventLoop) throws(WebSocketEngineError) {
        self.loop = loop
        self.id = loop.makeID()
        hangups = clws_hangups_make()
        guard hangups >= 0,
            unsafe clws_adopt_readable(loop.storage.plainVhost, hangups, UnsafeMutableRawPointer(bitPattern: UInt(id))) != nil
        else { throw WebSocketEngineError(.initialisationFailed, "no epoll: \(String(errno: errno))") }
    }

    func watch(_ connection: Connection, descriptor: Int32) {
        guard clws_hangups_add(hangups, descriptor, connection.id.rawValue) == 0 else {
            return loop.failed(connection, "cannot be watched")
        }
    }

    func forget(descriptor: Int32) {
        clws_hangups_remove(hangups, descriptor)
    }

    func becameReadable() {
        var tag: UInt64 = 0
        // Each descriptor tells once, so this ends.
        while unsafe clws_hangups_next(hangups, &tag) != 0 {
            guard let connection = loop.connections[tag], connection.exchange != nil else { continue }
            loop.end(connection, .failed("the peer left"))
        }
    }
}
