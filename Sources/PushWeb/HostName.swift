/// Checks of host names, as strict as needed for addresses from untrusted clients.
enum HostName {
    static let bytesMax = 253
    private static let labelBytesMax = 63

    /// True for a DNS name in lower case, without a dot at its end. False for addresses, including those that only `inet_aton`
    /// accepts.
    static func isValid(_ name: Substring) -> Bool {
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard name.utf8.count <= bytesMax, labels.allSatisfy(isLabel) else { return false }
        // A last label that begins with a digit may be part of an address: 127.1, 0x7f.1, 2130706433.
        return labels.last?.utf8.first.map { !(0x30...0x39).contains($0) } ?? false
    }

    private static func isLabel(_ label: Substring) -> Bool {
        let bytes = label.utf8
        return (1...labelBytesMax).contains(bytes.count) && bytes.first != UInt8(ascii: "-") && bytes.last != UInt8(ascii: "-")
            && bytes.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    }

    /// The first reason why the name cannot be reached from outside the own network; nil if it may be public.
    static func privacy(of name: Substring) -> String? {
        guard isValid(name) else { return "\(name) is not a name of DNS in lower case" }
        let labels = name.split(separator: ".")
        guard labels.count > 1, let last = labels.last else { return "\(name) is a name of the own network" }
        return privateEnds.contains(last) ? "names below .\(last) are not public" : nil
    }

    /// RFC 2606, RFC 6761, RFC 6762, RFC 7686, RFC 9476, the one that ICANN reserved in 2024, and the domains that routers assign.
    private static let privateEnds: Set<Substring> = [
        "localhost", "local", "invalid", "internal", "test", "example", "onion", "alt", "arpa", "lan", "home", "corp",
        "intranet",
        "localdomain",
    ]
}
