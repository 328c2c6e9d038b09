import Foundation
import Testing

@Suite("Layering") struct LayeringTests {
    static let top = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().standardizedFileURL

    private static func manifestText() throws -> String {
        try String(contentsOf: top.appending(path: "Package.swift"), encoding: .utf8)
    }

    private static let layering = Layering(manifest: Manifest(try! manifestText()))

    @Test("arrows point inwards, and the habits hold, in every file")
    func wholeRepository() throws {
        let files = try SourceFile.all(below: Self.top)
        #expect(files.count > 50, "the test looks at the wrong folder: \(Self.top.path)")
        let breaches = Self.layering.breaches(in: files) + Self.layering.unused(in: files)
        #expect(breaches.isEmpty, "\(breaches.joined(separator: "\n"))")
    }

    @Test("every target of the manifest has files, and every pure one and every tool is a target")
    func everyTargetExists() throws {
        let (manifest, files) = (Self.layering.manifest, try SourceFile.all(below: Self.top).filter(\.isSwift))
        let empty = Set(manifest.targets.map(\.name)).subtracting(files.compactMap { manifest.target(of: $0)?.name })
            .subtracting(Layering.ofC)
        #expect(empty.isEmpty && manifest.targets.count > 90, "\(empty)")
        #expect(Layering.pure.union(Layering.tools).isSubset(of: manifest.targets.map(\.name)))
    }

    @Test("a dependency that nothing imports is found")
    func unusedIsFound() {
        let manifest = Manifest(
            """
            let logging = product("Logging", of: "swift-log")
                    module("A", ["B", logging]), module("B"),
                    .target(
                        name: "C",
                        dependencies: [
                            "A", "B",
                        ],
                        path: "Tests/Own/C"),
            """)
        let files = [SourceFile("Sources/A/A.swift", "internal import B"), SourceFile("Tests/Own/C/C.swift", "import A")]
        #expect(
            Layering(manifest: manifest).unused(in: files) == [
                "Package.swift: A does not import Logging", "Package.swift: C does not import B",
            ])
    }

    @Test("lint looks at every tool")
    func lintKnowsTheTools() throws {
        let makefile = try String(contentsOf: Self.top.appending(path: "Makefile"), encoding: .utf8)
        let line = makefile.split(separator: "\n").first { $0.hasPrefix("TOOLS := ") }
        #expect(Set((line ?? "").split(separator: " ").dropFirst(2).map(String.init)) == Layering.tools)
    }

    @Test("every package that a build fetches is pinned to one version, also those that others bring")
    func pinned() throws {
        let manifest = try Self.manifestText()
        let resolved = try String(contentsOf: Self.top.appending(path: "Package.resolved"), encoding: .utf8)
        let fetched = resolved.matches(of: #/"location" : "(.+)"/#).map { String($0.1) }
        let pinned = manifest.matches(of: #/\.package\(url: "([^"]+)", exact: "/#).map { String($0.1) }
        #expect(fetched.count > 5 && fetched.sorted() == pinned.sorted())
    }

    @Test("a module has one error type that others see, but for those that record 0036 argues")
    func oneErrorType() throws {
        let breaches = ErrorTypes.breaches(in: try SourceFile.all(below: Self.top))
        #expect(breaches.isEmpty, "\(breaches.joined(separator: "\n"))")
        let planted = [
            SourceFile("Sources/A/A.swift", "package struct AError: Error, Equatable {"),
            SourceFile("Sources/A/B.swift", "public final class Fault: Error {\n    enum Inner: Error { case it }"),
        ]
        #expect(
            ErrorTypes.breaches(in: planted) == [
                "Sources/A/B.swift:1: the error type Fault is not named …Error",
                "Sources/A/B.swift:1: Fault is the second error type of A, beside AError",
            ])
    }

    @Test("a bad file is found", arguments: Planted.bad)
    func badFileIsFound(file: Planted) {
        let breaches = Self.layering.breaches(in: [SourceFile(file.path, file.text)])
        #expect(breaches.count == 1)
        #expect(breaches.first?.contains(file.breach) == true, "\(breaches)")
    }

    @Test("a good file passes", arguments: Planted.good)
    func goodFilePasses(file: Planted) {
        #expect(Self.layering.breaches(in: [SourceFile(file.path, file.text)]).isEmpty)
    }
}

