import Foundation
import RelayProtocol

/// The operator's profiles in the data directory: `profiles/<name>.json`, one each.
enum ProfileFiles {
    /// Limit of a file: a profile maps a few dozen fields, so a longer file is another kind.
    static let bytesMax = 64 << 10
    /// Limit of profiles: apps that one relay serves.
    static let countMax = 100

    /// The profiles, ordered by name; empty if there is no such folder. Throws an error that names file and place for the first
    /// that is not a JSON object: a relay that starts without a profile would not reach its phones.
    static func read(in directory: String) throws(ServerError) -> [(name: String, bytes: [UInt8])] {
        var profiles: [(name: String, bytes: [UInt8])] = []
        for path in try paths(in: directory) { profiles.append(try read(path)) }
        return profiles
    }

    /// Paths of the profiles, in the order of their names.
    static func paths(in directory: String) throws(ServerError) -> [String] {
        let folder = "\(directory)/profiles"
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        let files: [String]
        do { files = try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
            throw ServerError(.profiles, "\(folder) cannot be read: \(error.localizedDescription)")
        }
        let names = files.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted()
        guard names.count <= countMax else { throw ServerError(.profiles, "\(folder) holds more than \(countMax) profiles.") }
        return names.map { "\(folder)/\($0)" }
    }

    static func read(_ path: String) throws(ServerError) -> (name: String, bytes: [UInt8]) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ServerError(.profiles, "\(path) cannot be read.")
        }
        guard data.count <= bytesMax else { throw ServerError(.profiles, "\(path) is longer than \(bytesMax) bytes.") }
        do throws(WireError) {
            _ = try JSONDocument(parsing: Array(data)).root.object()
        } catch {
            throw ServerError(.profiles, "\(path), \(error.path): \(error.message)")
        }
        return (name(of: path), Array(data))
    }

    static func name(of path: String) -> String { URL(filePath: path).deletingPathExtension().lastPathComponent }
}
