/// Imports that each module may have, and a few habits that a reader should be able to count on.
struct Layering {
    /// Imports that a module may have besides the platform.
    struct Module {
        var imports: Set<String>
        /// A pure module has no clock, no randomness, no input or output: it may not even see them.
        var isPure = false
    }

    /// The whole graph, from the command inwards. An import that is not here is a decision: make it in review.
    static let modules: [String: Module] = [
        "heliograph": Module(imports: [
            "HeliographServer", "HeliographHost", "HeliographHook", "HeliographClient", "RelayAccess",
            "WebSocketEngine",
            "HeliographPlatform", "HeliographQRCode", "ChannelAPNs", "PushPlanner", "RelayCore",
            "RelayProtocol",
            "ArgumentParser", "Logging",
        ]),
        "HeliographServer": Module(imports: [
            "ChannelAPNs", "ChannelWeb", "PushPlanner", "RelayAccess", "RelayCluster", "RelayCore", "RelayModel",
            "RelayNode", "RelayProtocol",
            "RelayStore",
            "StorePostgres", "StoreSQLite",
            "WebSocketEngine", "PushAPNs", "PushWeb", "HeliographCrypto", "HeliographQRCode",
            "HeliographPlatform", "HeliographZlib",
            "Logging",
            "Metrics",
            "CoreMetrics",
        ]),
        "HeliographHost": Module(imports: [
            "AgentACP", "AgentClaude", "AgentCodex", "AgentLocal", "Consent", "ConsentKeys", "HeliographHook", "HostCore",
            "HostRules", "HeliographLink",
            "RelayProtocol",
            "RelayAccess", "WebSocketEngine",
            "HeliographCrypto", "HeliographPlatform", "CHeliographLinux",
            "Logging",
        ]),
        // This module may need no library: its imports count for `heliograph-hook`.
        "HeliographHook": Module(imports: ["AgentClaude", "RelayProtocol", "HeliographPlatform"]),
        "heliograph-hook": Module(imports: ["HeliographHook"]),
        "HeliographClient": Module(imports: [
            "Consent", "ConsentKeys", "DeviceConsent", "HeliographLink", "HeliographPlatform", "RelayProtocol", "RelayAccess",
            "WebSocketEngine", "HeliographCrypto", "Logging",
        ]),
        "RelayAccess": Module(imports: [
            "HeliographLink", "RelayProtocol", "WebSocketEngine", "HeliographCrypto", "HeliographPlatform", "Logging",
        ]),
        "RelayStore": Module(imports: [
            "Consent", "ConsentKeys", "RelayCore", "RelayModel", "RelayProtocol", "HeliographCrypto", "HeliographZlib",
        ]),
        "StorePostgres": Module(imports: [
            "RelayStore", "RelayCluster", "RelayCore", "RelayModel", "RelayProtocol", "HeliographPostgreSQL",
            "HeliographPlatform",
        ]),
        "StoreSQLite": Module(imports: [
            "RelayStore", "RelayCore", "RelayModel", "RelayProtocol", "HeliographPlatform", "GRDB", "GRDBSQLite",
        ]),
        "WebSocketEngine": Module(imports: [
            "CHeliographLibwebsockets", "CHeliographLinux", "HeliographCrypto", "HeliographPlatform", "DequeModule", "Logging",
        ]),
        "HeliographPlatform": Module(imports: []),
        "HeliographCrypto": Module(imports: ["CHeliographOpenSSL"]),
        // The keys of a process, by OpenSSL.
        "ConsentKeys": Module(imports: ["Consent", "HeliographCrypto", "RelayProtocol"]),
        "HeliographHTTP2": Module(imports: ["CHeliographNghttp2", "HeliographCrypto", "HeliographPlatform"]),
        "PushAPNs": Module(imports: [
            "ChannelAPNs", "RelayProtocol", "HeliographHTTP2", "HeliographCrypto", "HeliographPlatform",
        ]),
        "PushWeb": Module(imports: ["HeliographHTTP2", "HeliographCrypto", "HeliographPlatform"]),
        // Declares the functions of libpq that it calls, and loads the library when needed.
        "HeliographPostgreSQL": Module(imports: []),
        "HeliographQRCode": Module(imports: ["CHeliographQREncode"]),
        "HeliographZlib": Module(imports: ["CHeliographZlib"]),
        "RelayCore": Module(imports: ["PushPlanner", "RelayModel", "RelayProtocol"], isPure: true),
        "PushPlanner": Module(imports: ["RelayModel", "RelayProtocol"], isPure: true),
        // Above the planner, which knows the port and none of its channels.
        "ChannelAPNs": Module(imports: ["PushPlanner", "RelayProtocol"], isPure: true),
        "ChannelWeb": Module(imports: ["PushPlanner", "RelayProtocol"], isPure: true),
        "RelayModel": Module(imports: ["RelayProtocol"], isPure: true),
        "RelayCluster": Module(imports: ["RelayModel", "RelayProtocol"], isPure: true),
        "RelayNode": Module(imports: ["RelayCore", "RelayModel", "RelayProtocol"], isPure: true),
        "AgentClaude": Module(imports: ["HostCore", "RelayProtocol"], isPure: true),
        "AgentACP": Module(imports: ["HostCore", "RelayProtocol"], isPure: true),
        "AgentLocal": Module(imports: ["HostCore", "RelayProtocol"], isPure: true),
        "AgentCodex": Module(imports: ["HostCore", "RelayProtocol"], isPure: true),
        "HostCore": Module(imports: ["Consent", "HeliographLink", "HostRules", "RelayProtocol"], isPure: true),
        "HostRules": Module(imports: ["RelayProtocol"], isPure: true),
        "Consent": Module(imports: ["RelayProtocol"], isPure: true),
        "DeviceConsent": Module(imports: ["Consent", "RelayProtocol"], isPure: true),
        "HeliographLink": Module(imports: ["RelayProtocol"], isPure: true),
        "RelayProtocol": Module(imports: [], isPure: true),
        // It may import the platform of apps, but none of our modules.
        "LiveActivityKit": Module(imports: [
            "ActivityKit", "AppIntents", "CryptoKit", "FoundationNetworking", "Security", "SwiftUI", "UserNotifications",
            "WidgetKit",
        ]),
        "HeliographKit": Module(imports: [
            "Consent", "CryptoKit", "DeviceConsent", "LiveActivityKit", "HeliographLink", "RelayProtocol",
            "FoundationNetworking",
            "Security", "UserNotifications",
        ]),
        "PageBundle": Module(imports: [], isPure: true),
        "EmbedFiles": Module(imports: ["PageBundle"]),
        "EmbedFilesPlugin": Module(imports: ["PackagePlugin"]),
    ]

