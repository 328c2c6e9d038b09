// CryptoKit, limited to the part that this repository uses; see SwiftUI.swift.

public import Foundation
public import LocalAuthentication
public import Security

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

public protocol HashFunction: Sendable {
    associatedtype Digest: Sequence where Digest.Element == UInt8
    static func hash(data: some DataProtocol) -> Digest
}

public struct SHA256Digest: Sequence, Sendable {
    public func makeIterator() -> Array<UInt8>.Iterator { [UInt8]().makeIterator() }
}

public struct SHA256: HashFunction {
    public static func hash(data: some DataProtocol) -> SHA256Digest { SHA256Digest() }
}

public struct HashedAuthenticationCode<H: HashFunction>: Sequence, Sendable {
    public func makeIterator() -> Array<UInt8>.Iterator { [UInt8]().makeIterator() }
}

public struct HMAC<H: HashFunction>: Sendable {
    public static func authenticationCode(for data: some DataProtocol, using key: SymmetricKey) -> HashedAuthenticationCode<H> {
        HashedAuthenticationCode()
    }
}

public enum AES {
    public enum GCM {
        public struct Nonce: Sendable {
            public init(data: some DataProtocol) throws {}
        }
        public struct SealedBox: Sendable {
            public init(combined: some DataProtocol) throws {}
            public init(nonce: Nonce, ciphertext: some DataProtocol, tag: some DataProtocol) throws {}
            public var ciphertext: Data { Data() }
            public var tag: Data { Data() }
        }
        public static func open(_ sealedBox: SealedBox, using key: SymmetricKey) throws -> Data { Data() }
        public static func open(
            _ sealedBox: SealedBox, using key: SymmetricKey, authenticating authenticatedData: some DataProtocol
        ) throws -> Data { Data() }
        public static func seal(
            _ message: some DataProtocol, using key: SymmetricKey, nonce: Nonce? = nil,
            authenticating authenticatedData: some DataProtocol
        ) throws -> SealedBox { fatalError("only type-checked") }
    }
}

public struct SharedSecret: Sendable {
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        fatalError("only type-checked")
    }
}

public enum P256 {
    public enum Signing {
        public struct ECDSASignature: Sendable {
            public init(rawRepresentation: some DataProtocol) throws {}
            public var rawRepresentation: Data { Data() }
        }
        public struct PublicKey: Sendable {
            public init(x963Representation: some ContiguousBytes) throws {}
            public var x963Representation: Data { Data() }
            public func isValidSignature(_ signature: ECDSASignature, for data: some DataProtocol) -> Bool { false }
        }
        public struct PrivateKey: Sendable {
            public init(compactRepresentable: Bool = true) {}
            public init(rawRepresentation: some ContiguousBytes) throws {}
            public var rawRepresentation: Data { Data() }
            public var publicKey: PublicKey { fatalError("only type-checked") }
            public func signature(for data: some DataProtocol) throws -> ECDSASignature { fatalError("only type-checked") }
        }
    }
    public enum KeyAgreement {
        public struct PublicKey: Sendable {
            public init(x963Representation: some ContiguousBytes) throws {}
            public var x963Representation: Data { Data() }
        }
        public struct PrivateKey: Sendable {
            public init(compactRepresentable: Bool = true) {}
            public init(rawRepresentation: some ContiguousBytes) throws {}
            public var rawRepresentation: Data { Data() }
            public var publicKey: PublicKey { fatalError("only type-checked") }
            public func sharedSecretFromKeyAgreement(with publicKeyShare: PublicKey) throws -> SharedSecret { SharedSecret() }
        }
    }
}

public enum SecureEnclave {
    public static var isAvailable: Bool { false }

    public enum P256 {
        public enum Signing {
            public struct PrivateKey: Sendable {
                public init(
                    compactRepresentable: Bool = true, accessControl: SecAccessControl = SecAccessControl(),
                    authenticationContext: LAContext? = nil
                ) throws {}
                public init(dataRepresentation: Data, authenticationContext: LAContext? = nil) throws {}
                public var dataRepresentation: Data { Data() }
                public var publicKey: CryptoKit.P256.Signing.PublicKey { fatalError("only type-checked") }
                public func signature(for data: some DataProtocol) throws -> CryptoKit.P256.Signing.ECDSASignature {
                    fatalError("only type-checked")
                }
            }
        }
        public enum KeyAgreement {
            public struct PrivateKey: Sendable {
                public init(
                    compactRepresentable: Bool = true, accessControl: SecAccessControl = SecAccessControl(),
                    authenticationContext: LAContext? = nil
                ) throws {}
                public init(dataRepresentation: Data, authenticationContext: LAContext? = nil) throws {}
                public var dataRepresentation: Data { Data() }
                public var publicKey: CryptoKit.P256.KeyAgreement.PublicKey { fatalError("only type-checked") }
                public func sharedSecretFromKeyAgreement(
                    with publicKeyShare: CryptoKit.P256.KeyAgreement.PublicKey
                ) throws -> SharedSecret { SharedSecret() }
            }
        }
    }
}
