import HeliographTestSupport
import RelayCore
import RelayProtocol
import Testing

@testable import HeliographServer

/// The JSON of tokens, checked against the wire's table: only the page reads it.
@Suite("Tokens as people look at them")
struct TokenRosterTests {
    private func token(_ id: String, parent: String? = nil, revokedAt: Int64? = nil) throws -> Token {
        Token(
            id: id, digest: [UInt8](repeating: 0, count: 32), role: .client, kind: .browser, subject: "ada",
            name: "Ada's phone", workspace: try #require(WorkspaceID("home")), parent: parent, createdAt: 1,
            revokedAt: revokedAt)
    }

    @Test("a token is shown with the fields of the table, and no other")
    func shown() throws {
        let tokens =
            [try token("laptop", revokedAt: 2), try token("phone", parent: "laptop", revokedAt: 3)]
            + (try (0...16).map { try token("watch\($0)", parent: "phone") })
        let entry = try #require(
            TokenRoster(
                tokens, TokenSightings(connections: ["phone": 1], uses: ["phone": TokenUse(at: 4, from: "192.0.2.7")])
            ).entries.first { $0.token.id == "phone" })
        let shown = JSONWriter.object { writer in
            entry.write(to: &writer)
            writer.flag("own", true)
        }
        #expect(try Self.paths(JSONTree(parsing: shown)) == Self.paths(WireTable.token.fields))
    }

    @Test("a revocation is answered with the fields of the table, and no other")
    func revoked() throws {
        let answer = TokenRoster.revoked([try token("phone")])
        #expect(try Self.paths(JSONTree(parsing: answer)) == Self.paths(WireTable.revoked.fields))
    }

    @Test("another name is answered with the fields of the table, and no other")
    func renamed() throws {
        #expect(try Self.paths(JSONTree(parsing: token("phone").named)) == Self.paths(WireTable.renamed.fields))
    }

    @Test("a chain of pairings is listed in pages, and each entry names its nearest children alone")
    func pages() throws {
        let count = 3_000
        var chain = [try token("t0")]
        for number in 1..<count { chain.append(try token("t\(number)", parent: "t\(number - 1)")) }
        let roster = TokenRoster(chain.reversed(), TokenSightings())
        let home = try #require(WorkspaceID("home"))
        var (listed, after): ([String], String?) = ([], nil)
        var bytes = 0
        repeat {
            let page = try #require(roster.page(of: home, after: after))
            #expect(page.entries.count <= TokenRoster.pageMax)
            for entry in page.entries {
                #expect(entry.children.count <= 16)
                bytes += JSONWriter.object { entry.write(to: &$0) }.count
            }
            listed += page.entries.map(\.token.id)
            after = page.next
        } while after != nil
        #expect(listed == chain.reversed().map(\.id))
        #expect(bytes < count * 2_000)
        let first = try #require(roster.entries.last)
        #expect(first.children.map(\.id) == (1...16).map { "t\($0)" } && first.moreChildren == count - 17)
        #expect(roster["t2990"]?.children.map(\.id) == (2_991...2_999).map { "t\($0)" })
        #expect(roster.page(of: home, after: "nobody") == nil)
        let other = try #require(WorkspaceID("other"))
        #expect(roster.page(of: other, after: "t5") == nil, "another workspace's")
    }

    @Test("a page goes on after a token that was revoked since")
    func pageAfterRevoked() throws {
        let tokens = [try token("c"), try token("b", revokedAt: 2), try token("a")]
        let home = try #require(WorkspaceID("home"))
        let page = try #require(TokenRoster(tokens, TokenSightings()).page(of: home, after: "b"))
        #expect(page.entries.map(\.token.id) == ["a"] && page.next == nil)
    }

    @Test("what one relay says of the use of tokens, another reads")
    func sightings() throws {
        let seen = TokenSightings(
            connections: ["a": 2], uses: ["a": TokenUse(at: 4, from: "192.0.2.7"), "b": TokenUse(at: 5, from: nil)])
        let read = try TokenSightings(parsing: seen.bytes)
        #expect(read.connections == ["a": 2, "b": 0] && read.uses == seen.uses)
    }

    // MARK: - Every field, by its place

    private static func paths(_ tree: JSONTree) -> Set<String> {
        switch tree {
        case .plain, .text: []
        case .list(let elements): elements.reduce(into: []) { $0.formUnion(paths($1)) }
        case .object(let members):
            members.reduce(into: []) { found, member in
                found.formUnion([member.key] + paths(member.value).map { "\(member.key).\($0)" })
            }
        }
    }

    private static func paths(_ fields: [WireField]) -> Set<String> {
        fields.reduce(into: []) { found, field in
            found.formUnion([field.name] + paths(field.type).map { "\(field.name).\($0)" })
        }
    }

    private static func paths(_ type: WireType) -> Set<String> {
        switch type.shape {
        case .object(let object): paths(object.fields)
        case .list(let element, _): paths(element)
        default: []
        }
    }
}
