internal import CHeliographLibwebsockets

/// One listening socket, or another loop's share of it. Confined to its loop; letting go of it does not close it.
@safe package final class Listener {
    /// The port that was bound, of a TCP listener.
    package let port: UInt16?

    /// The socket file, of a Unix-domain listener.
    package let path: String?

    let id: UInt64
    let configuration: ListenerConfiguration
    let blankFields: [String]
    let handler: any ServerHandler
    let admission: Admission
    /// For the connections that this loop serves.
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
    }

    /// Stops accepting. Connections stay; a socket file is removed.
    package func close() {
        loop.stopListening(self)
    }
}
