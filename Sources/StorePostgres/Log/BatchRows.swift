internal import HeliographPostgreSQL
internal import RelayCore
internal import RelayModel
internal import RelayProtocol
internal import RelayStore

// The rows of a batch, as columns: one statement inserts any number of them.

struct EventRows {
    private var workspaces: [Int32] = []
    private var sessions: [Int32] = []
    private var seqs: [Int64] = []
    private var kinds: [String] = []
    private var times: [Int64] = []
    private var bytes: [[UInt8]] = []
    private var checksums: [Int32] = []

    mutating func add(_ event: LogEvent, _ workspace: Int32, _ session: Int32, _ seq: Int64) {
        workspaces.append(workspace)
        sessions.append(session)
        seqs.append(seq)
        kinds.append(event.kind)
        times.append(event.at)
        bytes.append(event.bytes)
        checksums.append(Self.checksum(of: event, session, seq))
    }

    private static func checksum(of event: LogEvent, _ session: Int32, _ seq: Int64) -> Int32 {
        var kind = event.kind
        let id = EventKey.id(session: Int64(session), seq: seq)
        return kind.withUTF8 { kind in
            unsafe event.bytes.withUnsafeBytes { bytes in
                unsafe RowChecksum(id: id, kind: UnsafeRawBufferPointer(kind), at: event.at, bytes: bytes).int
            }
        }
    }

    var statements: [PostgresStatement] {
        guard !seqs.isEmpty else { return [] }
        return [
            PostgresStatement(
                """
                INSERT INTO events SELECT * FROM unnest(
                    $1::int[], $2::int[], $3::bigint[], $4::text[], $5::bigint[], $6::bytea[], $7::int[])
                """, .ints(workspaces), .ints(sessions), .bigints(seqs), .texts(kinds), .bigints(times), .byteas(bytes),
                .ints(checksums))
        ]
    }
}

struct AuditRows {
    private var workspaces: [Int32] = []
    private var numbers: [Int64] = []
    private var lines: [[UInt8]] = []

    /// `place`: the end of the audit log after this line.
    mutating func add(_ line: [UInt8], _ place: AuditTable.Place) {
        workspaces.append(place.number)
        numbers.append(place.head.n)
        lines.append(line)
    }

    var statements: [PostgresStatement] {
        guard !lines.isEmpty else { return [] }
        return [
            PostgresStatement(
                "INSERT INTO audit SELECT * FROM unnest($1::int[], $2::bigint[], $3::bytea[])", .ints(workspaces),
                .bigints(numbers), .byteas(lines))
        ]
    }
}

struct SessionRow {
    let key: SessionKey
    let workspace: Int32
    let number: Int32
    /// The session's last number in the database; nil if the session is new.
    let storedSeq: Int64?
    var state: SessionState
    /// True if the stored row is damaged: it is saved elsewhere before it is replaced.
    let isDamaged: Bool
    /// Number of the last audit record about the session; 0 if this batch adds none.
    var audited: Int64 = 0

    static func statements(_ rows: [SessionRow]) -> [PostgresStatement] {
        let (fresh, known) = (rows.filter { $0.storedSeq == nil }, rows.filter { $0.storedSeq != nil })
        var statements: [PostgresStatement] = []
        if !fresh.isEmpty {
            statements.append(
                PostgresStatement(
                    """
                    INSERT INTO sessions (workspace, number, seq, host_seq, state, checksum, audited, session, host)
                    SELECT * FROM unnest(
                        $1::int[], $2::int[], $3::bigint[], $4::bigint[], $5::bytea[], $6::int[], $7::bigint[], $8::text[], $9::text[])
                    """,
                    values(fresh) + [
                        .texts(fresh.map(\.key.session.rawValue)), .texts(fresh.map(\.state.summary.host.id.rawValue)),
                    ]))
        }
        guard !known.isEmpty else { return statements }
        statements.append(
            PostgresStatement(
                """
                WITH changed AS (
                    UPDATE sessions AS s SET seq = n.seq, host_seq = n.host_seq, state = n.state, is_removed = false,
                        checksum = n.checksum, audited = greatest(s.audited, n.audited)
                    FROM unnest(
                        $1::int[], $2::int[], $3::bigint[], $4::bigint[], $5::bytea[], $6::int[], $7::bigint[], $8::bigint[]
                    ) AS n (workspace, number, seq, host_seq, state, checksum, audited, stored_seq)
                    WHERE s.workspace = n.workspace AND s.number = n.number AND s.seq = n.stored_seq RETURNING 1
                ) SELECT expect_rows(count(*), $9::bigint, 'sessions are') FROM changed
                """, values(known) + [.bigints(known.map { $0.storedSeq ?? 0 }), .bigint(Int64(known.count))]))
        return statements
    }

