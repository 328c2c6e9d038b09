/// Paths in one spelling.
enum RulePath {
    /// The path without `.`, `..`, and doubled slashes. Links are not resolved.
    static func normalized(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    static func expanded(_ path: String, home: String) -> String {
        if path == "~" { return normalized(home) }
        return normalized(path.hasPrefix("~/") ? home + path.dropFirst(1) : path)
    }

    /// The absolute path; nil if it is relative and there is no folder, or if it may be in another user's home.
    static func absolute(_ path: String, in folder: String?, home: String) -> String? {
        if path == "~" || path.hasPrefix("~/") { return expanded(path, home: home) }
        guard !path.hasPrefix("~") else { return nil }
        if path.hasPrefix("/") { return normalized(path) }
        return folder.map { normalized($0 + "/" + path) }
    }

    /// True if the path is in the folder. Both are absolute and normalized.
    static func isInside(_ folder: String, _ path: String) -> Bool {
        folder == "/" || path == folder || path.hasPrefix(folder + "/")
    }
}
