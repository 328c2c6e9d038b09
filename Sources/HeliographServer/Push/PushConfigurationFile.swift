import Foundation
import HeliographPlatform
import RelayProtocol

/// `push.json` in the data directory, read again when it changes.
struct PushConfigurationFile {
    static let name = "push.json"
    /// A page of teams; what is longer is another file.
    private static let bytesMax = 1 << 20

    enum News {
        case unchanged
        /// Nil: there is no such file, and nobody to be to Apple.
        case read(PushConfiguration?)
    }

    let path: String
    /// The file as of the last read; nil if there was none.
    private var stamp: FileStamp?
    private var isRead = false

    init(directory: String) { path = "\(directory)/\(Self.name)" }

    /// Reads the file if it is not the one that was read last. Throws what is wrong with it, naming file and field, once.
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
