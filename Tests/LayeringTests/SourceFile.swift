import Foundation

/// A file of the repository, by its path from the top.
struct SourceFile {
    let path: String
    let lines: [Substring]

    init(_ path: String, _ text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// `RelayCore` of `Sources/RelayCore/Relay.swift`.
    var module: String {
        let parts = path.split(separator: "/")
        return parts.count > 2 ? String(parts[1]) : ""
    }

    var isSwift: Bool { path.hasSuffix(".swift") }
    /// Neither a test nor what only tests use.
    var isSource: Bool {
        path.hasPrefix("Sources/") || path.hasPrefix("web/") || path.hasPrefix("Tests/") && Layering.tools.contains(module)
    }

    /// Everything that people write in Swift or JavaScript below the top of the repository.
    static func all(below top: URL) throws -> [SourceFile] {
        var files: [SourceFile] = []
        for folder in ["Sources", "Tests", "web"] {
            let found = FileManager.default.enumerator(at: top.appending(path: folder), includingPropertiesForKeys: nil)
            while let url = found?.nextObject() as? URL {
                guard ["swift", "js"].contains(url.pathExtension) else { continue }
                let path = String(url.standardizedFileURL.path.dropFirst(top.path.count)).drop { $0 == "/" }
                files.append(SourceFile(String(path), try String(contentsOf: url, encoding: .utf8)))
            }
        }
        return files
    }
}
