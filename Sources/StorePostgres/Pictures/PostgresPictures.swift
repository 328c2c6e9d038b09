internal import HeliographPostgreSQL
package import RelayCore
package import RelayModel
package import RelayProtocol
internal import RelayStore

/// Pictures in prompts, in their own table.
package final class PostgresPictures: PictureStore {
    private let database: PostgresDatabase

    init(_ database: PostgresDatabase) { self.database = database }

    package func keep(_ picture: KeptPicture, of session: SessionKey, at: Int64) throws(LogError) -> Bool {
        try database.write { connection in
            // Locked, so that retention does not remove the session meanwhile.
            let found = try connection.run(
                PostgresStatement(
                    """
                    SELECT s.workspace, s.number FROM sessions AS s JOIN workspaces AS w ON w.number = s.workspace
                    WHERE w.workspace = $1::text AND s.session = $2::text AND NOT s.is_removed FOR SHARE OF s
                    """, .text(session.workspace.rawValue), .text(session.session.rawValue)),
                within: PostgresDatabase.askingMax)
            guard let row = found.first else { return false }
            let place: [PostgresValue] = [.int(Int32(row.integer(0))), .int(Int32(row.integer(1)))]
            _ = try connection.run(
                [
                    PostgresStatement(
                        "DELETE FROM pictures WHERE workspace = $1::int AND session = $2::int AND digest = $3::text",
                        place + [.text(picture.named.digest.rawValue)]),
                    PostgresStatement(
                        """
                        INSERT INTO pictures (workspace, session, digest, type, size, at, bytes)
                        VALUES ($1::int, $2::int, $3::text, $4::text, $5::int, $6::bigint, $7::bytea)
                        """,
                        place + [
                            .text(picture.named.digest.rawValue), .text(picture.named.type.rawValue),
                            .int(Int32(picture.content.count)), .bigint(at), .bytea(picture.content),
                        ]),
                    // Removes the workspace's oldest pictures until the others are within the limits.
                    PostgresStatement(
                        """
                        DELETE FROM pictures AS p USING (
                            SELECT number, row_number() OVER newest AS count, sum(size) OVER newest AS bytes FROM pictures
                            WHERE workspace = $1::int WINDOW newest AS (ORDER BY number DESC)
                        ) AS sums
                        WHERE p.number = sums.number AND (sums.count > $2::bigint OR sums.bytes > $3::bigint)
                        """,
                        [
                            place[0], .bigint(Int64(PictureLimits.workspaceCountMax)),
                            .bigint(Int64(PictureLimits.workspaceBytesMax)),
                        ]),
                ], within: PostgresDatabase.askingMax)
            return true
        }
    }

    package func picture(_ digest: PictureDigest, in workspace: WorkspaceID, of host: HostID?) throws(LogError) -> KeptPicture?
    {
        let rows = try database.ask(
            """
            SELECT p.type, p.bytes FROM pictures AS p
            JOIN sessions AS s ON (s.workspace, s.number) = (p.workspace, p.session)
            JOIN workspaces AS w ON w.number = p.workspace
            WHERE p.digest = $1::text AND w.workspace = $2::text AND ($3::text IS NULL OR s.host = $3::text)
            ORDER BY p.number LIMIT 1
            """, .text(digest.rawValue), .text(workspace.rawValue), .text(host?.rawValue))
        guard let row = rows.first else { return nil }
        let content = row.bytes(1)
        let picture = KeptPicture(
            Picture(digest: digest, type: try Stored.word(row.text(0)), bytes: content.count), content)
        guard picture.isIntact else { throw LogError(.damaged(.record), "A picture is not as it was written.") }
        return picture
    }

    package func hasPictures(_ pictures: [Picture], of session: SessionKey) throws(LogError) -> Bool {
        let rows = try database.ask(
            """
            SELECT count(DISTINCT wanted.place) FROM unnest($3::text[], $4::text[], $5::bigint[])
                WITH ORDINALITY AS wanted (digest, type, size, place)
            JOIN pictures AS p ON (p.digest, p.type, p.size) = (wanted.digest, wanted.type, wanted.size)
            JOIN sessions AS s ON (s.workspace, s.number) = (p.workspace, p.session)
            JOIN workspaces AS w ON w.number = p.workspace
            WHERE w.workspace = $1::text AND s.session = $2::text
            """, .text(session.workspace.rawValue), .text(session.session.rawValue),
            .texts(pictures.map(\.digest.rawValue)), .texts(pictures.map(\.type.rawValue)),
            .bigints(pictures.map { Int64($0.bytes) }))
        return rows[0].integer(0) == Int64(pictures.count)
    }
}
