/// Imports that agree with `Package.swift`, and a few habits that a reader should be able to count on.
struct Layering {
    /// Modules without clock, randomness, input or output: they may not even see them.
    static let pure: Set<String> = [
        "APNsSimulator", "AgentACP", "AgentClaude", "AgentCodex", "AgentLocal", "ChannelAPNs", "ChannelWeb", "Consent",
        "DeviceConsent", "HeliographLink", "HostCore", "HostRules", "PageBundle", "PushPlanner", "RelayCluster", "RelayCore",
        "RelayModel", "RelayNode", "RelayProtocol", "RelaySimulation",
    ]

    /// Modules below `Tests/` that are no tests: they measure the product, or play the world around it, by the same rules.
    static let tools: Set<String> = [
        "APNsSimulator", "APNsSimulatorServer", "HeliographBench", "RelaySimulation", "heliograph-apns-simulator",
        "heliograph-bench", "heliograph-simulate",
    ]

    /// Imports that need no declaration: the platform of apps, SwiftPM's own, and modules that come with a declared product. The
    /// simulator decodes a Live Activity, which nothing but `JSONDecoder` does.
    static let undeclared: [String: Set<String>] = [
        "APNsSimulator": ["FoundationEssentials"], "EmbedFilesPlugin": ["PackagePlugin"],
        "HeliographKit": ["CryptoKit", "FoundationNetworking", "Security", "UserNotifications"],
        "HeliographServer": ["CoreMetrics"],
        "LiveActivityKit": [
            "ActivityKit", "AppIntents", "CryptoKit", "FoundationNetworking", "Security", "SwiftUI", "UserNotifications",
            "WidgetKit",
        ],
    ]

    /// Dependencies that no file imports: declared to pin the version of what another package brings, or to be linked.
    static let pins: [String: Set<String>] = ["HeliographBench": ["Numerics"], "heliograph": ofC]
    /// Modules of C source alone.
    static let ofC: Set<String> = ["CHeliographICUData"]

    /// Modules of the toolchain.
    static let platform: Set<String> = ["Dispatch", "Foundation", "FoundationEssentials", "Glibc", "Synchronization"]

    /// A C library is one module's business, also in tests.
    static let soleImporters = [
        "CLibFuzzer": "Fuzz", "CHeliographLibwebsockets": "WebSocketEngine",
        "CHeliographNghttp2": "HeliographHTTP2",
        "CHeliographOpenSSL": "HeliographCrypto", "CHeliographQREncode": "HeliographQRCode",
        "CHeliographZlib": "HeliographZlib",
    ]

    /// Within a module that may import it: everything else there goes by the ports.
    static let soleFolders = [
        "StoreSQLite": "Sources/HeliographServer/Storage/", "StorePostgres": "Sources/HeliographServer/Storage/",
    ]

    /// Past this a file holds more than one thing.
    static let fileLinesMax = 600

    /// Folders of the machine that something was written on; a program that names one runs nowhere else.
    static let personalFolders = ["/home/", "/opt/", "/root/", "/Users/", "/work/"]

    let manifest: Manifest

    /// Every breach, as `path:line: sentence`.
    func breaches(in files: [SourceFile]) -> [String] {
        files.sorted { $0.path < $1.path }.flatMap(breaches(in:))
    }

    /// Dependencies that `Package.swift` declares and no file of their target imports.
    func unused(in files: [SourceFile]) -> [String] {
        var imports: [String: Set<String>] = [:]
        for file in files where file.isSwift {
            guard let target = manifest.target(of: file) else { continue }
            imports[target.name, default: []].formUnion(file.lines.compactMap(Self.importedModule))
        }
        return manifest.targets.flatMap { target in
            let unused = target.dependencies.subtracting(imports[target.name] ?? []).subtracting(Self.pins[target.name] ?? [])
            return unused.sorted().map { "Package.swift: \(target.name) does not import \($0)" }
        }
    }

    private func breaches(in file: SourceFile) -> [String] {
        let target = file.isSwift ? manifest.target(of: file) : nil
        var found: [String] = []
        for (offset, line) in file.lines.enumerated() {
            for sentence in breaches(in: line, of: file, target) + Self.habitBreaches(at: offset, in: file) {
                found.append("\(file.path):\(offset + 1): \(sentence)")
            }
        }
        if file.lines.count > Self.fileLinesMax {
            found.append("\(file.path):\(file.lines.count): more than \(Self.fileLinesMax) lines: split it by what it holds")
        }
        return found
    }

    private func breaches(in line: Substring, of file: SourceFile, _ target: Manifest.Target?) -> [String] {
        guard file.isSwift, let imported = Self.importedModule(in: line) else { return [] }
        if let owner = Self.soleImporters[imported], owner != file.module { return ["only \(owner) imports \(imported)"] }
        guard let target else { return file.isSource ? ["no target of Package.swift has this file"] : [] }
        if file.isSource, let folder = Self.soleFolders[imported], !file.path.hasPrefix(folder) {
            return ["only \(folder) imports \(imported)"]
        }
        if target.dependencies.union(Self.undeclared[target.name] ?? []).contains(imported) { return [] }
        if Self.platform.contains(imported) {
            return Self.pure.contains(target.name) ? ["\(target.name) is pure: it may not import \(imported)"] : []
        }
        if imported == "Testing", !file.isSource { return [] }
        return ["\(target.name) may not import \(imported): Package.swift does not declare it"]
    }

    private static func habitBreaches(at offset: Int, in file: SourceFile) -> [String] {
        guard file.isSource else { return [] }
        let line = file.lines[offset]
        var found: [String] = []
        for folder in personalFolders where line.contains("\"\(folder)") || line.contains("'\(folder)") {
            found.append("\(folder)… is a folder of one machine")
        }
        // The keyword stands apart in its source here, or this very line would need an invariant.
        let unchecked = ["@unchecked " + "Sendable", "nonisolated" + "(unsafe)"]
        if file.isSwift, unchecked.contains(where: { line.contains($0) }), !isCommented(offset, in: file) {
            found.append("say in a comment why this is safe")
        }
        return found
    }

    /// A comment on the line itself or right above the declaration it begins.
    private static func isCommented(_ offset: Int, in file: SourceFile) -> Bool {
        if file.lines[offset].contains("//") { return true }
        var above = offset - 1
        while above >= 0, file.lines[above].drop(while: \.isWhitespace).hasPrefix("@") { above -= 1 }
        return above >= 0 && file.lines[above].drop(while: \.isWhitespace).hasPrefix("//")
    }

    /// The module of an `import` line, whatever attribute, access level or kind stands with it. An indented line is a literal's.
    static func importedModule(in line: Substring) -> String? {
        guard line.first?.isWhitespace == false else { return nil }
        var words = line.split(whereSeparator: \.isWhitespace)
        let leading: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
        while let word = words.first, word.hasPrefix("@") || leading.contains(word) { words.removeFirst() }
        guard words.count >= 2, words[0] == "import" else { return nil }
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor"]
        let named = kinds.contains(words[1]) && words.count > 2 ? words[2] : words[1]
        return named.split(separator: ".").first.map(String.init)
    }
}
