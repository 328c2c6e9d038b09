internal import HeliographPostgreSQL

/// The tables, as a list of migrations: one a version, never changed once released.
///
/// They have the names and columns of `StoreSQLite`'s, with the same meaning. The differences: a workspace's number comes first in
/// every key, as the data is divided by it when one database is not enough; sessions are numbered within their workspace, by the
/// owner of the log; events and audit records have the two parts of their key in separate columns; and there are `owners` and
/// `nodes`, which a file does not need.
enum Schema {
    /// The last version is this many.
    static var newest: Int { versions.count }

    /// The statements of each version, from 1 on. They are executed one by one, in one transaction.
    static let versions: [[String]] = [v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11]

    static let bookkeeping = """
        CREATE TABLE IF NOT EXISTS versions (version int PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())
        """

    /// "HELIOGRA" in ASCII, so that other programs on the same database use other locks.
    static let migrationLock: Int64 = 0x4845_4C49_4F47_5241

    private static let v1 = [
        // clock: see AgeClockRecord.
        """
        CREATE TABLE meta (
            name text COLLATE "C" PRIMARY KEY,
            value text NOT NULL
        )
        """,
        // The relay that may commit to a log: one row, for everything (until version 6). generation grows with each claim: each
        // commit locks the row and compares, so that a replaced relay can no longer write. born_on: the database's identity and
        // timeline when the epoch began; on another one something may be missing that clients have seen.
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
        // One row for each process of a relay, which renews it. Not in owners: a commit that waits for a standby holds that row's
        // lock.
        """
        CREATE TABLE nodes (
            holder text COLLATE "C" PRIMARY KEY,
            software text NOT NULL,
            expires_at timestamptz NOT NULL
        )
        """,
        // audited: the last record of the workspace's audit log that was about no session; see sessions.
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
        // is_removed: retention removed the session. Its row stays as its position; its state is then its usage. audited: the last
        // record of the workspace's audit log that was about the session, so that records that were cut off at the end are noticed.
        // Never decreases. Space is left in each page, as a state is replaced with each commit.
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
        // checksum: see RowChecksum; an event's key goes into it as session << 32 | seq.
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
        // resolved_at is null as long as the approval can still change. number is their order of arrival.
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
        // A state that does not decode, saved before it was replaced.
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
        // Records of the push planner in its own JSON: devices, cards, pushes, budgets.
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
        // Pictures in prompts, the newest with the highest number. The digest shows whether one is unchanged.
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
        // Append-only; retention does not touch it.
        """
        CREATE TABLE audit (
            workspace int NOT NULL,
            n bigint NOT NULL,
            line bytea NOT NULL,
            PRIMARY KEY (workspace, n)
        )
        """,
        // Prevents accidents; anyone who owns the tables can drop these triggers, and the hashes protect against that.
        """
        CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'the audit log is only ever added to'; END $$
        """,
        """
        CREATE TRIGGER audit_is_only_added_to BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
        """,
        // Called first in every commit. The lock makes it safe: without it another relay could take over, and load, between this
        // check and the commit.
        """
        CREATE FUNCTION fence(of_scope text, of_generation bigint) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM FROM owners WHERE scope = of_scope AND generation = of_generation FOR SHARE;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'generation % is not the last', of_generation USING ERRCODE = 'HG001';
            END IF;
        END $$
        """,
        // Checks in the database how many rows a statement has changed: we receive the count only after the commit, when it is too late.
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
        // When the workspace was removed: nobody can connect to it, and its data is being deleted. Its row stays, as its audit log
        // does.
        "ALTER TABLE workspaces ADD COLUMN removed_at bigint"
    ]

    private static let v3 = [
        // Counts changes of tokens and workspaces, in the transaction of each change; a relay that sees a new count reads them again.
        // Triggers, so that no change is missed, not even an operator's. A token's last use and the end of a workspace's audit log are
        // not counted: they do not change access. Codes are not either: they are read when they are redeemed.
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
        // Secrets that all relays share, so that each can continue what another began; see SecretStore. Made once, by the first relay.
        """
        CREATE TABLE secrets (
            name text COLLATE "C" PRIMARY KEY,
            value bytea NOT NULL
        )
        """
    ]

