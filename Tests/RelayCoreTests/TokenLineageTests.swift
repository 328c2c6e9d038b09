import RelayCore
import RelayProtocol
import Testing

/// Tokens that a token has let in, and the bounds of that.
@Suite struct TokenLineageTests {
    private func token(_ id: String, _ parent: String? = nil, isRevoked: Bool = false) throws -> Token {
        Token(
            id: id, digest: [UInt8](repeating: 0, count: 32), role: .client, subject: "ada", name: id,
            workspace: try #require(WorkspaceID("home")), parent: parent, createdAt: 1, revokedAt: isRevoked ? 2 : nil)
    }

    @Test func `valid ones are counted and named through revoked ones`() throws {
        let lineage = TokenLineage([
            try token("a"), try token("b", "a", isRevoked: true), try token("c", "b"), try token("d", "a"), try token("e", "d"),
            try token("f", "e", isRevoked: true),
        ])
        #expect(lineage.validCounts == ["a": 3, "b": 1, "d": 1])
        #expect(lineage.nearest(9, letInBy: "a", lineage.validCounts).map(\.id) == ["d", "c", "e"])
        #expect(lineage.nearest(2, letInBy: "a", lineage.validCounts).map(\.id) == ["d", "c"])
        #expect(lineage.nearest(9, letInBy: "e", lineage.validCounts).isEmpty)
    }

    @Test func `a chain ends at its depth, and a crowd at its number`() throws {
        var chain = [try token("t1")]
        while TokenLineage(chain).bound(reachedBy: "t\(chain.count)") == nil {
            chain.append(try token("t\(chain.count + 1)", "t\(chain.count)"))
        }
        #expect(chain.count == TokenLineage.depthMax + 1)
        #expect(TokenLineage(chain).bound(reachedBy: "t\(chain.count)") == .depth)
        let crowd = try (1...TokenLineage.letInMax).map { try token("t\($0 + 1)", $0 == 1 ? "t1" : "t2", isRevoked: $0 > 2) }
        #expect(TokenLineage([chain[0]] + crowd.dropLast()).bound(reachedBy: "t2") == nil)
        #expect(TokenLineage([chain[0]] + crowd).bound(reachedBy: "t2") == .count, "revoked ones and those of others count")
    }

    @Test func `a circle in a damaged file lets in nobody, and is looked at once`() throws {
        let lineage = TokenLineage([try token("a", "b"), try token("b", "a"), try token("c", "b")])
        #expect(lineage.bound(reachedBy: "a") == .depth)
        #expect(lineage.letIn(by: "a").map(\.id) == ["b", "c"])
        #expect(lineage.nearest(9, letInBy: "b", lineage.validCounts).map(\.id) == ["a", "c"])
    }
}
