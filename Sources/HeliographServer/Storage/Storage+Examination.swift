internal import RelayCore
internal import StoreSQLite

extension Storage {
    /// Reason why the data file cannot be used, and the remedy.
    struct ExaminationError: Error {
        let message: String
        let mend: String
    }

    /// Examines the data file, whether a relay runs or not, and changes nothing in it. `flag`: further arguments of a command for
    /// this relay.
    func examine(flag: String) throws(ExaminationError) -> StoreExamination {
        do throws(SQLiteStoreError) { return try DataFile.examine(DataDirectory(existing: directory)) } catch {
            // If a directory has the file's name, changing the user does not help.
            let mend =
                DataDirectory.hasOtherThanFiles(at: directory)
                ? "put the file itself there, or heliograph restore FILE --force\(flag), which keeps what is there under another name"
                : Self.mend(error.code, flag)
            throw ExaminationError(message: error.message, mend: mend)
        }
    }

    private static func mend(_ code: SQLiteStoreError.Code, _ flag: String) -> String {
        switch code {
        case .corrupt: "heliograph restore FILE --force\(flag), from a backup; the damaged file is kept next to it"
        case .lost:
            "put it back, or heliograph restore FILE --force\(flag), from a backup; what is left is kept under other names"
        case .newerSchema: "install the version that wrote it, or a newer one"
        case .full: "make room on the disk"
        case .busy, .conflict: "look again in a moment"
        case .absent: "name the relay's folder (--data), or heliograph serve\(flag), which begins afresh there"
        case .cannotOpen: "run this as the relay's user, and let nobody else into its folder"
        case .readOnly: "let the relay's user write it: chmod u+w, or mount its disk so that it can be written"
        case .damaged: "keep a copy (heliograph backup FILE\(flag)) and tell us"
        case .io: "look at the disk: dmesg, smartctl"
        }
    }
}