    private static let v5 = [
        // The operator's name for the node, the address at which it accepts links of other nodes, and the bearer token for them; null if
        // it accepts none. The previous version leaves them null, and accepts none.
        """
        ALTER TABLE nodes ADD COLUMN name text, ADD COLUMN url text, ADD COLUMN link_secret text, ADD COLUMN link_version int
        """
    ]

    /// The version from which `owners` has a row for each workspace. Before, one row with the scope '' was for everything. Programs
    /// of earlier versions know no other, so from this version on none of them can hold or fence it, commit, or take over.
    static let versionOfRows = 6

    private static let v6 = [
        // True if the node is about to end; it is given no more workspaces.
        "ALTER TABLE nodes ADD COLUMN is_leaving boolean NOT NULL DEFAULT false",
        // The previous owner may have stopped in the middle of a commit, with its locks; after the next statement it cannot commit
        // any more.
        """
        SELECT count(pg_terminate_backend(pid, 2000)) FROM pg_stat_activity, owners
        WHERE scope = '' AND datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
        AND starts_with(application_name, 'heliograph/' || holder || '/')
        """,
        "UPDATE owners SET generation = generation + 1, holder = NULL WHERE scope = ''",
        // Epoch that earlier versions derived from the log's for each workspace but the first; see Epochs.
        """
        CREATE FUNCTION derived_epoch(of_log text, of_workspace text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
        DECLARE
            hash numeric := 14695981039346656037;
            bytes bytea := convert_to(of_workspace, 'UTF8');
            low int;
            ending text;
        BEGIN
            FOR place IN 0..length(bytes) - 1 LOOP
                low := (hash % 256)::int;
                hash := ((hash - low + (low # get_byte(bytes, place))) * 1099511628211) % 18446744073709551616;
            END LOOP;
            ending := '-' || to_hex((CASE WHEN hash < 9223372036854775808 THEN hash ELSE hash - 18446744073709551616 END)::bigint);
            RETURN left(of_log, 64 - length(ending)) || ending;
        END $$
        """,
        // One row for each workspace, and '*' for data that is of none: that character is not allowed in a workspace's id.
        "INSERT INTO owners (scope, epoch, born_on) SELECT '*', epoch, born_on FROM owners WHERE scope = ''",
        """
        INSERT INTO owners (scope, epoch, born_on)
        SELECT w.workspace,
            CASE WHEN w.number = (SELECT min(number) FROM workspaces) THEN o.epoch ELSE derived_epoch(o.epoch, w.workspace) END,
            o.born_on
        FROM workspaces AS w, owners AS o WHERE o.scope = ''
        """,
        "DROP FUNCTION derived_epoch",
        // A trigger, so that it runs however a workspace is made.
        """
        CREATE FUNCTION add_owners_row() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO owners (scope) VALUES (NEW.workspace) ON CONFLICT DO NOTHING;
            RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER workspaces_have_owners AFTER INSERT ON workspaces
        FOR EACH ROW EXECUTE FUNCTION add_owners_row()
        """,
        // Edges and standby relays of an earlier version retry for ever, and log this text.
        """
        CREATE FUNCTION refuse_whole() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'a newer version of Heliograph serves from this database, and older ones cannot beside it'; END $$
        """,
        """
        CREATE TRIGGER whole_is_over BEFORE UPDATE OR DELETE ON owners
        FOR EACH ROW WHEN (OLD.scope = '') EXECUTE FUNCTION refuse_whole()
        """,
        // Called first in every commit, for the workspace concerned; see the first version. Earlier versions call it for
        // everything.
        """
        CREATE OR REPLACE FUNCTION fence(of_scope text, of_generation bigint) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM FROM owners WHERE scope = of_scope AND generation = of_generation AND scope <> '' FOR SHARE;
            IF NOT FOUND THEN
                IF of_scope = '' THEN
                    RAISE EXCEPTION 'a newer version of Heliograph serves from this database' USING ERRCODE = 'HG001';
                END IF;
                RAISE EXCEPTION 'it owns %', of_scope USING ERRCODE = 'HG001';
            END IF;
        END $$
        """,
        // The same for several workspaces, whose rows are locked in a fixed order. One call for each would take three times as long
        // for eight workspaces.
        """
        CREATE FUNCTION fence(of_scopes text[], of_generations bigint[]) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE
            held bigint;
            lost text;
        BEGIN
            SELECT count(*) INTO held FROM (
                SELECT FROM owners JOIN unnest(of_scopes, of_generations) AS wanted (scope, generation) USING (scope, generation)
                WHERE scope <> '' ORDER BY scope FOR SHARE OF owners
            ) AS locked;
            IF held = cardinality(of_scopes) THEN RETURN; END IF;
            SELECT string_agg(wanted.scope, ' ' ORDER BY wanted.scope) INTO lost
            FROM unnest(of_scopes, of_generations) AS wanted (scope, generation)
            LEFT JOIN owners USING (scope, generation) WHERE owners.scope IS NULL;
            RAISE EXCEPTION 'it owns %', coalesce(lost, 'one of them') USING ERRCODE = 'HG001';
        END $$
        """,
    ]

