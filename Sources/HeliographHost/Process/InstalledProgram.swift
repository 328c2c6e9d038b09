internal import Glibc
internal import HeliographHook
internal import RelayAccess

/// A program that is found as a shell would find it.
package enum InstalledProgram {
    /// Output of `--version`.
    private static let versionBytesMax = 4 << 10

    /// Nil if it is not on the PATH.
    package static func path(of name: String, environment: (String) -> String? = HostPaths.variable) -> String? {
        let folders = (environment("PATH") ?? "").split(separator: ":")
        return folders.lazy.map { "\($0)/\(name)" }.first { path in
            var facts = stat()
            guard unsafe stat(path, &facts) == 0, unsafe access(path, X_OK) == 0 else { return false }
            return facts.st_mode & S_IFMT == S_IFREG
        }
    }

    /// The first line of what it says of its version. Blocks until it has.
    static func version(of name: String) throws(HTTPError) -> String {
        let said = try ChildProcess.run([name, "--version"], input: [], outputBytesMax: versionBytesMax)
        return String(decoding: said.output, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
    }
}
