// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is built alike: language mode 6, strict memory safety, imports that say who sees them. In `make check`
/// warnings are errors.
let plain: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .strictMemorySafety(),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (Context.environment["HELIOGRAPH_STRICT"] == "1" ? [.treatAllWarnings(as: .error)] : [])

/// Where Tests/Tools/fuzz.py builds: led by what an input reaches, memory watched. Optimised, or a second of it would be worth little, and
/// with assertions, which are what is to be broken.
let isFuzzing = Context.environment["HELIOGRAPH_FUZZ"] == "1"

/// One build for all tests, see the Makefile: what is tested is optimised and has its assertions, what tests it is as it is written.
let isChecked = Context.environment["HELIOGRAPH_CHECKED"] == "1"
let checkedFlags = ["-assert-config", "Debug"]
/// As `--static-swift-stdlib` does for the released program, and cannot for what `--build-tests` builds.
let swiftLinkedIn =
    ["-static-stdlib"] + ["CoreFoundation", "_FoundationCShims", "_FoundationCollections", "_FoundationICU"].map { "-l" + $0 }
/// Without a table of all symbols, which the linked-in library asks for and nothing looks up: 5 MB.
let exportingNothing = ["-Xlinker", "--no-export-dynamic"]
let ofReleasedPrograms: [LinkerSetting] = [
    .unsafeFlags(exportingNothing + (isChecked ? swiftLinkedIn : []), .when(platforms: [.linux], configuration: .release))
]
let fuzzedFlags = ["-sanitize=fuzzer,address", "-O"] + checkedFlags
let settings: [SwiftSetting] =
    plain + (isFuzzing ? [.unsafeFlags(fuzzedFlags)] : []) + (isChecked ? [.unsafeFlags(checkedFlags)] : [])

/// Targets that this build leaves unoptimised: optimising takes five times as long, and the tests of these wait for processes, sockets and pages.
/// The targets of the simulation, stores on disk, cryptography and the engine stay optimised.
let asWritten: Set = [
    "APNsSimulator", "APNsSimulatorServer", "HeliographBench", "HeliographClient", "HeliographHost", "HeliographKit",
    "HeliographServer", "HeliographTestSupport", "LiveActivityKit", "PushAPNs", "PushTestSupport", "PushWeb", "RelayAccess",
    "StorePostgres", "StoreTestSupport", "app-probe", "autobahn-echo", "heliograph", "heliograph-apns-simulator",
    "heliograph-bench", "heliograph-simulate", "push-bench",
]

func settings(of name: String) -> [SwiftSetting] {
    isChecked && asWritten.contains(name) ? plain + [.unsafeFlags(["-Onone"])] : settings
}

func module(_ name: String, _ dependencies: [Target.Dependency] = [], plugins: [Target.PluginUsage] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings(of: name), plugins: plugins)
}

/// Not a part of the product, but built and checked like it.
func tool(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: settings(of: name))
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, exclude: exclude,
        swiftSettings: isChecked ? plain + [.unsafeFlags(["-Onone"])] : settings)
}

/// Whose packages only the relay, the host and the programs use. An app that depends on this package with `traits: []` gets none of them.
let relayTrait = "Relay"

func product(_ name: String, of package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [relayTrait]))
}

let logging = product("Logging", of: "swift-log")
let metrics = product("Metrics", of: "swift-metrics")
let arguments = product("ArgumentParser", of: "swift-argument-parser")
let deque = product("DequeModule", of: "swift-collections")
let grdb = product("GRDB", of: "GRDB.swift")
let histogram = product("Histogram", of: "hdrhistogram-swift")
/// Of `histogram`, which takes any version: named here so that it is pinned.
let numerics = product("Numerics", of: "swift-numerics")
let sqlite = product("GRDBSQLite", of: "GRDB.swift")

