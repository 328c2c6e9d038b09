internal import Foundation
internal import Glibc

extension DataDirectory {
    /// What came of a restore.
    package struct Restored: Sendable {
        /// The old data file's new name, or that of what was left of it; nil where there was none.
        package let kept: String?
        /// Ids of tokens that let somebody in when the backup was made and were revoked since: they stay revoked.
        package let stillRevoked: [String]
        /// The texts that were put into the backup, by name.
        package let texts: [String: String]
    }

    /// Puts a backup in the place of the data file.
    ///
    /// The backup is copied and checked first, so what was checked is what is used. What the data file that is there says is revoked stays
    /// so. `mayComeBack` is asked about tokens of the backup of which nothing says whether they still hold, before anything is changed.
    /// Throws `busy` while a relay runs here, and `conflict` where there is a data file, or what is left of one, and `replacing` is false,
    /// or where they may not; nothing is changed then.
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

    /// Takes the data file, damaged or not, or what is left of it, out of the way, so that the next start begins empty. Hands back its
    /// new name; nil where there was none. Throws `busy` while a relay runs here.
    package func setAside() throws(SQLiteStoreError) -> String? {
        try alone { () throws(SQLiteStoreError) in try setAsideUnderLock() }
    }

    /// The same for a caller that has the lock.
    func setAsideUnderLock() throws(SQLiteStoreError) -> String? {
        let names = freeNames
        let kept = try setDataAside(as: names.data)
        let draft = try setDraftAside(as: names.data + ".moving")
        try setRunAside(as: names.run)
        return kept ?? draft
    }

    /// Has the next relay go on with the data file that is here, in another epoch, though the last one had more. A revocation may be
    /// among what it lacks: `mayComeBack` is asked about every token that is in force. Throws `conflict` where they may not, `corrupt`
    /// where the file is damaged, and `busy` while a relay runs here; nothing is changed then.
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

    /// Names with the time in them that nothing has.
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

    /// The data file and what SQLite has next to it. Hands back the first name that there was something to give to.
    ///
    /// All of them have both names before any loses the old one, and the data file loses it first: after a crash in between,
    /// SQLite finds a log without its file and drops it instead of taking it for another file's.
    private func setDataAside(as kept: String) throws(SQLiteStoreError) -> String? {
        let parts = dataFiles
        func isFile(_ part: String) -> Bool { if case .file = Files.kind(databasePath + part) { true } else { false } }
        for part in parts where isFile(part) { try Files.link(databasePath + part, to: kept + part) }
        try Files.sync(path)
        for part in parts {
            // A directory, which somebody put there, can have one name only.
            if isFile(part) {
                try Files.remove(databasePath + part)
            } else {
                try Files.move(databasePath + part, to: kept + part)
            }
        }
        try Files.sync(path)
        return parts.first.map { kept + $0 }
    }

    /// The draft of a move to here that was cut short.
    private func setDraftAside(as kept: String) throws(SQLiteStoreError) -> String? {
        guard Files.exists(draftPath) else { return nil }
        for part in ["", "-journal"] where Files.exists(draftPath + part) { try Files.move(draftPath + part, to: kept + part) }
        try Files.sync(path)
        return kept
    }

    /// Last of all: as long as it is here, a start after a crash in between says what is missing.
    private func setRunAside(as kept: String) throws(SQLiteStoreError) {
        guard Files.exists(runPath) else { return }
        try Files.move(runPath, to: kept)
        try Files.sync(path)
    }
}
