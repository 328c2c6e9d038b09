internal import Glibc

/// The loopback address that a connection comes from: 127.0.0.1, 127.0.0.2 and so on.
///
/// From one address to one port Linux opens as many connections as it has ephemeral ports, 28,232. All of 127.0.0.0/8 is this
/// machine, so a hundred thousand clients come from several addresses.
enum LoopbackSource {
    /// Connections from one address. The kernel first tries half of the ports; if all of these are taken, each connection searches
    /// them, which takes 0.3 ms.
    static let connectionsPerAddress = 10_000

    /// In network byte order, as in `s_addr`; nil if the system may choose.
    static func address(ofConnection number: Int) -> in_addr_t? {
        let index = number / connectionsPerAddress
        return index == 0 ? nil : (INADDR_LOOPBACK + in_addr_t(index)).bigEndian
    }
}
