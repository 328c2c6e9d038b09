internal import CHeliographOpenSSL

/// SHA-256 of bytes that arrive in pieces.
@safe package struct SHA256: ~Copyable {
    package static let digestBytes = 32

    /// Owned; freed when this value ends, and no copy of it exists.
    private let context: OpaquePointer

    package init() {
        guard let context = unsafe EVP_MD_CTX_new() else { fatalError("OpenSSL could not allocate a digest: out of memory") }
        unsafe self.context = unsafe context
        guard unsafe EVP_DigestInit_ex2(context, Self.algorithm, nil) == 1 else {
            fatalError("OpenSSL has no SHA-256: its configuration must allow it")
        }
    }

    /// The algorithm, fetched once: with `EVP_sha256` OpenSSL fetches it for every digest, which takes longer than hashing a line.
    /// Never changed, never freed.
    private nonisolated(unsafe) static let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil)

    deinit { unsafe EVP_MD_CTX_free(context) }

    package mutating func update(_ bytes: some Sequence<UInt8>) {
        let isContiguous: Void? = bytes.withContiguousStorageIfAvailable { unsafe update(UnsafeRawBufferPointer($0)) }
        if isContiguous == nil { unsafe Array(bytes).withUnsafeBytes { unsafe update($0) } }
    }

    package mutating func update(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe update($0) }
    }

    /// Adds the UTF-8 of a text.
    package mutating func update(_ text: String) {
        var text = text
        text.withUTF8 { unsafe update(UnsafeRawBufferPointer($0)) }
    }

    /// The digest of everything added, `digestBytes` long.
    package consuming func finish() -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Self.digestBytes) { buffer, initialized in
            guard unsafe EVP_DigestFinal_ex(context, buffer.baseAddress, nil) == 1 else {
                fatalError("OpenSSL could not finish a SHA-256")
            }
            initialized = Self.digestBytes
        }
    }

    private func update(_ bytes: UnsafeRawBufferPointer) {
        guard unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else {
            fatalError("OpenSSL could not add to a SHA-256")
        }
    }
}
