internal import CHeliographOpenSSL

/// AES-GCM: without the key the text cannot be read, and changes to it or to the authenticated data are detected. A key of
/// `keyBytes` selects AES-256, our default; one of `shortKeyBytes` selects AES-128, which RFC 8188 requires.
package enum AESGCM {
    package static let keyBytes = 32
    package static let shortKeyBytes = 16
    package static let nonceBytes = 12
    package static let tagBytes = 16

    /// Nonce, ciphertext and tag in one piece, with a new random nonce, for `open(_:with:authenticating:)`. A key may be used 2³²
    /// times, so that a nonce does not repeat.
    package static func seal(_ text: [UInt8], with key: [UInt8], authenticating known: [UInt8] = []) -> [UInt8] {
        let nonce = Crypto.random(count: nonceBytes)
        return nonce + seal(text, with: key, nonce: nonce, authenticating: known)
    }

    /// Ciphertext and tag. The caller must never use a nonce twice with one key: anyone with two such texts can forge others.
    package static func seal(
        _ text: [UInt8], with key: [UInt8], nonce: [UInt8], authenticating known: [UInt8] = []
    ) -> [UInt8] {
        let cipher = unsafe cipher(key, nonce)
        let context = unsafe EVP_CIPHER_CTX_new()
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var sealed = [UInt8](repeating: 0, count: text.count + tagBytes)
        var count: Int32 = 0
        guard unsafe EVP_EncryptInit_ex(context, cipher, nil, key, nonce) == 1,
            unsafe known.isEmpty || EVP_EncryptUpdate(context, nil, &count, known, Int32(known.count)) == 1,
            unsafe text.isEmpty || EVP_EncryptUpdate(context, &sealed, &count, text, Int32(text.count)) == 1,
            unsafe finish(context, &sealed, at: text.count)
        else { fatalError("OpenSSL could not seal: \(CryptoError.takeReason())") }
        return sealed
    }

    /// The text of a piece made by `seal(_:with:authenticating:)`. Throws `notAuthentic`.
    package static func open(
        _ sealed: [UInt8], with key: [UInt8], authenticating known: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        guard sealed.count >= nonceBytes + tagBytes else {
            throw CryptoError(.notAuthentic, "this is too short to have been sealed")
        }
        return try open(
            Array(sealed.dropFirst(nonceBytes)), with: key, nonce: Array(sealed.prefix(nonceBytes)), authenticating: known)
    }

    /// The text of ciphertext and tag. Throws `notAuthentic`, and then returns nothing of the text.
    package static func open(
        _ sealed: [UInt8], with key: [UInt8], nonce: [UInt8], authenticating known: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        let cipher = unsafe cipher(key, nonce)
        guard sealed.count >= tagBytes else { throw CryptoError(.notAuthentic, "this is too short to have been sealed") }
        let context = unsafe EVP_CIPHER_CTX_new()
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        defer { ERR_clear_error() }
        let ciphertext = Array(sealed.dropLast(tagBytes))
        var tag = Array(sealed.suffix(tagBytes))
        var text = [UInt8](repeating: 0, count: ciphertext.count)
        var count: Int32 = 0
        guard unsafe EVP_DecryptInit_ex(context, cipher, nil, key, nonce) == 1,
            unsafe known.isEmpty || EVP_DecryptUpdate(context, nil, &count, known, Int32(known.count)) == 1,
            unsafe ciphertext.isEmpty
                || EVP_DecryptUpdate(context, &text, &count, ciphertext, Int32(ciphertext.count)) == 1,
            unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagBytes), &tag) == 1
        else { fatalError("OpenSSL could not open: \(CryptoError.takeReason())") }
        var nothing = [UInt8](repeating: 0, count: tagBytes)
        guard unsafe EVP_DecryptFinal_ex(context, &nothing, &count) == 1 else {
            throw CryptoError(.notAuthentic, "the sealed bytes were changed, or sealed for another key")
        }
        return text
    }

    private static func cipher(_ key: [UInt8], _ nonce: [UInt8]) -> OpaquePointer? {
        precondition(nonce.count == nonceBytes, "AES-GCM has nonces of 12 bytes here")
        switch key.count {
        case keyBytes: return unsafe EVP_aes_256_gcm()
        case shortKeyBytes: return unsafe EVP_aes_128_gcm()
        default: preconditionFailure("AES-GCM has keys of 32 or 16 bytes here")
        }
    }

    /// Ends the encryption and appends the tag. GCM buffers no bytes, so no more ciphertext comes.
    private static func finish(_ context: OpaquePointer?, _ sealed: inout [UInt8], at offset: Int) -> Bool {
        unsafe sealed.withUnsafeMutableBytes { buffer in
            var count: Int32 = 0
            let end = unsafe buffer.baseAddress! + offset
            return unsafe EVP_EncryptFinal_ex(context, end.assumingMemoryBound(to: UInt8.self), &count) == 1
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagBytes), end) == 1
        }
    }
}
