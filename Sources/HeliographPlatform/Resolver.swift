internal import Glibc

/// Looks up host names on a thread that may block.
package enum Resolver {
    /// Addresses of a name that are tried in turn; more would only lengthen the wait.
    package static let addressesMax = 4

    /// Calls `body` on a separate thread with numeric addresses; empty if there are none.
    package static func resolve(_ host: String, _ body: @escaping @Sendable ([String]) -> Void) {
        if !BackgroundThread.start({ body(addresses(of: host)) }) { body([]) }
    }

    /// Numeric addresses; empty if there are none. Blocks.
    package static func addresses(of host: String) -> [String] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [String] = []
        var entry = unsafe list
        while let current = unsafe entry, addresses.count < addressesMax {
            unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
                let result = unsafe getnameinfo(
                    current.pointee.ai_addr, current.pointee.ai_addrlen, buffer.baseAddress, socklen_t(buffer.count), nil, 0,
                    NI_NUMERICHOST)
                if result == 0 {
                    let address = unsafe String(cString: buffer.baseAddress!)
                    if !addresses.contains(address) { addresses.append(address) }
                }
            }
            unsafe entry = current.pointee.ai_next
        }
        return addresses
    }
}
