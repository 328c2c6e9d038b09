internal import Glibc
internal import HeliographPlatform
internal import RelayAccess
internal import RelayProtocol

/// `client.json`: `{"relay", "token", "name", "ca"?}`, readable by its owner only.
package struct ClientFile: Sendable {
    static let bytesMax = 64 << 10

    package let path: String

    package init(path: String) { self.path = path }

    package init(_ options: ClientOptions) {
        self.init(path: options.configurationFile ?? Self.folder(options.environment) + "/client.json")
    }

    /// `$XDG_CONFIG_HOME/heliograph`, which must be absolute to count, or `~/.config/heliograph`.
    package static func folder(_ environment: Environment) -> String {
        if let base = environment.nonEmpty("XDG_CONFIG_HOME"), base.hasPrefix("/") { return base + "/heliograph" }
        // Never in the folder that a command is run in: it holds a token.
        return (environment.nonEmpty("HOME") ?? UserRecord.home) + "/.config/heliograph"
    }

    /// Nil if there is none.
    package func read() throws(ClientError) -> Credentials? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw fault("cannot be read")
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw fault("is no file") }
        // A token that others can read is refused, as ssh refuses such a key.
        guard status.st_mode & 0o077 == 0 else {
            throw ClientError(.failed, "others can read \(path)", advice: "chmod 600 \(path)")
        }
        var bytes = [UInt8](repeating: 0, count: Self.bytesMax)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw fault("cannot be read") }
        do throws(WireError) {
            let value = try JSONDocument(parsing: Array(bytes.prefix(count))).root.object()
            let token = try value.string("token")
            guard let relay = RelayAddress(try value.string("relay")), Credentials.isUsable(token) else {
                throw WireError(.badValue, at: "$", "the relay or the token is not valid")
            }
            return Credentials(
                relay: relay, token: token, name: try value.optionalString("name"),
                certificateAuthorityFile: try value.optionalString("ca"))
        } catch {
            throw ClientError(
                .failed, "\(path) is not as it should be: \(error.path): \(error.message)",
                advice: "Pair again with “heliograph login LINK”.")
        }
    }

    /// Replaces it in one step: a crash leaves the old one or the new one.
    package func write(_ credentials: Credentials) throws(ClientError) {
        let bytes =
            JSONWriter.object {
                $0.field("relay", credentials.relay.description)
                $0.field("token", credentials.token)
                $0.field("name", credentials.name)
                $0.field("ca", credentials.certificateAuthorityFile)
            } + [10]
        let whole = try draft(of: bytes)
        guard unsafe rename(whole, path) == 0 else {
            let error = fault("cannot be written")
            unsafe unlink(whole)
            throw error
        }
    }

    /// Throws if it could not be written: a pairing link works once, so that is checked before.
    package func checkWritable() throws(ClientError) {
        // Longer than a pairing's.
        let probe = try draft(of: [UInt8](repeating: 0x20, count: 4 << 10))
        unsafe unlink(probe)
    }

    private func draft(of bytes: [UInt8]) throws(ClientError) -> String {
        try makeFolders()
        let draft = path + ".\(getpid()).new"
        unsafe unlink(draft)
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw fault("cannot be written") }
        let written = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        let isSynced = fchmod(descriptor, 0o600) == 0 && fsync(descriptor) == 0
        close(descriptor)
        guard written == bytes.count, isSynced else {
            let error = fault("cannot be written")
            unsafe unlink(draft)
            throw error
        }
        return draft
    }

    /// - Returns: false if there was none.
    package func remove() throws(ClientError) -> Bool {
        if unsafe unlink(path) == 0 { return true }
        if errno == ENOENT || errno == ENOTDIR { return false }
        throw fault("cannot be removed")
    }

    private func makeFolders() throws(ClientError) {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        var end = path.index(after: path.startIndex)
        while end <= slash {
            let next = path[end...].firstIndex(of: "/") ?? path.endIndex
            if next > slash { break }
            if unsafe mkdir(String(path[..<next]), 0o700) != 0, errno != EEXIST, errno != EROFS, errno != EACCES {
                throw fault("has no folder, and none can be made")
            }
            end = path.index(after: next)
        }
    }

    private func fault(_ what: String) -> ClientError {
        ClientError(.failed, "\(path) \(what): \(unsafe String(cString: strerror(errno)))")
    }
}
