/// Which token let which in.
package struct TokenLineage {
    private let byParent: [String: [Token]]

    package init(_ tokens: [Token]) {
        byParent = Dictionary(grouping: tokens.filter { $0.parent != nil }) { $0.parent ?? "" }
    }

    /// Those that it let in, directly or through others, revoked or not, nearest first. Whatever a damaged file says, each once.
    package func letIn(by id: String) -> [Token] {
        var found: [Token] = []
        var seen: Set<String> = [id]
        var parents = [id]
        while !parents.isEmpty {
            let next = parents.flatMap { byParent[$0] ?? [] }.filter { seen.insert($0.id).inserted }
            found += next
            parents = next.map(\.id)
        }
        return found
    }
}
