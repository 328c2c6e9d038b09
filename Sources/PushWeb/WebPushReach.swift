internal import Foundation
internal import Glibc
internal import Synchronization

/// Checks that the push services of the four makers can be reached: connects to each, and sends nothing.
package enum WebPushReach {
    private static let hosts = [
        "web.push.apple.com", "fcm.googleapis.com", "updates.push.services.mozilla.com", "wns2-par02p.notify.windows.com",
    ]

    /// The hosts that cannot be reached, after at most this long. Blocks.
    package static func unreachable(within patience: Duration) -> [String] {
        let reached = Mutex<Set<String>>([])
        let group = DispatchGroup()
        for host in hosts {
            DispatchQueue.global(qos: .utility).async(group: group) {
                if isReachable(host, milliseconds: Int32(patience.components.seconds * 1_000)) {
                    reached.withLock { _ = $0.insert(host) }
                }
            }
        }
        // A resolver that hangs is not awaited; its thread ends with the program.
        _ = group.wait(timeout: .now() + .seconds(Int(patience.components.seconds)))
        let found = reached.withLock { $0 }
        return hosts.filter { !found.contains($0) }
    }

    private static func isReachable(_ host: String, milliseconds: Int32) -> Bool {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, "443", &hints, &list) == 0 else { return false }
        let head = unsafe list
        defer { unsafe freeaddrinfo(head) }
        while let address = unsafe list {
            if unsafe connects(address.pointee, milliseconds) { return true }
            unsafe list = unsafe address.pointee.ai_next
        }
        return false
    }

    private static func connects(_ address: addrinfo, _ milliseconds: Int32) -> Bool {
        let descriptor = unsafe socket(address.ai_family, address.ai_socktype | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        if unsafe connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return true }
        guard errno == EINPROGRESS else { return false }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&waiting, 1, milliseconds) == 1 else { return false }
        var (fault, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        return unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &fault, &size) == 0 && fault == 0
    }
}
