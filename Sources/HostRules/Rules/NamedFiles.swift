internal import RelayProtocol

/// The files that a call may name, in its command's words or its input's texts. For rules that deny or ask.
struct NamedFiles {
    /// Folders in which the words may be meant.
    private static let basesMax = 8
    private static let pathsMax = 1_024
    /// Paths whose links are resolved; each may take the host some milliseconds.
    private static let looksMax = 64

    private struct Path: Hashable {
        var text: String
        /// True if everything below it may be meant, too.
        var isWhole: Bool
    }

    private var paths: Set<Path> = []
    /// True if the call may name files that cannot be told.
    private var isUnclear = false
    private var bases: [String]

    private init(_ call: RuleCall) {
        bases = [call.folder, call.present].compactMap { $0.map(RulePath.normalized) }
        if bases.isEmpty { isUnclear = true }
    }

    init(_ runs: ProgramRuns, _ call: RuleCall, look: (String) -> String?) {
        self.init(call)
        let all = runs.runs + runs.possible
        // A script, a patch or a list that is not seen may name any file.
        if runs.isUnclear || all.contains(where: { $0.runsUnseen || $0.mayRunInput || $0.hasCode || FileLists.reads($0) }) {
            isUnclear = true
        }
        for run in all { move(run, isRepeated: runs.hasLoop, call) }
        for run in all {
            let words = run.words.dropFirst() + run.assignments
            let isWhole = FolderReaders.readsBelow(run)
            if isWhole, FolderReaders.readsPresentFolder(run) { for base in bases { add(base, isWhole: true, call) } }
            for word in words { add(word, isWhole: isWhole, call) }
            for piece in run.words.flatMap(\.pieces) { add(piece, isWhole: isWhole, call) }
        }
        for word in runs.redirections { add(word, isWhole: false, call) }
        resolve(look)
    }

    init(_ input: ToolInput, _ call: RuleCall, look: (String) -> String?) {
        self.init(call)
        if input.isUnclear { isUnclear = true }
        for text in input.texts { add(ShellWord(text), isWhole: false, call) }
        resolve(look)
    }

    func mayMatch(_ pattern: PathPattern, _ call: RuleCall) -> Bool {
        isUnclear
            || paths.contains {
                pattern.matches($0.text, call, allows: false) || pattern.mayMatch(below: $0.text, isWhole: $0.isWhole, call)
            }
    }

    // MARK: Folders

    /// Options that make a program work in another folder.
    private static let folderOptions = ["-C", "--directory", "--cwd", "--chdir", "--prefix", "--work-tree", "--git-dir"]

    private mutating func move(_ run: ProgramRun, isRepeated: Bool, _ call: RuleCall) {
        if let baseName = run.baseName, RuleSubject.movers.contains(baseName) {
            let targets = run.words.dropFirst().filter { !["-P", "-L", "--"].contains($0.text) }
            guard targets.count <= 1, baseName != "popd", run.assignments.isEmpty else { return isUnclear = true }
            let target = targets.first?.text ?? "~"
            let isRelative = !target.hasPrefix("/") && !target.hasPrefix("~")
            guard !target.hasPrefix("-"), !target.hasPrefix("+"), !isRelative || !isRepeated else { return isUnclear = true }
            return enter(target, call)
        }
        for (option, value) in zip(run.words, run.words.dropFirst()) where Self.folderOptions.contains(option.text) {
            enter(value.text, call)
        }
        for word in run.words.dropFirst() {
            for option in Self.folderOptions where word.text.hasPrefix(option) && word.text != option {
                let value = word.text.dropFirst(option.count)
                enter(String(value.hasPrefix("=") ? value.dropFirst() : value), call)
            }
        }
    }

    private mutating func enter(_ folder: String, _ call: RuleCall) {
        let entered = bases.compactMap { RulePath.absolute(folder, in: $0, home: call.home) }.filter { !bases.contains($0) }
        guard bases.count + entered.count <= Self.basesMax else { return isUnclear = true }
        bases += entered
    }

    // MARK: Paths

    private mutating func add(_ word: ShellWord, isWhole: Bool, _ call: RuleCall) {
        guard word.isKnown else { return isUnclear = true }
        var texts = [word.text] + word.text.split { ":@,=".contains($0) }.map(String.init)
        // A value joined to an option of one letter.
        if word.text.hasPrefix("-"), !word.text.hasPrefix("--") { texts.append(String(word.text.dropFirst(2))) }
        for text in texts where !text.isEmpty && text.utf8.count <= Self.textMax { add(text, isWhole: isWhole, call) }
    }

    /// A longer text is no path; systems take 4,096 bytes.
    private static let textMax = 4_096

    private mutating func add(_ text: String, isWhole: Bool, _ call: RuleCall) {
        for base in bases {
            guard paths.count < Self.pathsMax, let path = RulePath.absolute(text, in: base, home: call.home),
                // Processes show their folders and files there.
                !RulePath.isInside("/proc", path), !RulePath.isInside("/dev/fd", path)
            else { return isUnclear = true }
            paths.insert(Path(text: path, isWhole: isWhole))
        }
    }

    private mutating func resolve(_ look: (String) -> String?) {
        guard !isUnclear else { return }
        let named = paths.filter { $0.text.split(separator: "/").last?.hasPrefix("-") != true }
        guard named.count <= Self.looksMax else { return isUnclear = true }
        for path in named.sorted(by: { $0.text < $1.text }) {
            guard let real = look(path.text) else { return isUnclear = true }
            paths.insert(Path(text: RulePath.normalized(real), isWhole: path.isWhole))
        }
    }
}
