/// Warnings about a file that is written.
enum PathRisks {
    static let delicate = "Changes a file that decides what runs or who gets in, or that often holds secrets."

    /// Warnings about a written path. `folder`: the session's folder, as paths are written and as people see it.
    static func sentences(_ path: String, folder: (path: String, shown: String)?) -> [String] {
        var found = isDelicate(path) ? [delicate] : []
        if let folder, isOutside(path, of: folder.path) { found.append("Outside the session's folder, \(folder.shown).") }
        return found
    }

    /// True if writing to this path overwrites a disk.
    static func isDisk(_ path: String) -> Bool {
        ["sd", "nvme", "disk", "hd", "vd", "mmcblk"].contains { path.hasPrefix("/dev/" + $0) }
    }

    /// Files that decide what runs or who gets in, or that often hold secrets.
    static func isDelicate(_ path: String) -> Bool {
        if path.hasPrefix("/etc/") { return true }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let last = parts.last else { return false }
        let folders = parts.dropLast()
        let names: Set<String> = [
            ".env", "authorized_keys", ".bashrc", ".bashenv", ".bash_profile", ".zshrc", ".zshenv", ".zsh_profile", ".profile",
            ".zprofile", ".npmrc", ".netrc", "crontab",
        ]
        if names.contains(last) || last.hasPrefix(".env.") { return true }
        if folders.contains(where: { [".ssh", ".aws", ".kube"].contains($0) }) { return true }
        if parts.contains(where: { $0.hasPrefix("sudoers") }) { return true }
        let within = zip(folders, folders.dropFirst())
        let holders: Set<String> = [".git/hooks", ".claude/hooks", ".github/workflows"]
        if within.contains(where: { holders.contains("\($0)/\($1)") }) { return true }
        return (folders.last == ".git" && last == "config") || (folders.last == ".claude" && last.hasPrefix("settings"))
    }

    private static func isOutside(_ path: String, of folder: String) -> Bool {
        var root = folder[...]
        while root.count > 1, root.hasSuffix("/") { root.removeLast() }
        let leavesByDots = path.split(separator: "/", omittingEmptySubsequences: false).contains("..")
        if leavesByDots { return true }
        guard path.hasPrefix("/") || path.hasPrefix("~") else { return false }
        return root == "/" ? !path.hasPrefix("/") : !path.hasPrefix(root + "/")
    }
}
