// CryptoKit as far as this repository uses it; see SwiftUI.swift.

public import Foundation

public enum CryptoKitError: Error { case incorrectKeySize, authenticationFailure }

public struct SymmetricKeySize: Sendable {
    public static var bits256: SymmetricKeySize { SymmetricKeySize() }
}

public struct SymmetricKey: Sendable {
    public init(size: SymmetricKeySize) {}
    public init(data: some ContiguousBytes) {}
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        fatalError("only type-checked")
    }
}

public enum AES {
    public enum GCM {
        public struct SealedBox: Sendable {
            public init(combined: some DataProtocol) throws {}
        }
        public static func open(_ sealedBox: SealedBox, using key: SymmetricKey) throws -> Data { Data() }
    }
}
