internal import HeliographPlatform

extension DataDirectory {
    /// Suffixes of the data file and of the files that SQLite keeps beside it.
    static let dataFileParts = ["", "-wal", "-shm"]

    /// True if there are traces of a relay's data here. Opens and creates nothing.
    package static func hasRemains(at path: String) -> Bool {
        dataFileParts.contains { Files.exists("\(path)/heliograph.sqlite\($0)") } || Files.exists("\(path)/relay.run")
    }

    /// True if a directory, a link or the like has the name of one of the relay's files.
    package static func hasOtherThanFiles(at path: String) -> Bool {
        (dataFileParts.map { "\(path)/heliograph.sqlite\($0)" } + ["\(path)/relay.run"]).contains {
            if case .other = Files.kind($0) { true } else { false }
        }
    }

    /// Throws if one of the names is taken by something other than a file, or if there are remains of a missing data file. A new
    /// data file would destroy the acknowledged commits in the `-wal`: SQLite deletes it without an error.
    ///
    /// An interrupted first start leaves no such remains: the data file has its first page before there is a `-wal`, and tables
    /// before there is a run record.
    func refuseRemains() throws(SQLiteStoreError) {
        for path in Self.dataFileParts.map({ databasePath + $0 }) + [runPath] {
            guard case .other(let kind) = Files.kind(path) else { continue }
            throw SQLiteStoreError(
                .cannotOpen,
                """
                \(path) is \(kind), where a file of the relay must be. Nothing was touched. Put the file there itself, or name the \
                folder that it is in by --data; `heliograph restore` with FILE --force or --anew gives what is there another name.
                """)
        }
        let state: String
        switch Files.kind(databasePath) {
        case .nothing: state = "is gone"
        case .file(bytes: 0): state = "is empty"
        default: return
        }
        let remains = self.remains
        guard !remains.isEmpty else { return try refuseDraft(state) }
        throw SQLiteStoreError(
            .lost,
            """
            \(databasePath) \(state), though a relay kept its data there: \(remains.joined(separator: ", ")). Nothing was touched. \
            Put the file back if you have it; else `heliograph restore FILE --force` puts a backup in its place, and \
            `heliograph restore --anew` lets the relay begin afresh; both keep what is left under other names.
            """)
    }

    /// Path of a data file that is being moved here, until it is complete.
    var draftPath: String { databasePath + ".moving" }

    /// Throws if there is an unfinished move: a new data file would hide that the relay's complete data is elsewhere.
    private func refuseDraft(_ state: String) throws(SQLiteStoreError) {
        guard Files.exists(draftPath) else { return }
        throw SQLiteStoreError(
            .lost,
            """
            \(databasePath) \(state), and \(draftPath) is as much as `heliograph migrate` had brought here when it was cut short. \
            Nothing was touched. Run `heliograph migrate` again, which takes all of it from where it was; else `heliograph restore \
            --anew` lets the relay begin afresh, and keeps what is here under another name.
            """)
    }

    /// Throws if the relay's user may not read and write a part of the data file, for example one that another user's command has
    /// made.
    func refuseForbiddenFiles() throws(SQLiteStoreError) {
        for part in Self.dataFileParts {
            guard let place = ForbiddenPlace(file: databasePath + part) else { continue }
            throw SQLiteStoreError(.cannotOpen, place.error.message, underlying: place.error)
        }
    }

    /// Traces of a data file, each as a phrase for an error message.
    private var remains: [String] {
        var found: [String] = []
        if case .file(let bytes) = Files.kind(databasePath + "-wal"), bytes > 0 || !Files.exists(databasePath) {
            found.append("\(databasePath)-wal holds \(bytes) bytes of it")
        }
        if Files.exists(databasePath + "-shm") { found.append("\(databasePath)-shm is next to it") }
        if let known = RunRecord.content(at: runPath) {
            found.append(known.events > 0 ? "\(runPath) knows of \(known.events) events" : "\(runPath) is a relay's")
        }
        return found
    }
}
