import Consent
import ConsentKeys
import Foundation
import HeliographKit
import LiveActivityKit
import Synchronization

/// Keys by OpenSSL and files in memory, as the Secure Enclave and a keychain would keep them.
final class MemoryVault: TrustVault {
    private let keys = Mutex<PrivateKeys?>(nil)
    private let files = Mutex<[TrustItem: Data]>([:])

    func identity() -> ConsentIdentity? { keys.withLock { $0?.identity } }

    func makeIdentity() -> ConsentIdentity {
        keys.withLock { keys in
            let made = PrivateKeys()
            keys = made
            return made.identity
        }
    }

    func read(_ item: TrustItem) -> Data? { files.withLock { $0[item] } }
    func write(_ data: Data, _ item: TrustItem) { files.withLock { $0[item] = data } }

    func removeAll() {
        keys.withLock { $0 = nil }
        files.withLock { $0 = [:] }
    }
}
