internal import Foundation
internal import GRDB
internal import Glibc

extension SQLiteStore {
    /// Writes everything as it is at one moment into a file of its own, while the relay goes on; hands back its size in bytes.
    ///
    /// The copy has no epoch: a relay that starts on it begins a new one, for it lacks what clients have seen since. It is checked
    /// before it gets its name, and is its owner's alone. `replacing` says whether it may take another file's place.
    package func backUp(to file: String, replacing: Bool) throws(StoreError) -> Int64 {
        guard replacing || !Files.exists(file) else { throw StoreError(.conflict, "\(file) is there already.") }
        let draft = "\(file).\(getpid()).new"
        try Files.create(draft)
        do throws(StoreError) {
            try useWriter { try $0.execute(sql: "VACUUM INTO ?", arguments: [draft]) }
            try Self.prepareForAnotherLife(draft, called: file)
            let bytes = try Files.byteCount(draft)
            try Files.place(draft, at: file, replacing: replacing)
            return bytes
        } catch {
            _ = unsafe unlink(draft)
            throw error
        }
    }

    /// Checks a file that is nobody's yet, takes its epoch away, and leaves it without a journal beside it. `name` is what people
    /// call it. Throws `corrupt` where it is damaged or none of ours, `newerSchema` where we are too old for it.
    static func prepareForAnotherLife(_ path: String, called name: String) throws(StoreError) {
        func broken(_ what: String, _ underlying: (any Error)? = nil) -> StoreError {
            StoreError(.corrupt, "\(name) is no sound backup (\(what)).", underlying: underlying)
        }
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.inDatabase { db in
                if let fault = try fault(in: nil, db) { throw broken(fault) }
                try checkVersion(of: name, in: db)
                guard try Schema.migrator.appliedIdentifiers(db).contains("v1") else {
                    throw broken("it is none of Heliograph's")
                }
                try dropEpoch(in: db)
                try db.execute(sql: "PRAGMA journal_mode = DELETE")
            }
            try queue.close()
        } catch {
            let failure = StoreError(error, path: path)
            guard failure.code == .corrupt, error is DatabaseError else { throw failure }
            throw broken("it is damaged, or no database", error)
        }
    }
}