    private static func values(_ rows: [SessionRow]) -> [PostgresValue] {
        let states = rows.map(\.state.bytes)
        let checksums = zip(rows, states).map { row, bytes in
            RowChecksum(
                session: row.key, host: row.state.summary.host.id.rawValue, seq: row.state.seq, hostSeq: row.state.hostSeq,
                state: bytes, isRemoved: false
            ).int
        }
        return [
            .ints(rows.map(\.workspace)), .ints(rows.map(\.number)), .bigints(rows.map(\.state.seq)),
            .bigints(rows.map(\.state.hostSeq)), .byteas(states), .ints(checksums), .bigints(rows.map(\.audited)),
        ]
    }
}

struct ApprovalRow {
    let workspace: Int32
    let session: Int32
    let name: String
    let seq: Int64
    let stage: String
    let resolvedAt: Int64?
    let record: [UInt8]
    let isNew: Bool

    init(_ approval: Approval, workspace: Int32, session: Int32, isNew: Bool) {
        (self.workspace, self.session, self.isNew) = (workspace, session, isNew)
        (name, seq, stage) = (approval.id.rawValue, approval.seq, approval.stage.word.rawValue)
        (resolvedAt, record) = (approval.stage.resolvedAt, approval.bytes)
    }

    private var checksum: Int32 {
        RowChecksum(
            approval: name, session: Int64(session), seq: seq, stage: stage, resolvedAt: resolvedAt, record: record
        ).int
    }

    static func statements(_ rows: [ApprovalRow]) -> [PostgresStatement] {
        let (fresh, known) = (rows.filter(\.isNew), rows.filter { !$0.isNew })
        var statements: [PostgresStatement] = []
        let columns =
            "$1::int[], $2::int[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::bytea[], $8::int[]"
        if !fresh.isEmpty {
            statements.append(
                PostgresStatement(
                    """
                    INSERT INTO approvals (workspace, session, approval, seq, stage, resolved_at, record, checksum)
                    SELECT * FROM unnest(\(columns))
                    """, values(fresh)))
        }
        guard !known.isEmpty else { return statements }
        statements.append(
            PostgresStatement(
                """
                WITH changed AS (
                    UPDATE approvals AS a SET seq = n.seq, stage = n.stage, resolved_at = n.resolved_at, record = n.record,
                        checksum = n.checksum
                    FROM unnest(\(columns)) AS n (workspace, session, approval, seq, stage, resolved_at, record, checksum)
                    WHERE a.workspace = n.workspace AND a.session = n.session AND a.approval = n.approval RETURNING 1
                ) SELECT expect_rows(count(*), $9::bigint, 'approvals are') FROM changed
                """, values(known) + [.bigint(Int64(known.count))]))
        return statements
    }

    private static func values(_ rows: [ApprovalRow]) -> [PostgresValue] {
        [
            .ints(rows.map(\.workspace)), .ints(rows.map(\.session)), .texts(rows.map(\.name)), .bigints(rows.map(\.seq)),
            .texts(rows.map(\.stage)), .optionalBigints(rows.map(\.resolvedAt)), .byteas(rows.map(\.record)),
            .ints(rows.map(\.checksum)),
        ]
    }
}

