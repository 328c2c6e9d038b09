import RelayCore
import RelayProtocol

/// Uses of tokens as a running relay knows them; of several nodes each knows a part.
struct TokenSightings: Sendable {
    /// Number of open WebSockets of each token.
    var connections: [String: Int] = [:]
    var uses: [String: TokenUse] = [:]

    init(connections: [String: Int] = [:], uses: [String: TokenUse] = [:]) {
        self.connections = connections
        self.uses = uses
    }

    /// Decodes the answer at `AdminPath.tokens`.
    init(parsing body: [UInt8]) throws {
        for entry in try JSONDocument(parsing: body).root.required("tokens").array() {
            let id = try entry.string("id")
            connections[id] = Int(try entry.integer("connections"))
            uses[id] = TokenUse(recordedAt: try entry.optionalInteger("usedAt"), from: try entry.optionalString("usedFrom"))
        }
    }

    /// Encodes the answer at `AdminPath.tokens`.
    var bytes: [UInt8] {
        let ids = Set(connections.keys).union(uses.keys).sorted()
        return JSONWriter.object { writer in
            writer.array(
                "tokens",
                ids.map { id in
                    JSONWriter.object { writer in
                        writer.field("id", id)
                        writer.field("connections", Int64(connections[id] ?? 0))
                        writer.field("usedAt", uses[id]?.at)
                        writer.field("usedFrom", uses[id]?.from)
                    }
                })
        }
    }

    mutating func add(_ other: TokenSightings) {
        connections.merge(other.connections, uniquingKeysWith: +)
        uses.merge(other.uses) { TokenUse.latest($0, $1) ?? $1 }
    }
}
