internal import Foundation
internal import Glibc

/// The target of a backup: never a relay's own files, including its settings and keys, and it replaces only files.
struct BackupTarget {
    private static let header = Array("SQLite format 3\0".utf8)

    private let file: String
    private let folder: String

    init(_ file: String) {
        self.file = file
        folder = Files.directory(of: file)
    }

    /// Throws if the backup must not be written there. `databasePath`: the data file that is copied.
    func check(replacing: Bool, besideDataFile databasePath: String) throws(SQLiteStoreError) {
        // Checked first, even if there is no such file now: SQLite would take a `-wal` that appears beside a data file for that
        // file's own.
        guard !isRelaysOwn(besideDataFile: databasePath) else {
            throw SQLiteStoreError(
                .conflict, "\(file) is the name of a relay's own file: give the backup another name or folder.")
        }
        switch Files.kind(file) {
        case .nothing: return
        case .file where !replacing: throw SQLiteStoreError(.conflict, "\(file) is there already.")
        case .other(let kind): throw SQLiteStoreError(.conflict, "\(file) is \(kind): a backup replaces only a file.")
        case .file(let bytes):
            guard bytes == 0 || !isInRelaysFolder(besideDataFile: databasePath) || isDatabase else {
                throw SQLiteStoreError(
                    .conflict, "\(file) is a relay's own and no backup, and was left as it is.")
            }
        }
        // Another program's database, which is in use.
        for part in DataDirectory.dataFileParts.dropFirst() where Files.exists(file + part) {
            throw SQLiteStoreError(.conflict, "\(file) is a data file in use: \(file)\(part) lies beside it.")
        }
    }

    /// True if the target is in a relay's folder, with a name that the relay uses or that a replaced data file got.
    private func isRelaysOwn(besideDataFile databasePath: String) -> Bool {
        let name = file.split(separator: "/").last.map(String.init) ?? ""
        guard name.hasPrefix("heliograph.sqlite") || name.hasPrefix("relay.") else { return false }
        return isInRelaysFolder(besideDataFile: databasePath)
    }

    private func isInRelaysFolder(besideDataFile databasePath: String) -> Bool {
        Self.isSame(folder, Files.directory(of: databasePath)) || Files.exists(folder + "/relay.lock")
            || Files.exists(folder + "/relay.run")
    }

    private var isDatabase: Bool {
        guard let reader = FileHandle(forReadingAtPath: file), let start = try? reader.read(upToCount: Self.header.count) else {
            return false
        }
        return Array(start) == Self.header
    }

    private static func isSame(_ folder: String, _ other: String) -> Bool {
        var (one, two) = (stat(), stat())
        guard unsafe stat(folder, &one) == 0, unsafe stat(other, &two) == 0 else { return false }
        return one.st_dev == two.st_dev && one.st_ino == two.st_ino
    }
}
