internal import Glibc
internal import HeliographHook
internal import RelayAccess

/// Finds a program as a shell would.
package enum InstalledProgram {
    /// Bytes that are read of the output of `--version`.
    private static let versionBytesMax = 4 << 10

    /// The program's path; nil if it is not on the PATH.
    package static func path(of name: String, environment: (String) -> String? = HostPaths.variable) -> String? {
        let folders = (environment("PATH") ?? "").split(separator: ":")
        return folders.lazy.map { "\($0)/\(name)" }.first { path in
            var facts = stat()
            guard unsafe stat(path, &facts) == 0, unsafe access(path, X_OK) == 0 else { return false }
            return facts.st_mode & S_IFMT == S_IFREG
        }
    }

    /// The first line of the output of `--version`. Blocks until the program has printed it.
    static func version(of name: String) throws(HTTPError) -> String {
        let said = try ChildProcess.run([name, "--version"], input: [], outputBytesMax: versionBytesMax)
        return String(decoding: said.output, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
    }
}