struct RecordRows {
    private(set) var names: [String] = []
    private var workspaces: [Int32] = []
    private var kinds: [String] = []
    private var bytes: [[UInt8]] = []
    private var checksums: [Int32] = []

    mutating func add(_ record: PushRecord, _ workspace: Int32, _ bytes: [UInt8]) {
        let kind = record.kind.rawValue
        names.append(record.name)
        workspaces.append(workspace)
        kinds.append(kind)
        self.bytes.append(bytes)
        let checksum = RowChecksum(
            record: record.name, kind: kind, workspace: record.workspace.rawValue, bytes: bytes)
        checksums.append(checksum.int)
    }

    var upsert: PostgresStatement {
        PostgresStatement(
            """
            INSERT INTO push_records SELECT * FROM unnest($1::int[], $2::text[], $3::text[], $4::bytea[], $5::int[])
            ON CONFLICT (workspace, kind, name) DO UPDATE SET bytes = excluded.bytes, checksum = excluded.checksum
            """, .ints(workspaces), .texts(kinds), .texts(names), .byteas(bytes), .ints(checksums))
    }

    var deletion: PostgresStatement {
        PostgresStatement(
            """
            DELETE FROM push_records AS r USING unnest($1::int[], $2::text[], $3::text[]) AS n (workspace, kind, name)
            WHERE (r.workspace, r.kind, r.name) = (n.workspace, n.kind, n.name)
            """, .ints(workspaces), .texts(kinds), .texts(names))
    }
}

/// Changes of push addresses. An address that is reported here belongs to its reporter only. One that its record no longer has
/// becomes free, unless another workspace had it, which may then still push there.
struct AddressRows {
    private struct Owner {
        let workspace: Int32
        let kind: String
        let name: String
    }

    /// Records whose address rows are replaced.
    private var records: [Owner] = []
    /// Owners by digest of the address: within a batch, too, the last report wins.
    private var owners: [[UInt8]: Owner] = [:]

    mutating func add(_ record: PushRecord, _ workspace: Int32) {
        guard let addresses = record.bytes == nil ? [] : record.addresses, record.kind == .device || record.kind == .card
        else { return }
        let owner = Owner(workspace: workspace, kind: record.kind.rawValue, name: record.name)
        records.append(owner)
        for address in addresses { owners[address.digest] = owner }
    }

    var statements: [PostgresStatement] {
        guard !records.isEmpty else { return [] }
        // In the same order for all writers: one that takes an address from another waits for that one's commit.
        let told = owners.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        let release = PostgresStatement(
            """
            DELETE FROM push_addresses AS a USING unnest($1::int[], $2::text[], $3::text[]) AS n (workspace, kind, name)
            WHERE (a.workspace, a.kind, a.name) = (n.workspace, n.kind, n.name) AND a.digest <> ALL ($4::bytea[]) AND NOT a.has_moved
            """, .ints(records.map(\.workspace)), .texts(records.map(\.kind)), .texts(records.map(\.name)),
            .byteas(told.map(\.key)))
        guard !told.isEmpty else { return [release] }
        return [
            release,
            PostgresStatement(
                """
                INSERT INTO push_addresses AS a SELECT * FROM unnest($1::bytea[], $2::int[], $3::text[], $4::text[])
                ON CONFLICT (digest) DO UPDATE SET workspace = excluded.workspace, kind = excluded.kind, name = excluded.name,
                    has_moved = a.has_moved OR a.workspace <> excluded.workspace
                WHERE (a.workspace, a.kind, a.name) <> (excluded.workspace, excluded.kind, excluded.name)
                """, .byteas(told.map(\.key)), .ints(told.map(\.value.workspace)), .texts(told.map(\.value.kind)),
                .texts(told.map(\.value.name))),
        ]
    }
}
