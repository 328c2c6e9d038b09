/// SQL that makes a file what an older version would have left.
enum OlderFile {
    static let version11 = """
        ALTER TABLE workspaces DROP COLUMN registered_from; ALTER TABLE workspaces DROP COLUMN registered_at;
        DELETE FROM grdb_migrations WHERE identifier = 'v12';

        """

    static let version10 =
        version11 + """
            DROP TRIGGER audit_is_not_cut; ALTER TABLE workspaces DROP COLUMN is_erased;
            CREATE TRIGGER audit_is_not_cut BEFORE DELETE ON audit
            BEGIN SELECT raise(ABORT, 'the audit log is only ever added to'); END;
            DELETE FROM grdb_migrations WHERE identifier = 'v11';

            """

    static let version9 =
        version10 + """
            ALTER TABLE workspaces DROP COLUMN sessions_max; ALTER TABLE workspaces DROP COLUMN megabytes_max;
            ALTER TABLE workspaces DROP COLUMN pushes_max; ALTER TABLE workspaces DROP COLUMN connections_max;
            ALTER TABLE workspaces DROP COLUMN keep_days;
            DELETE FROM grdb_migrations WHERE identifier = 'v10';

            """

    static let version7 =
        version9 + """
            ALTER TABLE tokens DROP COLUMN used_from; ALTER TABLE workspaces DROP COLUMN removed_at;
            DELETE FROM grdb_migrations WHERE identifier > 'v7';

            """

    static let version6 =
        version7 + """
            DROP TABLE pictures;
            DELETE FROM grdb_migrations WHERE identifier > 'v6';

            """

    static let version5 =
        version6 + """
            ALTER TABLE tokens DROP COLUMN kind; ALTER TABLE tokens DROP COLUMN parent; ALTER TABLE tokens DROP COLUMN page_key;
            ALTER TABLE tokens DROP COLUMN used_at; ALTER TABLE pairing_codes DROP COLUMN parent;
            DELETE FROM grdb_migrations WHERE identifier > 'v5';

            """

    static let version4 =
        version5 + """
            DROP TRIGGER audit_is_not_changed; DROP TRIGGER audit_is_not_cut;
            CREATE TABLE approval_history (
                approval INTEGER NOT NULL REFERENCES approvals (number), seq INTEGER NOT NULL, stage TEXT NOT NULL, at INTEGER NOT NULL,
                PRIMARY KEY (approval, seq)
            ) STRICT, WITHOUT ROWID;
            INSERT INTO approval_history SELECT number, seq, stage, 0 FROM approvals;
            CREATE INDEX approvals_by_resolution ON approvals (resolved_at);
            ALTER TABLE sessions DROP COLUMN audited; ALTER TABLE workspaces DROP COLUMN audited;
            ALTER TABLE audit RENAME TO audit_of_v5;
            CREATE TABLE audit (
                number INTEGER PRIMARY KEY AUTOINCREMENT, workspace TEXT NOT NULL REFERENCES workspaces (workspace),
                n INTEGER NOT NULL, hash TEXT NOT NULL CHECK (length(hash) = 64), line BLOB NOT NULL, UNIQUE (workspace, n)
            ) STRICT;
            INSERT INTO audit (workspace, n, hash, line)
            SELECT workspace, id & 0xffffffff, substr(CAST(line AS TEXT), -66, 64), line
            FROM audit_of_v5 JOIN workspaces ON number = id >> 32 ORDER BY id & 0xffffffff, id;
            DROP TABLE audit_of_v5;
            CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
            BEGIN SELECT raise(ABORT, 'the audit log is only ever added to'); END;
            CREATE TRIGGER audit_is_not_cut BEFORE DELETE ON audit
            BEGIN SELECT raise(ABORT, 'the audit log is only ever added to'); END;
            DELETE FROM grdb_migrations WHERE identifier > 'v4';
            """

    static let version3 =
        version4 + """
            ALTER TABLE events DROP COLUMN checksum; ALTER TABLE sessions DROP COLUMN checksum;
            ALTER TABLE approvals DROP COLUMN checksum; ALTER TABLE push_records DROP COLUMN checksum;
            DELETE FROM grdb_migrations WHERE identifier > 'v3';
            """

    static let version1 =
        version3 + """
            DROP TABLE audit; DROP TABLE commands; DROP TABLE damaged_states; ALTER TABLE sessions DROP COLUMN is_removed;
            DELETE FROM meta WHERE name = 'audit_follows_approval'; DROP TABLE push_records;
            DELETE FROM grdb_migrations WHERE identifier > 'v1';
            """
}
