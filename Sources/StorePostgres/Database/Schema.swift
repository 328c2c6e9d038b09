internal import HeliographPostgreSQL

/// The tables, as a row of migrations: one a version, never changed once released.
///
/// They have the names and columns that `StoreSQLite`'s have, and mean the same. What differs: a workspace's number comes first in every
/// key, as that is what is divided up when one database is not enough; sessions are numbered within their workspace, by the owner of the
/// log; events and audit records have the two parts of their place in columns of their own; and there are `owners` and `nodes`, which a
/// file needs not.
enum Schema {
    /// The last version is this many.
    static var newest: Int { versions.count }

    /// The statements of each version, from 1 on. They are done one by one, in one transaction.
    static let versions: [[String]] = [v1, v2, v3, v4, v5]

    static let bookkeeping = """
        CREATE TABLE IF NOT EXISTS versions (version int PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())
        """

    /// "HELIOGRA", in ASCII: other programs that use the same database have other locks.
    static let migrationLock: Int64 = 0x4845_4C49_4F47_5241

    private static let v1 = [
        // clock: see AgeClockRecord.
        """
        CREATE TABLE meta (
            name text COLLATE "C" PRIMARY KEY,
            value text NOT NULL
        )
        """,
        // The relay that may commit to a log. So far there is one row, for everything. generation grows with each claim: each commit locks
        // the row and compares, so that a replaced relay can write nothing more. born_on: the database's identity and timeline when the
        // epoch began; on another one something may be missing that clients have seen.
        """
        CREATE TABLE owners (
            scope text COLLATE "C" PRIMARY KEY,
            generation bigint NOT NULL DEFAULT 0,
            holder text,
            epoch text,
            born_on text
        )
        """,
        "INSERT INTO owners (scope) VALUES ('')",
        // One row a process of a relay, which it renews. Not in owners: a commit that waits for a standby holds that row.
        """
        CREATE TABLE nodes (
            holder text COLLATE "C" PRIMARY KEY,
            software text NOT NULL,
            expires_at timestamptz NOT NULL
        )
        """,
        // audited: the last record of its audit log that was about no session; see sessions.
        """
        CREATE TABLE workspaces (
            number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            workspace text COLLATE "C" NOT NULL UNIQUE,
            name text NOT NULL,
            audited bigint NOT NULL DEFAULT 0
        )
        """,
        """
        CREATE TABLE tokens (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            token text COLLATE "C" NOT NULL UNIQUE,
            digest bytea NOT NULL UNIQUE CHECK (octet_length(digest) = 32),
            role text NOT NULL,
            kind text NOT NULL,
            subject text NOT NULL,
            name text NOT NULL,
            workspace text COLLATE "C" NOT NULL REFERENCES workspaces (workspace),
            parent text COLLATE "C",
            page_key bytea,
            created_at bigint NOT NULL,
            revoked_at bigint,
            used_at bigint,
            used_from text
        )
        """,
        """
        CREATE TABLE pairing_codes (
            digest bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
            role text NOT NULL,
            workspace text COLLATE "C" NOT NULL REFERENCES workspaces (workspace),
            expires_at bigint NOT NULL,
            used_at bigint,
            parent text COLLATE "C"
        )
        """,
        // is_removed: retention removed the session. Its row stays, as its place; its state is what it had used up. audited: the last
        // record of the workspace's audit log that was about the session: how many there were, so that rows which are taken off the end are
        // missed. Never becomes less. Room is left in each page, as a state is written over with each commit.
        """
        CREATE TABLE sessions (
            workspace int NOT NULL REFERENCES workspaces (number),
            number int NOT NULL,
            session text COLLATE "C" NOT NULL,
            host text NOT NULL,
            seq bigint NOT NULL,
            host_seq bigint NOT NULL,
            state bytea NOT NULL,
            is_removed boolean NOT NULL DEFAULT false,
            audited bigint NOT NULL DEFAULT 0,
            checksum int,
            PRIMARY KEY (workspace, number),
            UNIQUE (workspace, session)
        ) WITH (fillfactor = 70)
        """,
        // checksum: see RowChecksum; an event's place goes into it as session << 32 | seq.
        """
        CREATE TABLE events (
            workspace int NOT NULL,
            session int NOT NULL,
            seq bigint NOT NULL,
            kind text NOT NULL,
            at bigint NOT NULL,
            bytes bytea NOT NULL,
            checksum int,
            PRIMARY KEY (workspace, session, seq)
        )
        """,
        // resolved_at is null for as long as something can still happen to it. number says in which order they came.
        """
        CREATE TABLE approvals (
            workspace int NOT NULL,
            session int NOT NULL,
            approval text COLLATE "C" NOT NULL,
            number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
            seq bigint NOT NULL,
            stage text NOT NULL,
            resolved_at bigint,
            record bytea NOT NULL,
            checksum int,
            PRIMARY KEY (workspace, session, approval),
            FOREIGN KEY (workspace, session) REFERENCES sessions (workspace, number)
        )
        """,
        // A state that no longer decoded, kept before another took its place.
        """
        CREATE TABLE damaged_states (
            workspace int NOT NULL,
            session int NOT NULL,
            seq bigint NOT NULL,
            state bytea NOT NULL
        )
        """,
        // Commands with an effect outside the log.
        """
        CREATE TABLE commands (
            workspace int NOT NULL REFERENCES workspaces (number),
            client text COLLATE "C" NOT NULL,
            command text COLLATE "C" NOT NULL,
            at bigint NOT NULL,
            PRIMARY KEY (workspace, client, command)
        )
        """,
        "CREATE INDEX commands_by_time ON commands (at)",
        // What the planner of pushes keeps: devices, cards, pushes, budgets, in its own JSON.
        """
        CREATE TABLE push_records (
            workspace int NOT NULL REFERENCES workspaces (number),
            kind text COLLATE "C" NOT NULL,
            name text COLLATE "C" NOT NULL,
            bytes bytea NOT NULL,
            checksum int,
            PRIMARY KEY (workspace, kind, name)
        )
        """,
        // Pictures that go with prompts, the newest with the highest number. The digest says whether one is as it was written.
        """
        CREATE TABLE pictures (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            workspace int NOT NULL,
            session int NOT NULL,
            digest text COLLATE "C" NOT NULL CHECK (length(digest) = 64),
            type text NOT NULL,
            size int NOT NULL,
            at bigint NOT NULL,
            bytes bytea NOT NULL,
            UNIQUE (workspace, session, digest),
            FOREIGN KEY (workspace, session) REFERENCES sessions (workspace, number)
        )
        """,
        "CREATE INDEX pictures_by_digest ON pictures (workspace, digest)",
        // Only ever added to; retention passes it by.
        """
        CREATE TABLE audit (
            workspace int NOT NULL,
            n bigint NOT NULL,
            line bytea NOT NULL,
            PRIMARY KEY (workspace, n)
        )
        """,
        // Against accidents; anyone who owns the tables can drop these, and the hashes are for them.
        """
        CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'the audit log is only ever added to'; END $$
        """,
        """
        CREATE TRIGGER audit_is_only_added_to BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
        """,
        // First in every commit. The lock is what makes it safe: without it somebody could take over, and load, between this and the
        // commit.
        """
        CREATE FUNCTION fence(of_scope text, of_generation bigint) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM FROM owners WHERE scope = of_scope AND generation = of_generation FOR SHARE;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'generation % is not the last', of_generation USING ERRCODE = 'HG001';
            END IF;
        END $$
        """,
        // How many rows a statement has changed is known to us only after the commit, when it is too late.
        """
        CREATE FUNCTION expect_rows(changed bigint, wanted bigint, what text) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            IF changed <> wanted THEN
                RAISE EXCEPTION '% not where the last commit has left them: % of %', what, changed, wanted USING ERRCODE = 'HG002';
            END IF;
        END $$
        """,
    ]

