/// Ancestry of tokens: through which token each was paired.
package struct TokenLineage {
    /// Length of a chain of pairings from the relay's own machine to a token. Two browsers that lose their storage in turn, and are
    /// each paired by the other, add one each time.
    package static let depthMax = 64
    /// Tokens, revoked or not, below one that was paired on the relay's own machine: every device and browser of a team, for years.
    package static let letInMax = 1_000

    package enum Bound: Sendable { case depth, count }

    private let byID: [String: Token]
    private let byParent: [String: [Token]]

    package init(_ tokens: [Token]) {
        byID = Dictionary(tokens.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        byParent = Dictionary(grouping: tokens.filter { $0.parent != nil }) { $0.parent ?? "" }
    }

    package subscript(id: String) -> Token? { byID[id] }

    /// Tokens that were paired through this one, directly or indirectly, revoked or not, nearest first. Each is returned once, even
    /// if a damaged file has a cycle.
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

    /// The limit that prevents this token from pairing another; nil if none is reached.
    package func bound(reachedBy id: String) -> Bound? {
        var (first, depth) = (id, 1)
        while let parent = byID[first]?.parent {
            depth += 1
            // The chain is too long, or a cycle in a damaged file.
            if depth > Self.depthMax { return .depth }
            first = parent
        }
        return letIn(by: first).count >= Self.letInMax ? .count : nil
    }

    // MARK: - For a list of many

    /// Number of valid tokens paired through each token, directly or indirectly; tokens without any are left out. Takes time in
    /// proportion to the number of tokens, however long the chains are.
    package var validCounts: [String: Int] {
        var counts: [String: Int] = [:]
        var missing = byParent.mapValues(\.count)
        var counted = byID.values.filter { missing[$0.id] == nil }
        while let token = counted.popLast() {
            guard let parent = token.parent else { continue }
            let count = counts[token.id, default: 0] + (token.revokedAt == nil ? 1 : 0)
            if count > 0 { counts[parent, default: 0] += count }
            missing[parent, default: 0] -= 1
            if missing[parent] == 0, let token = byID[parent] { counted.append(token) }
        }
        return counts
    }

    /// The nearest valid tokens that were paired through this one. `counts`: `validCounts`.
    package func nearest(_ max: Int, letInBy id: String, _ counts: [String: Int]) -> [Token] {
        var found: [Token] = []
        var seen: Set<String> = [id]
        var parents = [id]
        var next = 0
        while next < parents.count {
            for token in byParent[parents[next]] ?? [] where seen.insert(token.id).inserted {
                if token.revokedAt == nil { found.append(token) }
                if found.count == max { return found }
                if counts[token.id] != nil { parents.append(token.id) }
            }
            next += 1
        }
        return found
    }
}
