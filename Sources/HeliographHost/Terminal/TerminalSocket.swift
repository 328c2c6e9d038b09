internal import CHeliographLinux
import Glibc
internal import HeliographPlatform

/// The socket of one holder, in a directory that only its owner may look into, and for processes of the same user only.
struct TerminalSocket {
    let path: String
    let descriptor: Int32

    private static let backlog: Int32 = 16

    /// `id` is its name among those of this user.
    init(id: String, in directory: String) throws {
        try PrivateDirectory.make(directory, isOwn: true)
        path = directory + "/" + id
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        // A zero byte must follow.
        let fits = unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard bytes.count < room.count else { return false }
            unsafe room.copyBytes(from: bytes)
            return true
        }
        guard fits else { throw HostError(.tooLong, "the path of the socket is too long: \(path)") }
        descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw HostError.file("make the socket", path) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        // A `sockaddr_un` begins as every `sockaddr` does, and its length goes with it.
        let isBound = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) == 0 }
        }
        guard isBound, listen(descriptor, Self.backlog) == 0 else {
            let error = HostError.file("listen at", path)
            Glibc.close(descriptor)
            throw error
        }
    }

    /// Nil where nobody is there any more, or another user's process is.
    func accept() -> Int32? {
        let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let connection = accept4(descriptor, nil, nil, flags)
        guard connection >= 0 else { return nil }
        // The kernel's `struct ucred`: process, user, group.
        var peer: (process: pid_t, user: uid_t, group: gid_t) = (0, uid_t.max, gid_t.max)
        var length = socklen_t(MemoryLayout.size(ofValue: peer))
        guard unsafe getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0, peer.user == geteuid() else {
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