    private static let v2 = [
        // When the workspace was removed: nobody gets in, and its data is on its way out. Its row stays, as its audit log does.
        "ALTER TABLE workspaces ADD COLUMN removed_at bigint"
    ]

    private static let v3 = [
        // How often tokens and workspaces were changed, counted in the transaction of each change: the serving relay checks, and reads them
        // again. By triggers, so that no way to change them is left out, an operator's neither; when a token was used, and how far a
        // workspace's audit log is, changes nothing of who may come in. Codes are looked up when they are redeemed.
        """
        CREATE TABLE entrants (
            is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
            changes bigint NOT NULL DEFAULT 0
        )
        """,
        "INSERT INTO entrants DEFAULT VALUES",
        """
        CREATE FUNCTION count_entrants_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE entrants SET changes = changes + 1;
            RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER tokens_are_watched
        AFTER INSERT OR DELETE OR UPDATE OF digest, role, kind, subject, name, workspace, page_key, revoked_at ON tokens
        FOR EACH STATEMENT EXECUTE FUNCTION count_entrants_change()
        """,
        """
        CREATE TRIGGER workspaces_are_watched AFTER INSERT OR DELETE OR UPDATE OF name, removed_at ON workspaces
        FOR EACH STATEMENT EXECUTE FUNCTION count_entrants_change()
        """,
    ]

    private static let v4 = [
        // What every relay has to know to go on with what another has begun; see SecretStore. Made once, by the first relay.
        """
        CREATE TABLE secrets (
            name text COLLATE "C" PRIMARY KEY,
            value bytea NOT NULL
        )
        """
    ]

    private static let v5 = [
        // What the operator calls the node, and where it takes links of other nodes, with the bearer for it; null where it takes none. A
        // program of the version before says nothing of them, and takes none.
        """
        ALTER TABLE nodes ADD COLUMN name text, ADD COLUMN url text, ADD COLUMN link_secret text, ADD COLUMN link_version int
        """
    ]
}
