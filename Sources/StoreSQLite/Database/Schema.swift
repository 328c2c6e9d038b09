internal import GRDB

/// The tables, as a list of migrations: one a version, never changed once released.
enum Schema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { try $0.execute(sql: v1) }
        migrator.registerMigration("v2") { try $0.execute(sql: v2) }
        migrator.registerMigration("v3") { try $0.execute(sql: v3) }
        migrator.registerMigration("v4") { try $0.execute(sql: v4) }
        migrator.registerMigration("v5") { try $0.execute(sql: v5) }
        migrator.registerMigration("v6") { try $0.execute(sql: v6) }
        migrator.registerMigration("v7") { try $0.execute(sql: v7) }
        migrator.registerMigration("v8") { try $0.execute(sql: v8) }
        migrator.registerMigration("v9") { try $0.execute(sql: v9) }
        migrator.registerMigration("v10") { try $0.execute(sql: v10) }
        migrator.registerMigration("v11") { try $0.execute(sql: v11) }
        migrator.registerMigration("v12") { try $0.execute(sql: v12) }
        return migrator
    }

    /// Names a column that differs from its migration; nil if there is none. A check of pages does not find a name that the disk
    /// changed, and a start would write to the file before the column is missed.
    static func fault(in db: Database) throws -> String? {
        guard let newest = try migrator.appliedMigrations(db).last else { return nil }
        let fresh = try DatabaseQueue()
        try migrator.migrate(fresh, upTo: newest)
        // Only our own tables are checked: SQLite may not be able to read other programs' tables, and leaves its own out of a copy.
        let expected = try fresh.read { db in
            let tables = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name")
            return try tables.map { (name: $0, columns: try columns(of: $0, db)) }
        }
        for table in expected {
            let found = Set(try columns(of: table.name, db))
            guard let missing = table.columns.first(where: { !found.contains($0) }) else { continue }
            return "\(table.name).\(missing) is missing"
        }
        return nil
    }

    private static func columns(of table: String, _ db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table])
    }

    private static let v1 = """
        -- epoch: which life of the log this is; file: the inode it lives in; created: milliseconds since 1970.
        CREATE TABLE meta (
            name TEXT PRIMARY KEY,
            value TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE workspaces (
            number INTEGER PRIMARY KEY,
            workspace TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL
        ) STRICT;

        CREATE TABLE tokens (
            number INTEGER PRIMARY KEY,
            token TEXT NOT NULL UNIQUE,
            digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
            role TEXT NOT NULL,
            subject TEXT NOT NULL,
            name TEXT NOT NULL,
            workspace TEXT NOT NULL REFERENCES workspaces (workspace),
            created_at INTEGER NOT NULL,
            revoked_at INTEGER
        ) STRICT;

        CREATE TABLE pairing_codes (
            digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
            role TEXT NOT NULL,
            workspace TEXT NOT NULL REFERENCES workspaces (workspace),
            expires_at INTEGER NOT NULL,
            used_at INTEGER
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE sessions (
            number INTEGER PRIMARY KEY,
            workspace TEXT NOT NULL REFERENCES workspaces (workspace),
            session TEXT NOT NULL,
            host TEXT NOT NULL,
            seq INTEGER NOT NULL,
            host_seq INTEGER NOT NULL,
            state BLOB NOT NULL,
            UNIQUE (workspace, session)
        ) STRICT;

        -- id is sessions.number << 32 | seq. One tree, no index beside it: a session's events lie next to each other in the
        -- order in which they are read, and a new one dirties one page. A rowid table keeps events up to 4 KB within the
        -- tree; WITHOUT ROWID would send those over 1 KB to pages of their own.
        CREATE TABLE events (
            id INTEGER PRIMARY KEY,
            kind TEXT NOT NULL,
            at INTEGER NOT NULL,
            bytes BLOB NOT NULL
        ) STRICT;

        -- resolved_at is null for as long as something can still happen to it.
        CREATE TABLE approvals (
            number INTEGER PRIMARY KEY,
            session INTEGER NOT NULL REFERENCES sessions (number),
            approval TEXT NOT NULL,
            seq INTEGER NOT NULL,
            stage TEXT NOT NULL,
            resolved_at INTEGER,
            record BLOB NOT NULL,
            UNIQUE (session, approval)
        ) STRICT;
        CREATE INDEX approvals_by_resolution ON approvals (resolved_at);

        -- Only ever added to.
        CREATE TABLE approval_history (
            approval INTEGER NOT NULL REFERENCES approvals (number),
            seq INTEGER NOT NULL,
            stage TEXT NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY (approval, seq)
        ) STRICT, WITHOUT ROWID;

        INSERT INTO meta VALUES ('created', unixepoch() * 1000);
        """

    private static let v2 = """
        -- 1: retention removed the session. Its row stays, as its place; its state is what it had used up.
        ALTER TABLE sessions ADD COLUMN is_removed INTEGER NOT NULL DEFAULT 0;

        -- A state that no longer decoded, kept before another took its place.
        CREATE TABLE damaged_states (
            number INTEGER PRIMARY KEY,
            session INTEGER NOT NULL REFERENCES sessions (number),
            seq INTEGER NOT NULL,
            state BLOB NOT NULL
        ) STRICT;

        -- Commands with an effect outside the log.
        CREATE TABLE commands (
            workspace TEXT NOT NULL REFERENCES workspaces (workspace),
            client TEXT NOT NULL,
            command TEXT NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY (workspace, client, command)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX commands_by_time ON commands (at);

        -- Only ever added to; retention passes it by. n counts in the workspace, number in the file: AUTOINCREMENT remembers
        -- how many there were, so that rows which are taken off the end are missed.
        CREATE TABLE audit (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            workspace TEXT NOT NULL REFERENCES workspaces (workspace),
            n INTEGER NOT NULL,
            hash TEXT NOT NULL CHECK (length(hash) = 64),
            line BLOB NOT NULL,
            UNIQUE (workspace, n)
        ) STRICT;
        -- Against accidents; anyone who can write the file can drop these, and the hashes are for them.
        CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
        BEGIN SELECT raise(ABORT, 'the audit log is only ever added to'); END;
        CREATE TRIGGER audit_is_not_cut BEFORE DELETE ON audit
        BEGIN SELECT raise(ABORT, 'the audit log is only ever added to'); END;

        -- Approvals up to this number may have been decided before there was an audit log.
        INSERT INTO meta SELECT 'audit_follows_approval', coalesce(max(number), 0) FROM approvals;
        """

    private static let v3 = """
        -- What the planner of pushes keeps: devices, cards, pushes, budgets, in its own JSON. Nothing is looked up in it: all of it is
        -- in the relay's memory. See decision record 0014.
        CREATE TABLE push_records (
            workspace TEXT NOT NULL REFERENCES workspaces (workspace),
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            bytes BLOB NOT NULL,
            PRIMARY KEY (workspace, kind, name)
        ) STRICT, WITHOUT ROWID;
        """

    private static let v4 = """
        -- See RowChecksum. Null: from before. No row is touched, so a file of gigabytes is up to date at once.
        ALTER TABLE events ADD COLUMN checksum INTEGER;
        ALTER TABLE sessions ADD COLUMN checksum INTEGER;
        ALTER TABLE approvals ADD COLUMN checksum INTEGER;
        ALTER TABLE push_records ADD COLUMN checksum INTEGER;
        """

    /// Halves the pages that an approval writes, each of which is written and checksummed with every step; see decision record
    /// 0013. Unlike earlier versions this one rewrites data, the audit log, so the disk needs space for that twice.
    private static let v5 = """
        -- The audit log has each step of an approval, and outlives it.
        DROP TABLE approval_history;

        -- Nothing was looked up in it.
        DROP INDEX approvals_by_resolution;

        -- The last record of the workspace's audit log that was about the session, or about no session: how many there were, so
        -- that rows which are taken off the end are missed. Never becomes less.
        ALTER TABLE sessions ADD COLUMN audited INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE workspaces ADD COLUMN audited INTEGER NOT NULL DEFAULT 0;

        -- id is workspaces.number << 32 | n: one tree, as of events. What else the columns said stands in the line. In their order,
        -- as they stand: to sort them would take room in a folder for temporary files. A row that somebody has changed, so that it
        -- has no such place, keeps its number, of no workspace, and is seen there.
        DROP TRIGGER audit_is_not_changed;
        DROP TRIGGER audit_is_not_cut;
        ALTER TABLE audit RENAME TO audit_until_v4;
        CREATE TABLE audit (
            id INTEGER PRIMARY KEY,
            line BLOB NOT NULL
        ) STRICT;
        INSERT OR IGNORE INTO audit
        SELECT
            CASE WHEN w.number BETWEEN 1 AND 0x7fffffff AND a.n BETWEEN 1 AND 0xffffffff THEN w.number << 32 | a.n ELSE a.number END,
            a.line
        FROM audit_until_v4 AS a LEFT JOIN workspaces AS w USING (workspace);
        UPDATE workspaces SET audited =
            coalesce((SELECT max(id) & 0xffffffff FROM audit WHERE id > number << 32 AND id < (number + 1) << 32), 0);
        -- The rows that were missing still are: of the oldest workspace, as nothing says whose they were.
        UPDATE workspaces SET audited = audited
            + max(0, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'audit_until_v4'), 0) - (SELECT count(*) FROM audit))
        WHERE number = (SELECT min(number) FROM workspaces);
        DROP TABLE audit_until_v4;
        CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
        BEGIN SELECT raise(ABORT, 'the audit log is only ever added to'); END;
        CREATE TRIGGER audit_is_not_cut BEFORE DELETE ON audit
        BEGIN SELECT raise(ABORT, 'the audit log is only ever added to'); END;
        """

    private static let v6 = """
        -- parent: the token by which it was let in; null: the relay's own machine. page_key: SHA-256 of what a browser's page keeps beside
        -- its cookie. See decision record 0006.
        ALTER TABLE tokens ADD COLUMN kind TEXT NOT NULL DEFAULT 'unsure';
        ALTER TABLE tokens ADD COLUMN parent TEXT;
        ALTER TABLE tokens ADD COLUMN page_key BLOB;
        ALTER TABLE tokens ADD COLUMN used_at INTEGER;
        ALTER TABLE pairing_codes ADD COLUMN parent TEXT;

        -- A client's token that came of a code may stand in a browser's cookie. One that the relay's own machine made never did.
        UPDATE tokens SET kind = 'host' WHERE role = 'host';
        WITH made AS MATERIALIZED (
            SELECT CAST(line AS TEXT) AS line FROM audit WHERE instr(line, CAST('"what":"token.created"' AS BLOB))
        )
        UPDATE tokens SET kind = 'program'
        WHERE role = 'client' AND EXISTS (SELECT * FROM made WHERE instr(line, '"what":"token.created","token":"' || token || '"'));
        """

    private static let v7 = """
        -- Pictures that go with prompts, the newest with the highest number. See decision record 0059. The digest is of the bytes, and says
        -- whether they are as they were written. `at` is the relay's clock. The size stands before the bytes, where it is read without them.
        CREATE TABLE pictures (
            number INTEGER PRIMARY KEY,
            session INTEGER NOT NULL REFERENCES sessions (number),
            digest TEXT NOT NULL CHECK (length(digest) = 64),
            type TEXT NOT NULL,
            size INTEGER NOT NULL,
            at INTEGER NOT NULL,
            bytes BLOB NOT NULL,
            UNIQUE (session, digest)
        ) STRICT;
        CREATE INDEX pictures_by_digest ON pictures (digest);
        """

    private static let v8 = """
        -- The address from which each token was last used.
        ALTER TABLE tokens ADD COLUMN used_from TEXT;
        """

    private static let v9 = """
        -- When the workspace was removed, in milliseconds since 1970: nobody gets in, and its data is on its way out. Its row stays, as its
        -- audit log does. See decision record 0066.
        ALTER TABLE workspaces ADD COLUMN removed_at INTEGER;
        """

    private static let v10 = """
        -- What the operator allows this workspace; null: as the relay's settings say. See WorkspaceLimits.
        ALTER TABLE workspaces ADD COLUMN sessions_max INTEGER;
        ALTER TABLE workspaces ADD COLUMN megabytes_max INTEGER;
        ALTER TABLE workspaces ADD COLUMN pushes_max INTEGER;
        ALTER TABLE workspaces ADD COLUMN connections_max INTEGER;
        ALTER TABLE workspaces ADD COLUMN keep_days INTEGER;
        """

    private static let v11 = """
        -- 1: its audit log and its names go with its data. See decision record 0128.
        ALTER TABLE workspaces ADD COLUMN is_erased INTEGER NOT NULL DEFAULT 0;
        DROP TRIGGER audit_is_not_cut;
        CREATE TRIGGER audit_is_not_cut BEFORE DELETE ON audit
        WHEN coalesce((SELECT is_erased FROM workspaces WHERE number = old.id >> 32), 0) = 0
        BEGIN SELECT raise(ABORT, 'the audit log is only ever added to'); END;
        """

    private static let v12 = """
        -- Address and time, in milliseconds since 1970, at which a stranger registered this workspace; null: the operator added it.
        ALTER TABLE workspaces ADD COLUMN registered_from TEXT;
        ALTER TABLE workspaces ADD COLUMN registered_at INTEGER;
        """
}
