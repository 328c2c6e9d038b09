import Foundation

/// The file in a relay's folder with the address of its database, where commands for the relay read it.
enum StoreAddressFile {
    private static func path(in folder: String) -> String { folder + "/store.url" }

    static func write(_ address: String, in folder: String) throws {
        try PrivateFile.write("\(address)\n", to: path(in: folder))
    }

    /// Removes the file: from now on the folder's relay keeps its data in the folder.
    static func remove(in folder: String) throws {
        let path = path(in: folder)
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    }

    /// The address; nil if the folder's relay keeps its data in the folder.
    static func read(in folder: String) throws(ServerError) -> String? {
        let path = path(in: folder)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let data = FileManager.default.contents(atPath: path),
            let address = StoreAddress.read(String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines))
        else { throw ServerError(.settings, "\(path) has to hold the address of the relay's database: \(StoreAddress.takes)") }
        return address
    }
}
