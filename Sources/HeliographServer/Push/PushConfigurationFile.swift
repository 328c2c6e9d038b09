import Foundation
import HeliographPlatform
import RelayProtocol

/// The file `push.json` in the data directory, which is read again when it changes.
struct PushConfigurationFile {
    static let name = "push.json"
    /// Limit of the file; a longer one is another kind of file.
    private static let bytesMax = 1 << 20

    enum News {
        case unchanged
        /// The file was read; nil: there is none, and so no key for Apple.
        case read(PushConfiguration?)
    }

    let path: String
    /// State of the file at the last read; nil if there was none.
    private var stamp: FileStamp?
    private var isRead = false

    init(directory: String) { path = "\(directory)/\(Self.name)" }

    /// Reads the file if it has changed since the last read. Throws an error that names file and field, once for each change.
    mutating func look() throws(ServerError) -> News {
        let stamp = FileStamp(of: path)
        guard !isRead || stamp != self.stamp else { return .unchanged }
        self.stamp = stamp
        isRead = true
        return .read(stamp == nil ? nil : try Self.read(path))
    }

    static func read(_ path: String) throws(ServerError) -> PushConfiguration {
        guard let data = FileManager.default.contents(atPath: path) else { throw ServerError(.push, "\(path) cannot be read.") }
        guard data.count <= bytesMax else { throw ServerError(.push, "\(path) is longer than \(bytesMax) bytes.") }
        do throws(WireError) {
            return try PushConfiguration(parsing: Array(data))
        } catch {
            throw ServerError(.push, "\(path), \(error.path): \(error.message)")
        }
    }
}
