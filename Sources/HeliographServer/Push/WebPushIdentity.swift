import Foundation
import Glibc
import PushWeb

/// A relay's identity for pushes to browsers: its key pair, and a contact for push services.
struct WebPushIdentity {
    /// Name of the key's file in the data directory, which backups include: subscriptions are bound to the key for their whole
    /// life.
    static let fileName = "web-push-key.pem"

    /// Path of the key's file.
    let path: String
    /// The contact that was set for this purpose; nil: `publicURL` is used.
    private let given: String?
    private let publicURL: String?

    init(directory: String, contact: String?, publicURL: String?) {
        path = "\(directory)/\(Self.fileName)"
        (given, self.publicURL) = (contact, publicURL)
    }

    init(directory: String, _ configuration: ServerConfiguration) {
        self.init(
            directory: directory, contact: configuration.pushContact,
            publicURL: configuration.publicURL ?? configuration.certifiedURL(port: configuration.port))
    }

    var hasKey: Bool { unsafe access(path, F_OK) == 0 }

    /// The key's file, for a backup; nil if no browser has asked for one. Throws if it cannot be read: a backup without it would
    /// lose every browser.
    static func storedKey(in directory: String) throws(ServerError) -> String? {
        let path = "\(directory)/\(fileName)"
        guard unsafe access(path, F_OK) == 0 else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ServerError(.push, "\(path) cannot be read: run this as the relay's user.")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// Restores the key of a backup. A different existing one is renamed to `NAME.before`.
    static func restore(_ key: String, in directory: String) throws {
        guard try storedKey(in: directory) != key else { return }
        let path = "\(directory)/\(fileName)"
        guard unsafe rename(path, path + ".before") == 0 || errno == ENOENT else {
            throw ServerError(.file, "\(path) cannot be renamed: \(unsafe String(cString: strerror(errno))).")
        }
        try PrivateFile.write(key, to: path)
    }

    /// The key; created if there is none.
    func openKey() throws(PushObstacleError) -> VAPIDKey {
        do throws(WebPushError) { return try VAPIDKeyFile.open(path) } catch {
            throw PushObstacleError(sentence: "the key for browsers cannot be used: \(error.message)")
        }
    }

    /// The contact; throws an error with advice if there is none that a push service accepts.
    func contact() throws(PushObstacleError) -> VAPIDContact {
        guard let text = given ?? publicURL else {
            throw PushObstacleError(
                sentence: "the makers of browsers want a contact for its notifications: \(Self.mend)")
        }
        do throws(WebPushError) { return try VAPIDContact(text) } catch {
            let name = given == nil ? "the public URL" : "pushContact"
            throw PushObstacleError(
                sentence:
                    "\(name) is not a contact for the makers of browsers (it \(VAPIDContact.fault(in: text) ?? "")): \(Self.mend)"
            )
        }
    }

    static let mend =
        "start the relay with --push-contact mailto:you@example.org, or with a --public-url that is https:// and public"
}