    /// Modules below `Tests/` that are no tests: what measures the product, and what plays the world around it. They obey the same rules.
    static let tools: [String: Module] = [
        "RelaySimulation": Module(
            imports: [
                "RelayCluster", "RelayCore", "RelayNode", "ChannelAPNs", "ChannelWeb", "PushPlanner", "RelayModel", "AgentACP",
                "AgentClaude", "AgentCodex", "AgentLocal", "Consent", "DeviceConsent", "HostCore", "HostRules",
                "HeliographLink", "RelayProtocol",
            ],
            isPure: true),
        "heliograph-simulate": Module(imports: ["RelaySimulation", "ArgumentParser"]),
        "heliograph-bench": Module(imports: [
            "HeliographBench", "RelayAccess", "RelayProtocol", "WebSocketEngine", "ArgumentParser",
        ]),
        "heliograph-apns-simulator": Module(imports: [
            "APNsSimulator", "APNsSimulatorServer", "RelayProtocol", "ArgumentParser", "Logging",
        ]),
        "HeliographBench": Module(imports: [
            "RelayProtocol", "RelayAccess", "HeliographCrypto", "HeliographPlatform", "CHeliographLinux", "Histogram",
        ]),
        // FoundationEssentials for `JSONDecoder` alone: a Live Activity is decoded by nothing else.
        "APNsSimulator": Module(imports: ["RelayProtocol", "FoundationEssentials"], isPure: true),
        "APNsSimulatorServer": Module(imports: [
            "APNsSimulator", "RelayProtocol", "HeliographHTTP2", "HeliographCrypto", "WebSocketEngine", "Logging",
        ]),
    ]

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

    /// Every breach, as `path:line: sentence`.
    static func breaches(in files: [SourceFile]) -> [String] {
        files.sorted { $0.path < $1.path }.flatMap(breaches(in:))
    }

    private static func breaches(in file: SourceFile) -> [String] {
        var found: [String] = []
        for (offset, line) in file.lines.enumerated() {
            for sentence in breaches(in: line, of: file) + habitBreaches(at: offset, in: file) {
                found.append("\(file.path):\(offset + 1): \(sentence)")
            }
        }
        if file.lines.count > fileLinesMax {
            found.append("\(file.path):\(file.lines.count): more than \(fileLinesMax) lines: split it by what it holds")
        }
        return found
    }

    private static func breaches(in line: Substring, of file: SourceFile) -> [String] {
        guard file.isSwift, let imported = importedModule(in: line) else { return [] }
        if let owner = soleImporters[imported], owner != file.module {
            return ["only \(owner) imports \(imported)"]
        }
        guard file.isSource else { return [] }
        guard let module = modules[file.module] ?? tools[file.module] else {
            return ["module \(file.module) has no place in Layering.modules yet: give it one"]
        }
        if let folder = soleFolders[imported], !file.path.hasPrefix(folder) { return ["only \(folder) imports \(imported)"] }
        if module.imports.contains(imported) { return [] }
        if platform.contains(imported) {
            return module.isPure ? ["\(file.module) is pure: it may not import \(imported)"] : []
        }
        return ["\(file.module) may not import \(imported)"]
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

    /// The module of an `import` line, whatever attribute, access level or kind stands with it.
    static func importedModule(in line: Substring) -> String? {
        var words = line.split(whereSeparator: \.isWhitespace)
        let leading: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
        while let word = words.first, word.hasPrefix("@") || leading.contains(word) { words.removeFirst() }
        guard words.count >= 2, words[0] == "import" else { return nil }
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor"]
        let named = kinds.contains(words[1]) && words.count > 2 ? words[2] : words[1]
        return named.split(separator: ".").first.map(String.init)
    }
}
