/// Programs that read or change everything in a folder.
enum FolderReaders {
    private static let names: Set<String> = [
        "rg", "ag", "ack", "find", "fd", "fdfind", "tree", "du", "tar", "gtar", "bsdtar", "zip", "unzip", "7z", "rsync", "scp",
        "cpio",
        "docker", "podman",
    ]
    /// Those that do it with one of these letters as an option.
    private static let letters: [String: String] = [
        "grep": "rR", "egrep": "rR", "fgrep": "rR", "zgrep": "rR", "cp": "rRa", "ls": "R", "rm": "rR", "diff": "r",
        "chmod": "R",
        "chown": "R",
    ]
    private static let longOptions: Set<String> = ["--recursive", "--dereference-recursive", "--archive"]

    static func readsBelow(_ run: ProgramRun) -> Bool {
        guard let name = run.baseName else { return false }
        if names.contains(name) { return true }
        if name == "git" { return run.words.contains { ["grep", "archive"].contains($0.text) } }
        guard let letters = letters[name] else { return false }
        return run.words.dropFirst().contains { word in
            longOptions.contains(word.text)
                || (word.text.hasPrefix("-") && !word.text.hasPrefix("--") && word.text.contains(where: letters.contains))
        }
    }

    /// True if such a run may name no folder, and then means the one it is in.
    static func readsPresentFolder(_ run: ProgramRun) -> Bool {
        let operands = run.words.dropFirst().filter { !$0.text.hasPrefix("-") }.count
        switch run.baseName {
        case "git": return true
        case "docker", "podman": return run.words.contains { ["build", "compose"].contains($0.text) }
        case "find": return run.words.dropFirst().first.map { $0.text.hasPrefix("-") } ?? true
        case "tree", "du", "ls": return operands == 0
        case "unzip": return true
        case "tar", "gtar", "bsdtar": return operands < 2 || extracts(run)
        default: return operands < 2
        }
    }

    /// True if this run of `tar` writes what its archive names.
    private static func extracts(_ run: ProgramRun) -> Bool {
        run.words.dropFirst().enumerated().contains { place, word in
            let isLetters = !word.text.hasPrefix("--") && (place == 0 || word.text.hasPrefix("-"))
            return ["--extract", "--get"].contains(word.text) || (isLetters && word.text.contains("x"))
        }
    }
}
