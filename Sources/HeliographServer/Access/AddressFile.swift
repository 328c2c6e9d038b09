import Foundation

/// The addresses of this folder's relay, for the command line: one line for other machines, and one for this one.
enum AddressFile {
    private static func path(in folder: String) -> String { folder + "/relay.url" }

    static func write(_ addresses: RelayAddresses, in folder: String) throws {
        let local = addresses.isPlainHere ? addresses.localURL : "unix:" + AdminSocket(in: folder).path
        try PrivateFile.write("\(addresses.publicURL)\n\(local)\n", to: path(in: folder))
    }

    /// `local` is nil if an older relay wrote the file.
    static func read(in folder: String) -> (publicURL: String, local: String?)? {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path(in: folder))) else { return nil }
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
        return lines.first.map { ($0, lines.dropFirst().first) }
    }
}
