/// The name or address that a `Host` header leads to.
enum HostHeader {
    /// Without brackets and port. Nil for what is malformed: nothing but a port may follow an address or a name, or somebody's name
    /// that begins like this machine's would count as it.
    static func name(in header: String) -> String? {
        guard header.hasPrefix("[") else {
            let name = header.prefix { $0 != ":" }
            return !name.isEmpty && isPort(header[name.endIndex...]) ? String(name) : nil
        }
        guard let end = header.firstIndex(of: "]") else { return nil }
        let name = header[..<end].dropFirst()
        return name.contains(":") && isPort(header[end...].dropFirst()) ? String(name) : nil
    }

    /// RFC 3986 lets a port have no digits.
    private static func isPort(_ rest: Substring) -> Bool {
        rest.isEmpty || rest.first == ":" && rest.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }
}
