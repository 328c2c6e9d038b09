internal import Consent
internal import ConsentKeys
internal import Foundation
package import RelayCore
internal import RelayProtocol

/// Devices' public signing keys, from a host's `devices.json` or any other JSON that lists them: an array, an object with
/// `devices`, or one object a line. Only `sign` of each entry is used, also of devices that the host no longer trusts.
package struct SigningKeys: Sendable {
    /// Limit of the file: enough for all hosts of a busy team.
    private static let bytesMax = 16 << 20
    private var points: [KeyID: SigningPoint] = [:]
    private var passkeys: [KeyID: [Passkey]] = [:]

    package init(files: [String]) throws(LogError) {
        for file in files {
            guard let bytes = FileManager.default.contents(atPath: file), bytes.count <= Self.bytesMax else {
                throw LogError(.unreachable(isPassing: false), "\(file) cannot be read, or is too large for a list of devices.")
            }
            do { try add(Array(bytes)) } catch let error as WireError {
                throw LogError(.damaged(.store), "\(file) is no list of devices: \(error.message) (\(error.path)).")
            } catch { throw LogError(.damaged(.store), "\(file) is no list of devices.") }
        }
    }

    func point(of device: KeyID) -> SigningPoint? { points[device] }
    /// The device's passkeys at all listed hosts.
    func passkeys(of device: KeyID) -> [Passkey] { passkeys[device] ?? [] }

    private mutating func add(_ bytes: [UInt8]) throws {
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        // The file is one JSON document, or one a line.
        if let document = try? JSONDocument(parsing: bytes) { return try add(document.root) }
        for line in lines { try add(JSONDocument(parsing: Array(line)).root) }
    }

    private mutating func add(_ value: JSONValue) throws(WireError) {
        if value.isArray {
            for entry in try value.array() { try add(entry) }
        } else if try value.object().optional("devices") != nil {
            for entry in try value.array("devices") { try add(entry) }
            guard value.optional("distrusted") != nil else { return }
            // Devices that were distrusted before keys were recorded have no key.
            for entry in try value.array("distrusted") where try entry.object().optional("sign") != nil { try add(entry) }
        } else {
            let sign = try value.required("sign")
            guard let point = SigningPoint(text: try sign.string()) else {
                throw WireError(.badValue, at: sign.path, "a public key is 65 bytes in base64url")
            }
            let id = KeyID(of: point, .openSSL)
            points[id] = point
            passkeys[id, default: []] += try Passkey.list(from: value)
        }
    }
}
