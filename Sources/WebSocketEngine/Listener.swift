internal import CHeliographLibwebsockets
internal import Glibc

/// A listening socket, or another loop's share of it. Confined to its loop; releasing it does not close it.
@safe package final class Listener {
    /// The bound port of a TCP listener.
    package let port: UInt16?

    /// The socket file of a Unix-domain listener.
    package let path: String?

    /// Inode of a Unix-domain listener's socket file, to notice if another file has replaced it.
    private let inode: UInt64?

    /// True if other processes hold the socket, too.
    var isPassed: Bool { if case .passed = configuration.address { true } else { false } }

    let id: UInt64
    let configuration: ListenerConfiguration
    let blankFields: [String]
    let handler: any ServerHandler
    let admission: Admission
    /// The vhost of the connections that this loop serves.
    let vhost: OpaquePointer

    private unowned let loop: EventLoop

    init(
        id: UInt64, configuration: ListenerConfiguration, handler: any ServerHandler, admission: Admission,
        vhost: OpaquePointer, port: UInt16?, path: String?, loop: EventLoop
    ) {
        self.id = id
        self.admission = admission
        unsafe self.vhost = vhost
        self.configuration = configuration
        blankFields = HeaderReader.blankFields(extraHeaders: configuration.extraHeaders)
        self.handler = handler
        self.port = port
        self.path = path
        self.loop = loop
        inode = path.flatMap(Self.inode)
    }

    /// False if the socket file was removed or replaced.
    package var isAtItsPath: Bool { path.map { Self.inode($0) == inode } ?? true }

    /// Nil if there is no file. An inode's number is not reused as long as a socket is bound to it.
    private static func inode(_ path: String) -> UInt64? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// Stops accepting. Connections stay. The socket file is removed, unless another process has replaced it.
    package func close() {
        loop.stopListening(self)
    }
}