    private static let v7 = [
        // Owner of each push address, by the address's SHA-256: the device or card whose app reported it last. Owners of workspaces
        // check this before they push. An address without a row was reported before this version, and any workspace may push there.
        // So a row is kept after its record is removed as long as another workspace has an older record of the address.
        """
        CREATE TABLE push_addresses (
            digest bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
            workspace int NOT NULL REFERENCES workspaces (number),
            kind text COLLATE "C" NOT NULL,
            name text COLLATE "C" NOT NULL,
            has_moved boolean NOT NULL DEFAULT false
        )
        """,
        "CREATE INDEX push_addresses_by_record ON push_addresses (workspace, kind, name)",
    ]

    private static let v8 = [
        // The key is for a publication FOR ALL TABLES, which may exist without our knowledge: it refuses deletions from a table
        // without a key.
        "ALTER TABLE damaged_states ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
    ]

    private static let v9 = [
        // The operator's limits for this workspace; null: the relay's settings apply. A change of them is counted like a change of
        // access.
        """
        ALTER TABLE workspaces ADD COLUMN sessions_max bigint, ADD COLUMN megabytes_max bigint, ADD COLUMN pushes_max bigint,
        ADD COLUMN connections_max bigint, ADD COLUMN keep_days bigint
        """,
        "DROP TRIGGER workspaces_are_watched ON workspaces",
        """
        CREATE TRIGGER workspaces_are_watched AFTER INSERT OR DELETE
        OR UPDATE OF name, removed_at, sessions_max, megabytes_max, pushes_max, connections_max, keep_days ON workspaces
        FOR EACH STATEMENT EXECUTE FUNCTION count_entrants_change()
        """,
    ]

    private static let v10 = [
        // True: its audit log and its names are deleted with its data. See decision record 0128.
        "ALTER TABLE workspaces ADD COLUMN is_erased boolean NOT NULL DEFAULT false",
        """
        CREATE FUNCTION refuse_cut() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF EXISTS (SELECT FROM workspaces WHERE number = OLD.workspace AND is_erased) THEN RETURN OLD; END IF;
            RAISE EXCEPTION 'the audit log is only ever added to';
        END $$
        """,
        "DROP TRIGGER audit_is_only_added_to ON audit",
        """
        CREATE TRIGGER audit_is_only_added_to BEFORE UPDATE OR TRUNCATE ON audit
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
        """,
        """
        CREATE TRIGGER audit_is_not_cut BEFORE DELETE ON audit
        FOR EACH ROW EXECUTE FUNCTION refuse_cut()
        """,
        "DROP TRIGGER workspaces_are_watched ON workspaces",
        """
        CREATE TRIGGER workspaces_are_watched AFTER INSERT OR DELETE
        OR UPDATE OF name, removed_at, sessions_max, megabytes_max, pushes_max, connections_max, keep_days, is_erased ON workspaces
        FOR EACH STATEMENT EXECUTE FUNCTION count_entrants_change()
        """,
    ]

    private static let v11 = [
        // Address and time at which a stranger registered this workspace; null: the operator added it.
        "ALTER TABLE workspaces ADD COLUMN registered_from text, ADD COLUMN registered_at bigint"
    ]
}
