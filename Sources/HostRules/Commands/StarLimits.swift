/// The words that a star matches: names, numbers and relative paths of plain letters.
///
/// Everything else is asked about: options, absolute, hidden and upward paths, what shows itself as an address, assignments, and
/// words that the shell would change. Among those are the ways in which programs run other programs, or write files, that nobody sees in a pattern.
enum StarLimits {
    /// True if a star may match these words, whose indices are those in the command.
    static func take(_ words: ArraySlice<ShellWord>, of program: String) -> Bool {
        guard words.allSatisfy({ $0.isKnown && isPlain($0.text) }) else { return false }
        // Without a script these programs run their input.
        if isInterpreter(program), words.startIndex <= 1, words.isEmpty { return false }
        if launches(words, of: program) { return false }
        let runners = runners[ExactPrograms.baseName(program)] ?? runners[unversioned(program)] ?? []
        return words.allSatisfy { !runners.contains($0.text) }
    }

    static func isInterpreter(_ program: String) -> Bool { interpreters.contains(unversioned(program)) }

    /// The name without a version: `python3.12` is a Python.
    private static func unversioned(_ program: String) -> String {
        String(ExactPrograms.baseName(program).prefix { !"0123456789.".contains($0) })
    }

    /// True if one of these words makes the program run the words behind it as a command.
    static func launches(_ words: ArraySlice<ShellWord>, of program: String) -> Bool {
        launchers[ExactPrograms.baseName(program)].map { names in words.contains { names.contains($0.text) } } ?? false
    }

    private static func isPlain(_ word: String) -> Bool {
        if word == "." || word == "./..." { return true }
        guard !isAddress(word), !RuleSubject.isOwn(word) else { return false }
        // True at the beginning of a name: at the start, and after a slash or a colon.
        var isBeginning = true
        for byte in word.utf8 {
            let isLetter = byte.isLetterOrDigit || byte == 95
            if isBeginning {
                guard isLetter else { return false }
                isBeginning = false
            } else if byte == UInt8(ascii: "/") || byte == UInt8(ascii: ":") {
                isBeginning = true
            } else if !isLetter, !".-+~^@,".utf8.contains(byte) {
                return false
            }
        }
        return !isBeginning || word.hasSuffix("/")
    }

    /// True for `me@host:path`, `host.example:path`, `module/name@version`, `module.example@version`, `host.example/path`,
    /// `github:owner/name` and `npm:name`. A host alone, and `owner/name`, look like files.
    private static func isAddress(_ word: String) -> Bool {
        let bytes = Array(word.utf8)
        let (slash, at) = (bytes.firstIndex(of: UInt8(ascii: "/")), bytes.firstIndex(of: UInt8(ascii: "@")))
        let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        func hasDot(before end: Int) -> Bool { bytes[..<end].contains(UInt8(ascii: ".")) }
        if let at, bytes[at...].contains(UInt8(ascii: ":")) || bytes[..<at].contains(UInt8(ascii: "/")) || hasDot(before: at) {
            return true
        }
        if let colon, colon < slash ?? bytes.count,
            hasDot(before: colon) || schemes.contains(String(decoding: bytes[..<colon], as: UTF8.self).lowercased())
        {
            return true
        }
        guard let slash else { return false }
        if hasDot(before: slash) { return true }
        // `HEAD~2:src/a` is a file of Git's.
        return colon.map { $0 < slash && !bytes.starts(with: Array("HEAD".utf8)) } ?? false
    }

    /// Words before a colon by which package managers know a source.
    private static let schemes: Set<String> = [
        "npm", "jsr", "http", "https", "git", "ssh", "file", "data", "github", "gist", "gitlab", "bitbucket", "link", "portal",
        "path", "flake", "oci", "docker",
    ]

    private static let interpreters: Set<String> = [
        "python", "node", "ruby", "perl", "php", "lua", "deno", "bun", "Rscript", "julia", "tclsh", "nodejs", "pypy", "ipython",
        "irb", "R", "octave", "guile", "ghci", "jshell", "groovy", "iex", "erl", "tsx",
    ]

    /// Words behind which a program takes a command. What such a pattern's star takes is not what its owner sees.
    private static let launchers: [String: Set<String>] = [
        "npm": ["exec", "x"], "pnpm": ["exec", "dlx"], "yarn": ["exec", "dlx"], "bun": ["x"], "uv": ["run", "tool", "x"],
        "poetry": ["run"], "pipenv": ["run"], "pdm": ["run"], "rye": ["run"], "hatch": ["run"], "bundle": ["exec"],
        "nix": ["shell", "develop"], "conda": ["run"], "mamba": ["run"], "mise": ["exec", "x"], "asdf": ["exec"],
        "rustup": ["run"],
        "git": ["bisect"], "gem": ["exec"], "composer": ["exec"], "mix": ["cmd"], "dotnet": ["exec", "tool"],
    ]

    /// Words, mostly subcommands, that make a program run other words, or change what it runs later.
    private static let runners: [String: Set<String>] = {
        let packages: Set<String> = [
            "exec", "x", "dlx", "node", "explore", "config", "set", "c", "edit", "init", "create", "innit", "link", "patch",
        ]
        return [
            "git": [
                "config", "bisect", "submodule", "filter-branch", "difftool", "mergetool", "hook", "send-email", "daemon",
                "fast-import", "merge-index", "citool", "gui", "quiltimport", "maintenance", "credential", "instaweb",
                "web--browse", "help", "foreach", "shell", "p4",
                "svn", "cvsserver", "upload-pack", "receive-pack", "remote-ext", "remote-fd",
            ],
            "npm": packages, "pnpm": packages, "yarn": packages, "bun": packages,
            "deno": ["eval", "repl", "x", "install", "jupyter"],
            "find": ["-delete", "-fprint", "-fprint0", "-fprintf", "-fls", "-files0-from"],
            "cargo": ["install", "script"], "go": ["generate", "env", "tool"], "swift": ["repl"],
            "gh": ["alias", "extension", "config", "ssh"],
        ]
    }()
}
