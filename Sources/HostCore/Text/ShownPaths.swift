/// Shows paths in their usual short form: relative within the project, with `~` within the home directory.
package struct ShownPaths: Sendable {
    package var home: String
    package var workingDirectory: String?

    package init(home: String, workingDirectory: String? = nil) {
        self.home = home
        self.workingDirectory = workingDirectory
    }

    package func short(_ path: String) -> String {
        if let workingDirectory, let rest = Self.rest(of: path, below: workingDirectory) { return rest }
        return tilde(path)
    }

    package func tilde(_ path: String) -> String {
        if path == home { return "~" }
        guard let rest = Self.rest(of: path, below: home) else { return path }
        return "~/" + rest
    }

    /// The whole path, if `tilde` shortens it; else nil.
    package func full(_ path: String) -> String? { tilde(path) == path ? nil : path }

    package static func last(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    private static func rest(of path: String, below directory: String) -> String? {
        guard directory.count > 1, path.hasPrefix(directory + "/") else { return nil }
        return String(path.dropFirst(directory.count + 1))
    }
}
