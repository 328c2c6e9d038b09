internal import CHeliographLinux
import Glibc
internal import HeliographPlatform

/// The socket of one holder, in a directory that only its owner may read, and for processes of the same user only.
struct TerminalSocket {
    let path: String
    let descriptor: Int32

    private static let backlog: Int32 = 16

    /// `id`: the terminal's name among this user's.
    init(id: String, in directory: String) throws {
        try PrivateDirectory.make(directory, isOwn: true)
        path = directory + "/" + id
        // The socket gets its name once it listens: one that does not listen is taken for a killed holder's, and removed.
        let draft = directory + "/." + id
        guard let address = UnixAddress(draft) else { throw HostError(.tooLong, "the path of the socket is too long: \(path)") }
        descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw HostError.file("make the socket", path) }
        defer { unsafe unlink(draft) }
        guard address.bind(descriptor), listen(descriptor, Self.backlog) == 0, unsafe link(draft, path) == 0 else {
            let error = HostError.file("listen at", path)
            Glibc.close(descriptor)
            throw error
        }
    }

    /// The next connection; nil if the client has gone, or is another user's process.
    func accept() -> Int32? {
        let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let connection = accept4(descriptor, nil, nil, flags)
        guard connection >= 0 else { return nil }
        guard UnixAddress.isOwnPeer(connection) else {
            Glibc.close(connection)
            return nil
        }
        return connection
    }

    func close() {
        Glibc.close(descriptor)
        unsafe unlink(path)
    }
}
