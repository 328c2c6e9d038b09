/// Programs that read the names of files from a file that is not seen, or change files that only a patch names.
enum FileLists {
    private static let options = ["--files-from", "--files0-from", "--pathspec-from-file", "--from-file", "--exclude-from"]

    static func reads(_ run: ProgramRun) -> Bool {
        let words = run.words.dropFirst().map(\.text)
        if words.contains(where: { word in options.contains(where: word.hasPrefix) }) { return true }
        switch run.baseName {
        case "patch": return true
        case "git": return words.contains { ["apply", "am"].contains($0) }
        case "tar", "gtar", "bsdtar": return words.contains { $0.hasPrefix("-T") }
        default: return false
        }
    }
}
