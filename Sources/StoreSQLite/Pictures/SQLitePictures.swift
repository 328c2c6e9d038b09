internal import Foundation
internal import GRDB
package import RelayCore
package import RelayModel
package import RelayProtocol
internal import RelayStore

/// Pictures in prompts, in their own table.
package final class SQLitePictures: PictureStore {
    private let database: SQLiteDatabase

    init(_ database: SQLiteDatabase) { self.database = database }

    package func keep(_ picture: KeptPicture, of session: SessionKey, at: Int64) throws(LogError) -> Bool {
        try database.write { db in
            let query = "SELECT number FROM sessions WHERE workspace = ? AND session = ? AND is_removed = 0"
            let names = [session.workspace.rawValue, session.session.rawValue]
            guard let number = try Int64.fetchOne(db, sql: query, arguments: StatementArguments(names)) else { return false }
            try db.execute(
                sql: "INSERT OR REPLACE INTO pictures (session, digest, type, size, at, bytes) VALUES (?, ?, ?, ?, ?, ?)",
                arguments: [
                    number, picture.named.digest.rawValue, picture.named.type.rawValue, picture.content.count, at,
                    Data(picture.content),
                ])
            try PictureTable.makeRoom(in: session.workspace, db)
            return true
        }
    }

    package func picture(_ digest: PictureDigest, in workspace: WorkspaceID, of host: HostID?) throws(LogError) -> KeptPicture?
    {
        try database.read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT p.type, p.bytes FROM pictures AS p JOIN sessions AS s ON s.number = p.session
                    WHERE p.digest = ? AND s.workspace = ? AND (? IS NULL OR s.host = ?) ORDER BY p.number LIMIT 1
                    """,
                arguments: [digest.rawValue, workspace.rawValue, host?.rawValue, host?.rawValue])
            guard let row else { return nil }
            let content: [UInt8] = row[1]
            let named = Picture(digest: digest, type: try self.database.word(row[0]), bytes: content.count)
            let picture = KeptPicture(named, content)
            guard picture.isIntact else { throw LogError(.damaged(.record), "A picture is not as it was written.") }
            return picture
        }
    }

    package func hasPictures(_ pictures: [Picture], of session: SessionKey) throws(LogError) -> Bool {
        try database.read { db in
            let query = try db.makeStatement(
                sql: """
                    SELECT 1 FROM pictures AS p JOIN sessions AS s ON s.number = p.session
                    WHERE s.workspace = ? AND s.session = ? AND p.digest = ? AND p.type = ? AND p.size = ?
                    """)
            return try pictures.allSatisfy { picture in
                try Int64.fetchOne(
                    query,
                    arguments: [
                        session.workspace.rawValue, session.session.rawValue, picture.digest.rawValue, picture.type.rawValue,
                        picture.bytes,
                    ]) != nil
            }
        }
    }
}

enum PictureTable {
    /// Removes the workspace's oldest pictures until the others are within the limits.
    static func makeRoom(in workspace: WorkspaceID, _ db: Database) throws {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT p.number, p.size FROM pictures AS p JOIN sessions AS s ON s.number = p.session
                WHERE s.workspace = ? ORDER BY p.number DESC
                """, arguments: [workspace.rawValue])
        var (count, bytes) = (0, 0)
        for row in rows {
            count += 1
            bytes += row[1]
            guard count > PictureLimits.workspaceCountMax || bytes > PictureLimits.workspaceBytesMax else { continue }
            try db.execute(sql: "DELETE FROM pictures WHERE number = ?", arguments: [row[0] as Int64])
        }
    }

    /// Deletes the pictures of a trim, and is called before its events are deleted: pictures older than the last removed event, or
    /// all of them with the session.
    static func forget(_ trim: SessionTrim, of session: Int64, in db: Database) throws {
        guard trim.state != nil else {
            return try db.cachedStatement(sql: "DELETE FROM pictures WHERE session = ?").execute(arguments: [session])
        }
        let deletion = try db.cachedStatement(
            sql: "DELETE FROM pictures WHERE session = ? AND at <= (SELECT at FROM events WHERE id = ?)")
        try deletion.execute(arguments: [session, EventKey.id(session: session, seq: trim.through)])
    }
}
