internal import Glibc

/// systemd, or another program that started this process with a socket for reports about its state: `sd_notify(3)`, without its
/// library.
package struct ServiceManager: Sendable {
    package enum State: Sendable {
        case ready
        case stopping
        /// This process is still working; expected within every `watchdogInterval`.
        case alive
    }

    /// A path, or with a leading @ a name in the abstract namespace.
    private let socket: String
    /// Interval at which `alive` has to be sent: half of the service manager's timeout. Nil: never.
    package let watchdogInterval: Duration?

    /// Nil if no service manager asked for notifications. `environment`: `NOTIFY_SOCKET` and, for this process, `WATCHDOG_USEC` and
    /// `WATCHDOG_PID`.
    package init?(environment: [String: String], processID: Int32 = getpid()) {
        guard let socket = environment["NOTIFY_SOCKET"], socket.hasPrefix("/") || socket.hasPrefix("@"),
            socket.utf8.count < Self.pathBytesMax
        else { return nil }
        self.socket = socket
        let isForUs = environment["WATCHDOG_PID"].map { $0 == String(processID) } ?? true
        watchdogInterval = environment["WATCHDOG_USEC"].flatMap { Int64($0) }
            .flatMap { isForUs && $0 > 0 ? .microseconds($0 / 2) : nil }
    }

    private static let pathBytesMax = 108

    /// - Returns: false if the notification could not be sent.
    @discardableResult
    package func tell(_ state: State) -> Bool {
        let text: String =
            switch state {
            case .ready: "READY=1"
            case .stopping: "STOPPING=1"
            case .alive: "WATCHDOG=1"
            }
        return send(Array(text.utf8))
    }

    private func send(_ bytes: [UInt8]) -> Bool {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(socket.utf8)
        if socket.hasPrefix("@") { name[0] = 0 }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        // The length says where an abstract name ends; a path ends with a zero byte, which is there already.
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count + (socket.hasPrefix("@") ? 0 : 1))
        let sent = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), $0, length)
            }
        }
        return sent == bytes.count
    }
}
