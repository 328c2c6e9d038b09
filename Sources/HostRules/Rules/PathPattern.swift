/// A pattern of files: `src/**` in the session's folder, `~/notes/*.md`, `//etc/hosts`.
///
/// A star stays within one name, two match folders. To allow, no star matches a name that begins with a dot. To deny or ask, a
/// pattern also covers everything below it, and case is ignored.
package struct PathPattern: Equatable, Sendable {
    private enum Root: Equatable { case folder, home, disk }

    private let root: Root
    private let parts: [Glob]

    init(parsing text: String) throws(RuleError) {
        guard !text.isEmpty else { throw RuleError("the pattern names no file") }
        if text.contains(where: { "?[]{}\\!".contains($0) }) {
            throw RuleError("of `?[]{}\\!` a path's pattern understands none")
        }
        var rest = text[...]
        if rest.hasPrefix("//") {
            root = .disk
            rest = rest.dropFirst(2)
        } else if rest.hasPrefix("~/") {
            root = .home
            rest = rest.dropFirst(2)
        } else {
            guard !rest.hasPrefix("/"), !rest.hasPrefix("~") else {
                throw RuleError("write `//…` for a path from the root of the disk, `~/…`, or a path in the session's folder")
            }
            root = .folder
            if rest.hasPrefix("./") { rest = rest.dropFirst(2) }
        }
        var names = rest.split(separator: "/").filter { $0 != "." }.map(String.init)
        if names.contains("..") { throw RuleError("`..` has no place in a pattern") }
        // As in Claude Code's patterns and Git's, a bare name matches at any depth.
        if root == .folder, names.count == 1, !rest.contains("/"), !text.hasPrefix("./"), names[0] != "**" {
            names.insert("**", at: 0)
        }
        guard !names.isEmpty else { throw RuleError("the pattern names no file") }
        parts = names.map { Glob($0) }
    }

    private static func isDeep(_ part: Glob) -> Bool { part.parts == ["", "", ""] }

    /// `path`: absolute and normalized.
    func matches(_ path: String, _ call: RuleCall, allows: Bool) -> Bool {
        guard let base = base(for: call) else { return false }
        let (path, root) = allows ? (path, base) : (path.lowercased(), base.lowercased())
        guard RulePath.isInside(root, path) else { return false }
        let names = path.dropFirst(root == "/" ? 1 : root.count).split(separator: "/").map(String.init)
        return matches(names[...], parts[...], allows)
    }

    /// True if something below the path may match. `isWhole`: everything below is meant; otherwise a pattern counts only if the path
    /// is on the way to where it begins.
    func mayMatch(below path: String, isWhole: Bool, _ call: RuleCall) -> Bool {
        guard let base = base(for: call) else { return true }
        let (path, start) = (path.lowercased(), base.lowercased())
        if RulePath.isInside(path, start) { return true }
        guard RulePath.isInside(start, path) else { return false }
        let names = path.dropFirst(start == "/" ? 1 : start.count).split(separator: "/").map(String.init)
        for (name, part) in zip(names, parts) {
            if Self.isDeep(part) { return isWhole }
            guard part.matches(name, ignoringCase: true) else { return false }
        }
        return names.count < parts.count
    }

    /// The absolute folder from which the pattern counts; nil if it is the session's, and that is not known.
    private func base(for call: RuleCall) -> String? {
        switch root {
        case .disk: "/"
        case .home: RulePath.normalized(call.home)
        case .folder: call.folder.map(RulePath.normalized)
        }
    }

    private func matches(_ names: ArraySlice<String>, _ parts: ArraySlice<Glob>, _ allows: Bool) -> Bool {
        // Indices of the parts that can match next; each name advances them.
        var states: Set<Int> = [parts.startIndex]
        func spread(_ states: Set<Int>) -> Set<Int> {
            var all = states
            for state in states {
                var next = state
                while next < parts.endIndex, Self.isDeep(parts[next]) {
                    next += 1
                    all.insert(next)
                }
            }
            return all
        }
        states = spread(states)
        for name in names {
            // The content of a denied folder is denied too.
            if !allows, states.contains(parts.endIndex) { return true }
            let isHidden = name.hasPrefix(".")
            var next: Set<Int> = []
            for state in states where state < parts.endIndex {
                let part = parts[state]
                if Self.isDeep(part) {
                    if !allows || !isHidden { next.insert(state) }
                } else if part.matches(name, ignoringCase: !allows), !allows || !isHidden || part.parts[0].hasPrefix(".") {
                    next.insert(state + 1)
                }
            }
            states = spread(next)
            if states.isEmpty { return false }
        }
        return states.contains(parts.endIndex)
    }
}
