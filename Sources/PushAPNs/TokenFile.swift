internal import Foundation

/// The last provider token of a key, on disk. It is secret for less than an hour, and lies in a folder with greater secrets.
struct TokenFile {
    private struct Content: Codable {
        var keyDigest: String
        var issuedAt: Int64
        var token: String
    }

    private let path: URL
    private let keyDigest: String

    init(folder: String, id: APNsKeyID, keyDigest: String) {
        path = URL(filePath: folder).appending(path: "provider-token-\(id.teamID)-\(id.keyID).json")
        self.keyDigest = keyDigest
    }

    /// Nil if there is none for this key.
    func read() -> (String, issuedAt: Int64)? {
        guard let data = try? Data(contentsOf: path), let content = try? JSONDecoder().decode(Content.self, from: data),
            content.keyDigest == keyDigest
        else { return nil }
        return (content.token, content.issuedAt)
    }

    /// Best effort: without the file a restart only makes a new token.
    func write(_ token: String, issuedAt: Int64) {
        let content = Content(keyDigest: keyDigest, issuedAt: issuedAt, token: token)
        guard let data = try? JSONEncoder().encode(content) else { return }
        let fresh = path.appendingPathExtension("new")
        try? FileManager.default.removeItem(at: fresh)
        guard FileManager.default.createFile(atPath: fresh.path, contents: data, attributes: [.posixPermissions: 0o600])
        else { return }
        _ = unsafe rename(fresh.path, path.path)
    }
}
