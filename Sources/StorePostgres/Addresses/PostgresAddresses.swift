internal import HeliographPostgreSQL
package import RelayCore
internal import RelayProtocol
internal import RelayStore

/// Ownership of push addresses, as recorded by the commits.
package final class PostgresAddresses: AddressStore {
    private let database: PostgresDatabase

    init(_ database: PostgresDatabase) { self.database = database }

    package func moved(_ addresses: [HeldAddress]) throws(LogError) -> Set<HeldAddress> {
        guard !addresses.isEmpty else { return [] }
        let rows = try database.ask(
            """
            SELECT asked.place FROM unnest($1::bytea[], $2::text[]) WITH ORDINALITY AS asked (digest, workspace, place)
            JOIN push_addresses AS a USING (digest) JOIN workspaces AS w ON w.number = a.workspace
            WHERE w.workspace <> asked.workspace
            """, .byteas(addresses.map(\.address.digest)), .texts(addresses.map(\.workspace.rawValue)))
        return Set(rows.map { addresses[Int($0.integer(0)) - 1] })
    }
}
