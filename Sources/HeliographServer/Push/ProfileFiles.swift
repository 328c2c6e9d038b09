import Foundation
import RelayProtocol

/// The profiles that somebody put into the data directory: `profiles/<name>.json`, one each.
enum ProfileFiles {
    /// A profile maps a few dozen fields; what is longer is another file.
    static let bytesMax = 64 << 10
    /// Apps that one relay feeds.
    static let countMax = 100

    /// In the order of their names; none if there is no such folder. Throws the fault of the first that is no JSON object, naming file
    /// and place: a relay that starts without a profile would find its phones silent.
    static func read(in directory: String) throws(ServerError) -> [(name: String, bytes: [UInt8])] {
        var profiles: [(name: String, bytes: [UInt8])] = []
        for path in try paths(in: directory) { profiles.append(try read(path)) }
        return profiles
    }

    /// In the order of their names.
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
