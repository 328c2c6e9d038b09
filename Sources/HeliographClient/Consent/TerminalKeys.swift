internal import Consent
internal import ConsentKeys

/// This terminal's own keys, and the hosts that trust them: `terminal-keys.json` and `hosts.json` beside `client.json`, readable by their
/// owner only (see `PrivateKeys` and `HostBook`).
struct TerminalKeys: Sendable {
    private let keys: PrivateFile
    private let hosts: PrivateFile

    init(_ options: ClientOptions) {
        let beside = ClientFile(options).path
        let folder = beside.lastIndex(of: "/").map { String(beside[...$0]) } ?? ""
        keys = PrivateFile(path: folder + "terminal-keys.json")
        hosts = PrivateFile(path: folder + "hosts.json")
    }

    /// The keys; nil if this terminal has never joined a host.
    func identity() throws(ClientError) -> ConsentIdentity? {
        guard let bytes = try keys.read(bytesMax: PrivateKeys.fileBytesMax) else { return nil }
        do throws(ConsentError) { return try PrivateKeys(parsing: bytes).identity } catch {
            throw ClientError(
                .failed, "\(keys.path) is not as this program writes it: \(error)",
                advice: "Remove it, and have each host trust this terminal again: heliograph host trust, there.")
        }
    }

    /// The keys, created the first time.
    func identityToJoin() throws(ClientError) -> ConsentIdentity {
        try keys.alone { () throws(ClientError) in
            if let known = try identity() { return known }
            let made = PrivateKeys()
            try keys.write(made.bytes + [10])
            return made.identity
        }
    }

    // MARK: - Hosts

    func book() throws(ClientError) -> HostBook {
        guard let bytes = try hosts.read(bytesMax: HostBook.fileBytesMax) else { return HostBook() }
        do throws(ConsentError) { return try HostBook(parsing: bytes, .openSSL) } catch {
            throw ClientError(
                .failed, "\(hosts.path) is not as this program writes it: \(error)",
                advice: "Remove it, and have each host trust this terminal again: heliograph host trust, there.")
        }
    }

    /// The keys and hosts. Throws if no host trusts this terminal.
    func trusted() throws(ClientError) -> (identity: ConsentIdentity, book: HostBook) {
        let book = try book()
        guard let identity = try identity(), !book.hosts.isEmpty else {
            throw ClientError(.notFound, "no host trusts this terminal", advice: "heliograph trust LINK")
        }
        return (identity, book)
    }

    func pin(_ host: HostPin) throws(ClientError) {
        try change { book throws(ClientError) in
            do throws(ConsentError) { try book.pin(host) } catch { throw ClientError(.refused, error.message) }
        }
    }

    /// Records that the host seals: from then on this terminal sends it nothing unsealed, and nothing with an older key.
    func remember(_ host: KeyID, sealsAs name: String, in epoch: EpochNumber) throws(ClientError) {
        try change { book throws(ClientError) in book.seals(host, as: name, in: epoch) }
    }

    /// The count for the next signed command. It is on disk before this returns, so that no two commands ever have the same.
    func nextCount() throws(ClientError) -> Int64 {
        try change { book throws(ClientError) in book.nextCount() }
    }

    private func change<Result>(_ body: (inout HostBook) throws(ClientError) -> Result) throws(ClientError) -> Result {
        try hosts.alone { () throws(ClientError) in
            var book = try book()
            let result = try body(&book)
            try hosts.write(book.bytes + [10])
            return result
        }
    }
}
