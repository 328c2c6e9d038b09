/// Names and addresses of the local machine.
package enum Loopback {
    /// True for `localhost`, `::1`, and addresses in 127.0.0.0/8, but not for a name that only begins like one, such as
    /// `127.0.0.1.example.org`.
    package static func contains(_ host: String) -> Bool {
        host.lowercased() == "localhost" || host == "::1" || isIPv4(host)
    }

    private static func isIPv4(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt8($0) != nil }
    }
}
