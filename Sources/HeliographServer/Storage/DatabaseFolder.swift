internal import StoreSQLite

/// The folder of a relay whose data is in a database; one relay of this machine uses it at a time.
struct DatabaseFolder: Sendable {
    let directory: DataDirectory
    private let address: String
    private let lock: DataDirectoryLock

    /// - Throws: if the folder contains a data file, or another relay has it locked.
    init(_ path: String, besideDatabaseAt address: String) throws {
        let noted = try StoreAddressFile.read(in: path)
        directory = try DataDirectory(path: path)
        self.address = address
        // A data file beside the database's address is left by a move that was killed at its end.
        if noted != address { try Self.refuseFile(in: directory, besideDatabaseAt: address) }
        lock = try directory.lock()
    }

    /// Writes the database's address to the folder, where commands read it from then on.
    func note() throws { try StoreAddressFile.write(address, in: directory.path) }

    static func refuseFile(in directory: DataDirectory, besideDatabaseAt address: String) throws(ServerError) {
        guard DataDirectory.hasRemains(at: directory.path) else { return }
        throw ServerError(
            .settings,
            "\(directory.path) has a relay's data in a file, which a relay on \(address) would not see: give it another folder (--data)"
        )
    }
}
