/// The other end of an accepted socket, as the kernel reports it.
package enum Peer: Hashable, Sendable, CustomStringConvertible {
    /// A numeric address; an IPv4 address that came in through an IPv6 socket is written as IPv4.
    case ip(String)

    /// The process that connected to a Unix-domain socket, from `SO_PEERCRED`.
    case unix(userID: UInt32, processID: Int32)

    package var description: String {
        switch self {
        case .ip(let address): address
        case .unix(let userID, let processID): "unix:uid=\(userID),pid=\(processID)"
        }
    }

    /// True for a peer on this machine, which may be a reverse proxy.
    package var isLocal: Bool {
        switch self {
        case .ip(let address): address.hasPrefix("127.") || address == "::1"
        case .unix: true
        }
    }
}
