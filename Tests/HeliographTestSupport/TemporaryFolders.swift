package import Foundation

/// Folders for what tests write, which are gone when the process that runs them has ended: until then anything may still read there.
package enum TemporaryFolders {
    private static let root: URL = {
        let root = FileManager.default.temporaryDirectory.appending(path: "heliograph-tests-\(UUID().uuidString)")
        atexit { try? FileManager.default.removeItem(at: TemporaryFolders.root) }
        return root
    }()

    package static func make() throws -> URL {
        let folder = root.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}