/// A file that the checker must have an opinion on.
struct Planted: CustomTestStringConvertible {
    let path: String
    let text: String
    /// A part of the sentence that it must bring.
    var breach = ""

    init(_ path: String, _ text: String, _ breach: String = "") {
        self.path = path
        self.text = text
        self.breach = breach
    }

    var testDescription: String { "\(path): \(text.split(separator: "\n").first ?? "nothing")" }

    static let bad = [
        Planted("Sources/RelayCore/A.swift", "import Foundation", "is pure"),
        Planted("Sources/RelayCore/A.swift", "import Glibc", "is pure"),
        Planted("Sources/RelayCore/A.swift", "import RelayStore", "may not import RelayStore"),
        Planted("Sources/RelayProtocol/A.swift", "@preconcurrency package import Dispatch", "is pure"),
        Planted("Sources/HostCore/A.swift", "import Glibc", "is pure"),
        Planted("Sources/HostCore/A.swift", "import RelayCore", "may not import RelayCore"),
        Planted("Sources/RelayProtocol/A.swift", "import RelayCore", "may not import RelayCore"),
        Planted("Sources/RelayStore/A.swift", "import WebSocketEngine", "may not import"),
        Planted("Sources/RelayStore/A.swift", "import GRDB", "may not import GRDB"),
        Planted("Sources/RelayCore/A.swift", "import APNsSimulator", "may not import APNsSimulator"),
        Planted("Tests/APNsSimulator/A.swift", "import Dispatch", "is pure"),
        Planted("Sources/HeliographServer/A.swift", "import StoreSQLite", "only Sources/HeliographServer/Storage/"),
        Planted("Sources/HeliographServer/A.swift", "import struct HeliographHost.Spool", "may not import HeliographHost"),
        Planted("Sources/HeliographServer/A.swift", "import CHeliographLibwebsockets", "only WebSocketEngine"),
        Planted("Sources/HeliographHost/A.swift", "import CHeliographOpenSSL", "only HeliographCrypto"),
        Planted("Tests/HeliographHostTests/A.swift", "import CHeliographOpenSSL", "only HeliographCrypto"),
        Planted("Tests/RelayCoreTests/A.swift", "import RelayStore", "may not import RelayStore"),
        Planted("Sources/RelayCore/A.swift", "import Testing", "may not import Testing"),
        Planted("Sources/Newcomer/A.swift", "import Foundation", "no target of Package.swift"),
        Planted("Sources/HeliographCrypto/A.swift", "let key = \"/work/main/key.pem\"", "a folder of one machine"),
        Planted("web/link.js", "const home = '/home/ada/';", "a folder of one machine"),
        Planted("Sources/HeliographCrypto/A.swift", "final class Box: @unchecked Sendable {}", "why this is safe"),
        Planted("Sources/HeliographCrypto/A.swift", String(repeating: "\n", count: Layering.fileLinesMax), "more than"),
    ]

    static let good = [
        Planted("Sources/RelayCore/A.swift", "package import RelayProtocol\n"),
        Planted("Sources/WebSocketEngine/A.swift", "internal import CHeliographLibwebsockets\nimport Glibc\n"),
        Planted("Sources/HeliographCrypto/A.swift", "/// One thread's.\n@safe\nfinal class Box: @unchecked Sendable {}\n"),
        Planted("Sources/HeliographCrypto/A.swift", "// import Foundation is what this is not about\nlet important = 1\n"),
        Planted("Tests/RelayCoreTests/A.swift", "import Foundation\nimport Testing\n@testable import RelayCore\n"),
    ]
}
