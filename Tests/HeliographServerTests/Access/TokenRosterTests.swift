import HeliographTestSupport
import RelayCore
import RelayProtocol
import Testing

@testable import HeliographServer

/// What is said of tokens, held against the wire's table: only the page reads it.
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
        let tokens = [
            try token("laptop", revokedAt: 2), try token("phone", parent: "laptop", revokedAt: 3),
            try token("watch", parent: "phone"),
        ]
        let entry = try #require(
            TokenRoster(
                tokens, TokenSightings(connections: ["phone": 1], uses: ["phone": TokenUse(at: 4, from: "192.0.2.7")]))["phone"]
        )
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