/// Links with libFuzzer only.
let fuzzing: [Target] =
    !isFuzzing
    ? []
    : [
        .systemLibrary(name: "CLibFuzzer", path: "Tests/CLibFuzzer"),
        .executableTarget(
            name: "fuzz", dependencies: ["CLibFuzzer", "FuzzTargets"], path: "Tests/Fuzz/Program", swiftSettings: settings,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),
    ]

let package = Package(
    name: "heliograph",
    // What apps that use LiveActivityKit run on; Linux does not look at this.
    platforms: [.iOS("17.2"), .macOS(.v14)],
    products: [
        .executable(name: "heliograph", targets: ["heliograph"]),
        .executable(name: "heliograph-hook", targets: ["heliograph-hook"]),
        .executable(name: "heliograph-bench", targets: ["heliograph-bench"]),
        .executable(name: "heliograph-apns-simulator", targets: ["heliograph-apns-simulator"]),
        .library(name: "LiveActivityKit", targets: ["LiveActivityKit"]),
        .library(name: "HeliographKit", targets: ["HeliographKit"]),
    ],
    traits: [
        .trait(name: relayTrait, description: "The relay, the host and the programs, with the packages that they stand on."),
        .default(enabledTraits: [relayTrait]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
        .package(url: "https://github.com/apple/swift-numerics", exact: "1.1.1"),
    ],
    targets: [
        // The command: arguments, nothing else.
        .executableTarget(
            name: "heliograph",
            dependencies: [
                "ChannelAPNs", "HeliographServer", "HeliographHost", "HeliographHook", "HeliographClient",
                "PushPlanner", "RelayAccess",
                "RelayCore", "RelayProtocol", "HeliographPlatform", "HeliographQRCode",
                "WebSocketEngine", "CHeliographICUData", arguments, logging,
            ],
            swiftSettings: settings(of: "heliograph"), linkerSettings: ofReleasedPrograms),

        // What agents call, by itself. Without shared libraries and at a fixed address, so that nothing is looked up or relocated before it begins.
        .executableTarget(
            name: "heliograph-hook", dependencies: ["HeliographHook"], swiftSettings: settings,
            linkerSettings: [.unsafeFlags(["-static-executable"], .when(platforms: [.linux], configuration: .release))]),

        // The three programs that the command starts.
        .target(
            name: "HeliographServer",
            dependencies: [
                "ChannelAPNs", "ChannelWeb", "PushPlanner", "RelayCluster", "RelayCore", "RelayModel", "RelayNode",
                "RelayProtocol", "RelayAccess",
                "RelayStore",
                "StorePostgres", "StoreSQLite",
                "WebSocketEngine", "PushAPNs", "PushWeb", "HeliographCrypto", "HeliographQRCode",
                "HeliographPlatform", "HeliographZlib", logging, metrics,
            ],
            swiftSettings: settings(of: "HeliographServer"),
            plugins: ["EmbedFilesPlugin"]),
        module(
            "HeliographHost",
            [
                "AgentACP", "AgentClaude", "AgentCodex", "AgentLocal", "Consent", "ConsentKeys", "HeliographHook", "HostCore",
                "HostRules", "HeliographLink", "RelayProtocol", "RelayAccess",
                "WebSocketEngine",
                "HeliographCrypto", "HeliographPlatform", "CHeliographLinux", logging,
            ]),
        module("HeliographHook", ["AgentClaude", "RelayProtocol", "HeliographPlatform"]),
        module(
            "HeliographClient",
            [
                "Consent", "ConsentKeys", "DeviceConsent", "HeliographLink", "HeliographPlatform", "RelayProtocol",
                "RelayAccess", "WebSocketEngine", "HeliographCrypto", logging,
            ]),

        // The core, its planner of pushes with the values they share, the host's own, its translators, and their language: pure.
        module("RelayCore", ["PushPlanner", "RelayModel", "RelayProtocol"]),
        module("PushPlanner", ["RelayModel", "RelayProtocol"]),
        module("ChannelAPNs", ["PushPlanner", "RelayProtocol"], plugins: ["EmbedFilesPlugin"]),
        module("ChannelWeb", ["PushPlanner", "RelayProtocol"]),
        module("RelayModel", ["RelayProtocol"]),
        // A core within a process.
        module("RelayNode", ["RelayCore", "RelayModel", "RelayProtocol"]),
        // What several relays on one database are to each other.
        module("RelayCluster", ["RelayModel", "RelayProtocol"]),
        module("AgentClaude", ["HostCore", "RelayProtocol"]),
        module("AgentACP", ["HostCore", "RelayProtocol"]),
        module("AgentLocal", ["HostCore", "RelayProtocol"]),
        module("AgentCodex", ["HostCore", "RelayProtocol"]),
        module("HostCore", ["Consent", "HeliographLink", "HostRules", "RelayProtocol"]),
        // What the owner's rules answer.
        module("HostRules", ["RelayProtocol"]),
        module("HeliographLink", ["RelayProtocol"]),
        // What devices sign and hosts verify; its adaptor to OpenSSL is below.
        module("Consent", ["RelayProtocol"]),
        // What a trusted device reads, opens, signs and seals: terminal and app.
        module("DeviceConsent", ["Consent", "RelayProtocol"]),
        module("RelayProtocol"),

        // Adapters to the world outside.
        module(
            "RelayStore",
            ["Consent", "ConsentKeys", "RelayCore", "RelayModel", "RelayProtocol", "HeliographCrypto", "HeliographZlib"]),
        module(
            "StorePostgres",
            [
                "RelayStore", "RelayCluster", "RelayCore", "RelayModel", "RelayProtocol", "HeliographPostgreSQL",
                "HeliographPlatform",
            ]),
        module("StoreSQLite", ["RelayStore", "RelayCore", "RelayModel", "RelayProtocol", "HeliographPlatform", grdb, sqlite]),
        module(
            "WebSocketEngine",
            ["CHeliographLibwebsockets", "CHeliographLinux", "HeliographCrypto", "HeliographPlatform", deque, logging]),
        module(
            "RelayAccess",
            ["HeliographLink", "RelayProtocol", "WebSocketEngine", "HeliographCrypto", "HeliographPlatform", logging]),
        module("HeliographPlatform"),
        module("HeliographCrypto", ["CHeliographOpenSSL"]),
        module("ConsentKeys", ["Consent", "HeliographCrypto", "RelayProtocol"]),
        module("HeliographHTTP2", ["CHeliographNghttp2", "HeliographCrypto", "HeliographPlatform"]),
        module("PushAPNs", ["ChannelAPNs", "RelayProtocol", "HeliographHTTP2", "HeliographCrypto", "HeliographPlatform"]),
        module("PushWeb", ["HeliographHTTP2", "HeliographCrypto", "HeliographPlatform"]),
        module("HeliographPostgreSQL"),
        module("HeliographQRCode", ["CHeliographQREncode"]),
        module("HeliographZlib", ["CHeliographZlib"]),

        // For the authors of apps: cards, alerts and what the relay has to know of them. Stands on the platform alone.
        module("LiveActivityKit"),

        // What an app needs besides: pairing is above; sessions, approvals and presence are here.
        module("HeliographKit", ["Consent", "DeviceConsent", "LiveActivityKit", "HeliographLink", "RelayProtocol"]),

        // System libraries, and what Swift leaves out of Linux.
        .target(name: "CHeliographICUData"),
        .systemLibrary(name: "CHeliographLinux"),
        .systemLibrary(name: "CHeliographLibwebsockets", pkgConfig: "libwebsockets", providers: [.apt(["libwebsockets-dev"])]),
        .systemLibrary(name: "CHeliographNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .systemLibrary(name: "CHeliographOpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CHeliographQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CHeliographZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        // The cores of relay and host in a world of its own: one clock, one seed.
        tool(
            "RelaySimulation",
            [
                "RelayCluster", "RelayCore", "RelayNode", "ChannelAPNs", "ChannelWeb", "PushPlanner", "RelayModel", "AgentACP",
                "AgentClaude", "AgentCodex", "AgentLocal", "Consent", "DeviceConsent", "HostCore", "HostRules",
                "HeliographLink", "RelayProtocol",
            ]),
        .executableTarget(
            name: "heliograph-simulate", dependencies: ["RelaySimulation", arguments], path: "Tests/heliograph-simulate",
            swiftSettings: settings(of: "heliograph-simulate")),

        // What measures a relay, from outside, and calls it as a person at a terminal does.
        .executableTarget(
            name: "heliograph-bench",
            dependencies: ["HeliographBench", "RelayAccess", "RelayProtocol", "WebSocketEngine", arguments],
            path: "Tests/heliograph-bench", swiftSettings: settings(of: "heliograph-bench"), linkerSettings: ofReleasedPrograms),
        tool(
            "HeliographBench",
            ["RelayProtocol", "RelayAccess", "HeliographCrypto", "HeliographPlatform", "CHeliographLinux", histogram, numerics]),

        // Apple's push service and the phones behind it, for tests and the demo: the command, the process, and the pure machine in it.
        .executableTarget(
            name: "heliograph-apns-simulator",
            dependencies: ["APNsSimulator", "APNsSimulatorServer", "RelayProtocol", arguments, logging],
            path: "Tests/heliograph-apns-simulator", swiftSettings: settings(of: "heliograph-apns-simulator"),
            linkerSettings: ofReleasedPrograms),
        tool("APNsSimulator", ["RelayProtocol"]),
        tool(
            "APNsSimulatorServer",
            ["APNsSimulator", "RelayProtocol", "HeliographHTTP2", "HeliographCrypto", "WebSocketEngine", logging]),

        // What Tests/Tools/bench/push_rate.py measures.
        .executableTarget(
            name: "push-bench", dependencies: ["ChannelAPNs", "PushAPNs", "PushWeb", "RelayProtocol"],
            path: "Tests/Tools/PushBench",
            swiftSettings: settings(of: "push-bench")),

        // An app of one line a wish, see Tests/Integration/test_app.py.
        .executableTarget(
            name: "app-probe",
            dependencies: [
                "Consent", "ConsentKeys", "HeliographKit", "LiveActivityKit", "WebSocketEngine", logging,
            ],
            path: "Tests/Tools/AppProbe", swiftSettings: settings(of: "app-probe")),

        // What the Autobahn test suite talks to, see Tests/Tools/autobahn.py.
        .executableTarget(
            name: "autobahn-echo", dependencies: ["WebSocketEngine", logging], path: "Tests/Tools/AutobahnEcho",
            swiftSettings: settings(of: "autobahn-echo")),

        // Puts web/ (as one file) and the profiles into the binary.
        .target(name: "PageBundle", swiftSettings: plain),
        .executableTarget(name: "EmbedFiles", dependencies: ["PageBundle"], swiftSettings: plain),
        .plugin(
            name: "EmbedFilesPlugin", capability: .buildTool(), dependencies: ["EmbedFiles"], path: "Sources/EmbedFilesPlugin"),

        .target(
            name: "HeliographTestSupport", dependencies: ["RelayProtocol"], path: "Tests/HeliographTestSupport",
            swiftSettings: settings(of: "HeliographTestSupport")),
        tests("LayeringTests", []),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "AgentClaude", "ChannelAPNs", "Consent", "ConsentKeys", "HeliographCrypto", "HeliographHTTP2", "HeliographHook",
                "HeliographHost", "HeliographTestSupport", "HostCore", "PushAPNs", "PushPlanner", "PushWeb", "RelayAccess",
                "RelayCluster", "RelayModel", "RelayProtocol", "WebSocketEngine",
            ],
            path: "Tests/Fuzz/Targets", swiftSettings: settings),
        tests("FuzzTests", ["FuzzTargets"]),
        tests("RelayProtocolTests", ["RelayProtocol", "HeliographTestSupport"]),
        tests("ConsentTests", ["Consent", "ConsentKeys", "HeliographCrypto", "RelayProtocol"], exclude: ["Fixtures"]),
        tests("ConsentKeysTests", ["Consent", "ConsentKeys", "HeliographCrypto", "RelayProtocol"]),
        tests("DeviceConsentTests", ["Consent", "ConsentKeys", "DeviceConsent", "RelayProtocol"]),
        tests("RelayClusterTests", ["RelayCluster", "RelayModel"]),
        tests("RelayNodeTests", ["RelayNode", "RelayCore", "RelayModel", "RelayProtocol"]),
        tests(
            "RelayCoreTests",
            [
                "RelayCore", "ChannelAPNs", "PushPlanner", "APNsSimulator", "RelayModel", "RelayProtocol",
                "HeliographTestSupport",
            ]),
        .target(
            name: "PushTestSupport", dependencies: ["PushPlanner", "RelayProtocol", "HeliographTestSupport"],
            path: "Tests/PushTestSupport",
            swiftSettings: settings(of: "PushTestSupport")),
        tests(
            "PushPlannerTests",
            [
                "PushPlanner", "PushTestSupport", "ChannelAPNs", "ChannelWeb", "RelayModel", "RelayProtocol",
                "HeliographTestSupport",
            ]),
        tests(
            "ChannelAPNsTests", ["ChannelAPNs", "PushPlanner", "PushTestSupport", "RelayProtocol"], exclude: ["Fixtures"]),
        tests("ChannelWebTests", ["ChannelWeb", "PushPlanner", "PushTestSupport", "RelayProtocol"]),
        tests("RelaySimulationTests", ["RelaySimulation"]),
        .target(
            name: "StoreTestSupport",
            dependencies: [
                "StorePostgres", "StoreSQLite", "HeliographPostgreSQL", "RelayCluster", "RelayCore", "RelayModel",
                "RelayProtocol",
                "HeliographTestSupport",
            ],
            path: "Tests/StoreTestSupport",
            swiftSettings: settings(of: "StoreTestSupport")),
        tests(
            "RelayStoreTests",
            [
                "Consent", "ConsentKeys", "RelayStore", "StorePostgres", "StoreSQLite", "RelaySimulation", "RelayCore",
                "RelayModel",
                "RelayProtocol", "HeliographCrypto", "StoreTestSupport", "HeliographTestSupport",
            ]),
        tests(
            "StorePostgresTests",
            [
                "StorePostgres", "StoreSQLite", "RelayStore", "RelayCluster", "RelayCore", "RelayModel", "RelayProtocol",
                "HeliographPostgreSQL",
                "StoreTestSupport",
            ]),
        tests(
            "StoreSQLiteTests",
            [
                "StoreSQLite", "RelayStore", "RelayCore", "RelayModel", "RelayProtocol", "HeliographCrypto",
                "StoreTestSupport", grdb,
            ]),
        tests("HeliographCryptoTests", ["HeliographCrypto"]),
        tests("HeliographPlatformTests", ["HeliographPlatform", "HeliographTestSupport"]),
        tests("HeliographHTTP2Tests", ["HeliographHTTP2", "HeliographCrypto", "HeliographTestSupport"]),
        tests(
            "PushAPNsTests",
            ["ChannelAPNs", "PushAPNs", "RelayProtocol", "HeliographHTTP2", "HeliographCrypto", "HeliographTestSupport"]),
        tests(
            "PushWebTests", ["PushWeb", "HeliographHTTP2", "HeliographCrypto", "HeliographTestSupport"], exclude: ["Peers"]),
        tests("HeliographQRCodeTests", ["HeliographQRCode"]),
        tests("HeliographZlibTests", ["HeliographZlib"]),
        tests("PageBundleTests", ["PageBundle"]),
        tests(
            "APNsSimulatorTests", ["APNsSimulator", "ChannelAPNs", "LiveActivityKit", "PushPlanner", "RelayProtocol"],
            exclude: ["Fixtures"]),
        tests("LiveActivityKitTests", ["LiveActivityKit", "RelayProtocol", "HeliographCrypto", "HeliographTestSupport"]),
        tests(
            "HeliographKitTests",
            [
                "Consent", "ConsentKeys", "DeviceConsent", "HeliographKit", "HeliographLink", "LiveActivityKit",
                "RelayProtocol",
            ]),
        tests(
            "WebSocketEngineTests", ["WebSocketEngine", "HeliographPlatform", "HeliographTestSupport", logging],
            exclude: ["Peers"]),
        tests(
            "HostCoreTests",
            [
                "HostCore", "HostRules", "AgentClaude", "Consent", "ConsentKeys", "HeliographHost", "HeliographLink",
                "RelayProtocol", "HeliographCrypto", "HeliographTestSupport",
            ],
            exclude: ["Fixtures"]),
        tests("HostRulesTests", ["HostRules", "RelayProtocol"], exclude: ["Fixtures"]),
        tests("AgentACPTests", ["AgentACP", "HostCore", "RelayProtocol", "HeliographTestSupport"], exclude: ["Fixtures"]),
        .target(
            name: "AgentTestSupport", dependencies: ["HostCore", "RelayProtocol"], path: "Tests/AgentTestSupport",
            swiftSettings: settings),
        tests(
            "AgentClaudeTests", ["AgentClaude", "AgentTestSupport", "HostCore", "RelayProtocol", "HeliographCrypto"],
            exclude: ["Fixtures"]),
        tests("AgentLocalTests", ["AgentLocal", "HostCore", "RelayProtocol", "HeliographCrypto", "HeliographTestSupport"]),
        tests(
            "AgentCodexTests", ["AgentCodex", "AgentTestSupport", "HostCore", "RelayProtocol", "HeliographCrypto"],
            exclude: ["Fixtures"]),
        tests(
            "HeliographHostTests",
            [
                "HeliographHost", "HeliographHook", "AgentACP", "AgentClaude", "Consent", "ConsentKeys", "HostCore",
                "HostRules",
                "RelayAccess", "RelayProtocol", "WebSocketEngine", logging,
            ]),
        tests(
            "HeliographServerTests",
            [
                "HeliographServer", "ChannelAPNs", "PushPlanner", "RelayAccess", "RelayCluster", "RelayCore", "RelayModel",
                "RelayNode", "RelayProtocol", "PushAPNs", "PushWeb", "WebSocketEngine", "HeliographCrypto",
                "HeliographTestSupport", "StoreTestSupport", logging,
            ]),
        tests(
            "HeliographClientTests",
            [
                "Consent", "ConsentKeys", "DeviceConsent", "HeliographClient", "HeliographLink", "RelayAccess",
                "RelayProtocol", "HeliographTestSupport",
            ]),
        tests("HeliographLinkTests", ["HeliographLink", "RelayProtocol", "HeliographTestSupport"]),
        tests("HeliographBenchTests", ["HeliographBench", "RelayProtocol"]),
        tests("RelayAccessTests", ["RelayAccess", "RelayProtocol"]),
    ] + fuzzing
)

// `make test-module M=HostCore` builds the tests of that module with what they reach, and nothing else.
if let module = Context.environment["HELIOGRAPH_MODULE"] {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var reached: Set<String> = []
    var open = [module + "Tests"]
    while let name = open.popLast() {
        guard let target = targets[name], reached.insert(name).inserted else { continue }
        for case .byNameItem(let name, _) in target.dependencies { open.append(name) }
        for case .plugin(let name, _) in target.plugins ?? [] { open.append(name) }
    }
    package.targets.removeAll { !reached.contains($0.name) }
    package.products = []
}
