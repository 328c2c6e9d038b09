internal import HeliographCrypto
internal import Foundation
internal import HeliographPlatform

/// A `.p8` file, read again when it changes.
struct KeyFile {
    enum News: Equatable {
        case none
        case read(digest: String)
        case failed(String)
    }

    let id: APNsKeyID
    private let path: String
    private var stamp: FileStamp?
    private(set) var key: ES256PrivateKey?
    private(set) var digest: String?

    init(_ key: APNsKey) {
        id = key.id
        path = key.file
    }

    /// Reads the file if it is not the one that was read last.
    mutating func look() -> News {
        guard let stamp = FileStamp(of: path) else {
            self.stamp = nil
            return .failed("\(path) cannot be read")
        }
        guard stamp != self.stamp else { return .none }
        self.stamp = stamp
        do {
            let pem = try String(contentsOfFile: path, encoding: .utf8)
            key = try ES256PrivateKey(pem: pem)
            let digest = Crypto.hex(Crypto.sha256(pem))
            self.digest = digest
            return .read(digest: digest)
        } catch let error as CryptoError {
            return .failed("\(path): \(error.message)")
        } catch {
            return .failed("\(path) cannot be read: \(error.localizedDescription)")
        }
    }

    /// A signed JSON Web Token. The key must have been read before.
    func token(issuedAt: Int64) -> String {
        guard let key else { preconditionFailure("a token was asked for before its key was read") }
        let head = Crypto.base64URL(Array(#"{"alg":"ES256","kid":"\#(id.keyID)"}"#.utf8))
        let claims = Crypto.base64URL(Array(#"{"iss":"\#(id.teamID)","iat":\#(issuedAt)}"#.utf8))
        return "\(head).\(claims).\(Crypto.base64URL(key.signature(of: Array("\(head).\(claims)".utf8))))"
    }
}
