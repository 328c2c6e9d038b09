internal import RelayCore
internal import StorePostgres

extension Storage {
    /// State that the relay's database reports; nil if the data is in a file. Opening it brings its tables up to date.
    func databaseState() throws -> (address: String, state: DatabaseFacts)? {
        guard let address = try StoreAddressFile.read(in: directory) else { return nil }
        return (address, DatabaseFacts(try DatabaseState.read(at: address) { WallClock.milliseconds }))
    }
}

/// State of a database, as `doctor` judges it.
struct DatabaseFacts {
    /// One fact about the database, and whether it is as it should be.
    struct Fact {
        enum Judgement { case well, doubtful, wrong }

        let subject: String
        let kind: Judgement
        let text: String
        let mend: String?
    }

    let facts: [Fact]
    let nodes: [NodeRow]

    /// Tolerated difference of the clocks. The relay's times are in milliseconds, and times of two machines are not compared; so a
    /// larger difference is a mistake in somebody's configuration.
    private static let clockDifferenceMax: Int64 = 2_000

    fileprivate init(_ state: DatabaseState) {
        func fact(_ subject: String, _ isWell: Bool, _ text: String, _ mend: String, _ otherwise: Fact.Judgement = .doubtful)
            -> Fact
        {
            Fact(subject: subject, kind: isWell ? .well : otherwise, text: text, mend: isWell ? nil : mend)
        }
        let isAsynchronous = state.synchronousStandbyNames.isEmpty
        let isLocal = !["on", "remote_apply"].contains(state.synchronousCommit)
        var facts = [
            fact(
                "Database version", !state.isStandby,
                "PostgreSQL \(state.version), schema version \(state.schema), in the schema \(state.schemaName)"
                    + (state.isStandby ? ", and it is a standby: it takes no writes" : ", timeline \(state.timeline)"),
                "name all hosts, and say target_session_attrs=read-write", .wrong),
            fact(
                "Database commits", !isLocal, "synchronous_commit is \(state.synchronousCommit)",
                "ALTER ROLE … SET synchronous_commit = on: else a commit is acknowledged before it is durable",
                state.synchronousCommit == "off" ? .wrong : .doubtful),
            Self.standby(state, isAsynchronous: isAsynchronous),
            Self.owners(state),
            fact(
                "Database clock", abs(state.clockAheadMilliseconds) <= Self.clockDifferenceMax,
                "it differs from this machine's by \(abs(state.clockAheadMilliseconds)) ms", "have both follow one time server"),
            fact(
                "Database pages", state.hasPageChecksums, "data_checksums is \(state.hasPageChecksums ? "on" : "off")",
                "pg_checksums --enable, while the server is stopped: a disk that rots is then noticed"),
            fact(
                "Database rights", state.mayMakeTables,
                state.mayMakeTables ? "the role may make tables" : "the role may make no tables there",
                "GRANT CREATE ON SCHEMA … TO …, or let the role own the database: an upgrade makes tables"),
        ]
        if state.isRemote {
            facts.append(
                fact(
                    "Database connection", state.isEncrypted,
                    state.isEncrypted ? "it goes over TLS" : "it goes to another machine without TLS",
                    "sslmode=verify-full in the address, and ssl = on in the server"))
        }
        self.facts = facts
        nodes = state.nodes.map(NodeRow.init)
    }

    private static func standby(_ state: DatabaseState, isAsynchronous: Bool) -> Fact {
        func fact(_ kind: Fact.Judgement, _ text: String, _ mend: String?) -> Fact {
            Fact(subject: "Database standby", kind: kind, text: text, mend: mend)
        }
        if isAsynchronous {
            return fact(
                .doubtful, "no standby is synchronous: a failover may lose what was acknowledged last",
                "synchronous_standby_names = 'ANY 1 (…)'; with Patroni synchronous_mode: true and synchronous_mode_strict: true"
            )
        }
        let (there, needed) = (state.standbysInSync, state.standbysNeeded)
        let waits = "each commit waits for \(needed == 1 ? "one" : "\(needed)")"
        if there >= needed { return fact(.well, "\(there) of \(state.standbys) standbys are in sync; \(waits)", nil) }
        guard state.seesStandbys else {
            return fact(
                .doubtful, "the role may not see whether a standby is in sync",
                "GRANT pg_read_all_stats TO the relay's role (or pg_monitor)")
        }
        return fact(
            .wrong, "\(there == 0 ? "none" : "\(there)") of \(state.standbys) standbys is in sync, and \(waits)",
            "start more of \(state.synchronousStandbyNames); until then nothing is acknowledged")
    }

    /// The relay that is alone on the database, or the nodes.
    private static func owners(_ state: DatabaseState) -> Fact {
        func fact(_ isWell: Bool, _ text: String) -> Fact {
            Fact(
                subject: "Database log", kind: isWell ? .well : .doubtful, text: text,
                mend: isWell ? nil : "wait 8 s; a relay that stands by takes over, or another node, or start one")
        }
        let living = state.nodes.filter { $0.leaseSeconds >= 0 }
        guard state.holder == nil, !living.isEmpty else {
            return fact(state.holder == nil || state.leaseSeconds >= 0, holder(state))
        }
        let owned = living.reduce(0) { $0 + $1.workspaceCount }
        let free = state.freeWorkspaceCount == 0 ? "" : "; \(state.freeWorkspaceCount) of them have no owner"
        let text = "\(living.count) node\(living.count == 1 ? "" : "s"), \(owned + state.freeWorkspaceCount) workspaces\(free)"
        return fact(state.freeWorkspaceCount == 0, text)
    }

    private static func holder(_ state: DatabaseState) -> String {
        let others = "\(state.others) other relays or commands are connected"
        guard let holder = state.holder else { return "nobody holds the log; \(others)" }
        let lease = state.leaseSeconds >= 0 ? "its lease holds for \(state.leaseSeconds) s more" : "its lease is over"
        return "\(holder) holds the log, \(lease); \(others)"
    }
}
