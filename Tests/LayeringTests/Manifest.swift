/// The targets in the text of `Package.swift`, also those that only some builds have.
struct Manifest {
    struct Target {
        let name: String
        /// The folder of its sources, from the top.
        let folder: String
        /// Modules of ours, and products of packages.
        let dependencies: Set<String>
    }

    let targets: [Target]

    init(_ text: String) {
        let products = Dictionary(
            uniqueKeysWithValues: text.matches(of: #/let (\w+) = product\("(\w+)"/#).map { (String($0.1), String($0.2)) })
        let target =
            #/
            [\s.](module|tool|tests|target|executableTarget|plugin)\(\s*(?:name:\s)?"([\w\-]+)"
            (?:,\s*(?:dependencies:\s)?\[([^\]]*)\])?
            (?:,\s*path:\s"([^"]+)")?
            /#
        targets = text.matches(of: target).map { match in
            let names = (match.3 ?? "").split { ", \n".contains($0) }.map { item in
                item.hasPrefix("\"") ? String(item.dropFirst().dropLast()) : products[String(item)] ?? String(item)
            }
            let top = ["tool", "tests"].contains(match.1) ? "Tests" : "Sources"
            return Target(
                name: String(match.2), folder: match.4.map(String.init) ?? "\(top)/\(match.2)", dependencies: Set(names))
        }
    }

    func target(of file: SourceFile) -> Target? { targets.first { file.path.hasPrefix($0.folder + "/") } }
}
