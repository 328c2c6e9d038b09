/// A module has one error type that others see, named `…Error` (record 0036). What stays in one file is that file's business.
enum ErrorTypes {
    /// Second types, each argued in record 0036.
    static let seconds: [String: Set<String>] = [
        "HeliographHost": ["ConnectError"], "HostCore": ["EditError"], "HeliographPlatform": ["FolderError"],
        "RelayAccess": ["PairingError"],
        "RelayProtocol": ["ClientMessageError"],
    ]

    /// Every breach, as `path:line: sentence`.
    static func breaches(in files: [SourceFile]) -> [String] {
        var first: [String: String] = [:]
        var found: [String] = []
        for file in files.sorted(by: { $0.path < $1.path }) where file.isSwift && file.isSource {
            for (offset, line) in file.lines.enumerated() {
                guard let name = declared(in: line) else { continue }
                let place = "\(file.path):\(offset + 1)"
                if !name.hasSuffix("Error") { found.append("\(place): the error type \(name) is not named …Error") }
                if seconds[file.module]?.contains(name) == true { continue }
                if let other = first[file.module] {
                    found.append("\(place): \(name) is the second error type of \(file.module), beside \(other)")
                }
                first[file.module] = name
            }
        }
        return found
    }

    /// The name of an error type that leaves its module, if the line declares one.
    private static func declared(in line: Substring) -> String? {
        let words = line.split { " :,{".contains($0) }
        guard let access = words.first, access == "package" || access == "public", words.contains("Error") else { return nil }
        guard let kind = words.firstIndex(where: { ["struct", "enum", "class", "actor"].contains($0) }) else { return nil }
        guard let conformance = words.firstIndex(of: "Error"), conformance > kind + 1 else { return nil }
        return String(words[kind + 1])
    }
}
