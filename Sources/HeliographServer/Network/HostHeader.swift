/// Parses the name or address in a `Host` header.
enum HostHeader {
    /// The name without brackets and port. Nil if the header is malformed: only a port may follow an address or a name, or a
    /// foreign name that begins like this machine's would be taken for it.
    static func name(in header: String) -> String? {
        guard header.hasPrefix("[") else {
            let name = header.prefix { $0 != ":" }
            return !name.isEmpty && isPort(header[name.endIndex...]) ? String(name) : nil
        }
        guard let end = header.firstIndex(of: "]") else { return nil }
        let name = header[..<end].dropFirst()
        return name.contains(":") && isPort(header[end...].dropFirst()) ? String(name) : nil
    }

    /// RFC 3986 allows a port without digits.
    private static func isPort(_ rest: Substring) -> Bool {
        rest.isEmpty || rest.first == ":" && rest.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }
}
