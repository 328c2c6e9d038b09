internal import Foundation
internal import Glibc

extension DataDirectory {
    /// Result of a restore.
    package struct Restored: Sendable {
        /// New name of the old data file or of its remains; nil if there was none.
        package let kept: String?
        /// Ids of tokens that were valid when the backup was made and were revoked since: they stay revoked.
        package let stillRevoked: [String]
        /// The texts in the backup, by name.
        package let texts: [String: String]
    }

    /// Replaces the data file with a backup.
    ///
    /// The backup is copied before it is checked, so the checked copy is the one in use. Tokens that are revoked in the present
    /// data file stay revoked. `mayComeBack` is called, before anything is changed, with the tokens of the backup that may have
    /// been revoked since.
    ///
    /// Throws `busy` while a relay runs here, and `conflict` if there is a data file or the remains of one and `replacing` is
    /// false, or if `mayComeBack` returns false; nothing is changed then.
    package func restore(
        _ file: String, replacing: Bool, mayComeBack: ([ReturningToken]) -> Bool = { _ in true }
    ) throws(SQLiteStoreError) -> Restored {
        try alone { () throws(SQLiteStoreError) in
            guard replacing || dataFiles.isEmpty else {
                throw SQLiteStoreError(
                    .conflict,
                    "There is a data file already, or what is left of one: \(databasePath). With --force it is kept under another name."
                )
            }
            _ = try Files.byteCount(file)
            guard try Files.exists(file + "-wal") ? Files.byteCount(file + "-wal") == 0 : true else {
                throw SQLiteStoreError(
                    .conflict,
                    """
                    \(file)-wal is next to \(file): this is a data file in use, or a copy of half of one. Use `heliograph backup`.
                    """)
            }
            let draft = Draft.path(for: databasePath)
            do throws(SQLiteStoreError) {
                try Files.copy(file, to: draft)
                try DataFile.prepareForAnotherLife(draft, called: file)
                let texts = try BackupTexts.take(from: draft)
                let carried = try Revocations.carry(from: databasePath, to: draft)
                guard carried.returning.isEmpty || mayComeBack(carried.returning) else {
                    throw SQLiteStoreError(.conflict, "Nothing was restored.")
                }
                let names = freeNames
                let kept = try setDataAside(as: names.data)
                try Files.place(draft, at: databasePath, replacing: false)
                try setRunAside(as: names.run)
                return Restored(kept: kept, stillRevoked: carried.revoked, texts: texts)
            } catch {
                _ = unsafe unlink(draft)
                throw error
            }
        }
    }

    /// Renames the data file, damaged or not, or its remains, so that the next start begins empty. Returns the new name, or nil if there
    /// was none. Throws `busy` while a relay runs here.
    package func setAside() throws(SQLiteStoreError) -> String? {
        try alone { () throws(SQLiteStoreError) in try setAsideUnderLock() }
    }

    /// Sets the data aside for a caller that holds the lock.
    func setAsideUnderLock() throws(SQLiteStoreError) -> String? {
        let names = freeNames
        let kept = try setDataAside(as: names.data)
        let draft = try setDraftAside(as: names.data + ".moving")
        try setRunAside(as: names.run)
        return kept ?? draft
    }

    /// Lets the next relay continue with the present data file, in another epoch, although the last relay had newer events. Among
    /// those may be revocations: `mayComeBack` is called with every valid token. Throws `conflict` if it returns false, `corrupt`
    /// if the file is damaged, and `busy` while a relay runs here; nothing is changed then.
    package func acceptDataFile(mayComeBack: ([ReturningToken]) -> Bool = { _ in true }) throws(SQLiteStoreError) {
        try alone { () throws(SQLiteStoreError) in
            try refuseRemains()
            guard Files.exists(databasePath) else { throw SQLiteStoreError(.cannotOpen, "\(databasePath) is not there.") }
            let tokens = try Revocations.tokensInForce(in: databasePath)
            guard tokens.isEmpty || mayComeBack(tokens) else { throw SQLiteStoreError(.conflict, "Nothing was changed.") }
            try DataFile.prepareForAnotherLife(databasePath, called: databasePath)
            try Revocations.dropPairingCodes(of: databasePath)
            try setRunAside(as: freeNames.run)
        }
    }

    private func alone<Value>(_ body: () throws(SQLiteStoreError) -> Value) throws(SQLiteStoreError) -> Value {
        let lock = try lock()
        let opening = try lockForOpening()
        defer { withExtendedLifetime((lock, opening)) {} }
        return try body()
    }

    private var dataFiles: [String] { Self.dataFileParts.filter { Files.exists(databasePath + $0) } }

    /// Unused file names with the current time in them.
    private var freeNames: (data: String, run: String) {
        let time = Date().formatted(.iso8601.timeSeparator(.omitted))
        var ending = time
        var count = 1
        while Self.dataFileParts.contains(where: { Files.exists("\(databasePath).\(ending)\($0)") })
            || Files.exists("\(runPath).\(ending)")
        {
            count += 1
            ending = "\(time)-\(count)"
        }
        return ("\(databasePath).\(ending)", "\(runPath).\(ending)")
    }

    /// Renames the data file and SQLite's files beside it. Returns the first new name, nil if there was no file.
    ///
    /// All of them have both names before any loses the old one, and the data file loses it first: after a crash in between, SQLite
    /// finds a log without its file and drops it instead of applying it to another file.
    private func setDataAside(as kept: String) throws(SQLiteStoreError) -> String? {
        let parts = dataFiles
        func isFile(_ part: String) -> Bool { if case .file = Files.kind(databasePath + part) { true } else { false } }
        for part in parts where isFile(part) { try Files.link(databasePath + part, to: kept + part) }
        try Files.sync(path)
        for part in parts {
            // A directory cannot have a second name, so it is moved.
            if isFile(part) {
                try Files.remove(databasePath + part)
            } else {
                try Files.move(databasePath + part, to: kept + part)
            }
        }
        try Files.sync(path)
        return parts.first.map { kept + $0 }
    }

    /// Renames the draft of an interrupted move to here.
    private func setDraftAside(as kept: String) throws(SQLiteStoreError) -> String? {
        guard Files.exists(draftPath) else { return nil }
        for part in ["", "-journal"] where Files.exists(draftPath + part) { try Files.move(draftPath + part, to: kept + part) }
        try Files.sync(path)
        return kept
    }

    /// Renames the run record, last of all: while it is here, a start after a crash in between reports what is missing.
    private func setRunAside(as kept: String) throws(SQLiteStoreError) {
        guard Files.exists(runPath) else { return }
        try Files.move(runPath, to: kept)
        try Files.sync(path)
    }
}
