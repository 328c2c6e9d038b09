/// Arguments that a star does not take, because with them a program runs another one, or writes a file, that nobody sees in the pattern.
///
/// The list names what is known; a program that is not in it takes what its star says. Options are compared as programs read them:
/// abbreviated, with a value behind `=`, and in clusters.
enum StarLimits {
    private struct Limits {
        var long: [String] = []
        /// Letters of options with one dash.
        var short = ""
        /// Whole words, mostly subcommands.
        var words: Set<String> = []
        /// The first argument must not be an option: those of interpreters are programs, or where one is.
        var isInterpreter = false
        /// It has no argument that contains this.
        var parts: [String] = []
    }

    /// True if a star may take these words, which keep their places in the command.
    static func take(_ words: ArraySlice<ShellWord>, of program: String) -> Bool {
        let name = ExactPrograms.baseName(program)
        // `python3.12` is a Python.
        let plain = String(name.prefix { !"0123456789.".contains($0) })
        guard let limits = table[name] ?? table[plain] else { return true }
        // An unknown word may be any option.
        guard words.allSatisfy(\.isKnown) else { return false }
        if limits.isInterpreter, words.startIndex <= 1 {
            guard let first = words.first, !first.text.hasPrefix("-"), first.text != "" else { return false }
        }
        return words.allSatisfy { isHarmless($0.text, limits) }
    }

    private static func isHarmless(_ word: String, _ limits: Limits) -> Bool {
        if limits.words.contains(word) || limits.parts.contains(where: { Wrappers.contains(word, $0) }) { return false }
        guard word.hasPrefix("-") else { return true }
        let name = String(word.drop { $0 == "-" }.prefix { $0 != "=" })
        // One dash or two: some programs take either.
        if limits.long.contains(where: { $0 == name || (name.count > 1 && $0.hasPrefix(name)) }) { return false }
        return word.hasPrefix("--") || !word.dropFirst().contains { limits.short.contains($0) }
    }

    private static let interpreter = Limits(isInterpreter: true)
    private static let table: [String: Limits] = {
        var table: [String: Limits] = [
            "git": Limits(
                long: [
                    "exec", "exec-path", "config-env", "config", "upload-pack", "receive-pack", "open-files-in-pager", "extcmd",
                    "ext-diff", "output", "output-directory", "template", "git-dir", "work-tree", "textconv", "paginate", "run",
                    "gpg-sign", "tool", "to-command", "separate-git-dir", "strategy", "editor", "edit", "reference",
                ], short: "cCxOu",
                words: [
                    "config", "bisect", "submodule", "filter-branch", "difftool", "mergetool", "hook", "send-email", "daemon",
                    "fast-import", "merge-index", "citool", "gui", "quiltimport", "maintenance", "credential", "instaweb",
                    "web--browse", "help", "foreach", "shell", "p4",
                    "svn", "cvsserver", "upload-pack", "receive-pack", "remote-ext", "remote-fd",
                ], parts: ["::"]),
            "find": Limits(words: ["-delete", "-fprint", "-fprint0", "-fprintf", "-fls", "-files0-from"]),
            "fd": Limits(long: ["exec", "exec-batch"], short: "xX"),
            "fdfind": Limits(long: ["exec", "exec-batch"], short: "xX"),
            "rg": Limits(long: ["pre", "hostname-bin", "search-zip"], short: "z"),
            "ag": Limits(long: ["pager"]), "ack": Limits(long: ["pager", "ackrc", "env"]),
            "bat": Limits(long: ["pager", "paging", "config-file"]),
            "sort": Limits(long: ["output", "compress-program", "files0-from"], short: "oT"),
            "zip": Limits(long: ["unzip-command"], short: "T"),
            "curl": Limits(
                long: [
                    "output", "output-dir", "remote-name", "remote-name-all", "config", "dump-header", "cookie-jar", "trace",
                    "trace-ascii", "stderr", "upload-file", "data", "form", "engine", "unix-socket", "libcurl", "etag-save",
                ], short: "oOKDcTdF"),
            "wget": Limits(
                long: [
                    "output-document", "output-file", "use-askpass", "config", "execute", "append-output", "directory-prefix",
                    "post-file", "body-file", "rejected-log",
                ], short: "OoeaPi"),
            "make": Limits(
                long: ["eval", "file", "makefile", "directory", "include-dir", "environment-overrides"], short: "fCIEe",
                parts: ["="]),
            "ninja": Limits(short: "fC"), "cmake": Limits(short: "EPC"),
            "npm": Limits(
                long: [
                    "script-shell", "prefix", "userconfig", "globalconfig", "node-options", "call", "shell", "editor", "git",
                    "viewer", "workspace-root", "ignore-scripts", "cwd", "dir",
                ], short: "cC",
                words: ["exec", "x", "explore", "config", "set", "c", "edit", "init", "create", "innit"]),
            "cargo": Limits(long: ["config", "manifest-path"], short: "ZC", words: ["install", "script"]),
            "go": Limits(
                long: ["exec", "toolexec", "overlay", "ldflags", "gcflags", "vettool", "o", "C", "modfile", "exec-path"],
                short: "C",
                words: ["generate", "env", "tool"]),
            "swift": Limits(long: ["package-path", "toolset"], short: "X", words: ["repl", "-"]),
            "test": Limits(words: ["-v", "-R"], parts: ["["]), "[": Limits(words: ["-v", "-R"], parts: ["["]),
            "gh": Limits(words: ["alias", "extension", "config", "ssh"]), "date": Limits(long: ["set"], short: "s"),
            "jq": Limits(long: ["from-file", "library-path"], short: "fL"), "yq": Limits(long: ["inplace"], short: "i"),
            "tree": Limits(short: "o"), "diff": Limits(long: ["output"]), "uniq": Limits(), "xxd": Limits(short: "r"),
            "cd": Limits(), "pushd": Limits(), "popd": Limits(),
        ]
        table["pnpm"] = table["npm"]
        table["yarn"] = table["npm"]
        table["bun"] = table["npm"]
        table["gmake"] = table["make"]
        for name in ["python", "python2", "python3", "node", "ruby", "perl", "php", "lua", "deno", "Rscript", "julia", "tclsh"]
        {
            table[name] = interpreter
        }
        return table
    }()
}
