internal import HeliographCrypto

/// Layer between a socket and HTTP, as a transformation of bytes: TLS, or nothing on a plain connection.
protocol ByteSession: AnyObject {
    var isEstablished: Bool { get }
    var isClosedByPeer: Bool { get }
    /// The protocol that ALPN selected; nil if none was.
    var negotiatedProtocol: String? { get }
    /// Name of the version, such as `TLSv1.3`.
    var version: String { get }

    func receive(_ bytes: UnsafeRawBufferPointer)
    func advanceHandshake() throws(CryptoError)
    /// Appends decrypted bytes.
    /// - Returns: true if there may be more.
    func read(into bytes: inout [UInt8], countMax: Int) throws(CryptoError) -> Bool
    func write(_ bytes: [UInt8]) throws(CryptoError)
    func close()
    func takeOutput(into bytes: inout [UInt8])
}

extension TLSSession: ByteSession {}

/// A connection without TLS, on which only HTTP/1.1 is spoken.
final class PlainSession: ByteSession {
    let isEstablished = true
    /// Set by the owner of the socket: a plain connection cannot distinguish its end from a truncation.
    var isClosedByPeer = false
    let negotiatedProtocol: String? = nil
    let version = "none"
    private var input: [UInt8] = []
    private var output: [UInt8] = []

    func receive(_ bytes: UnsafeRawBufferPointer) { unsafe input.append(contentsOf: bytes) }

    func advanceHandshake() {}

    func read(into bytes: inout [UInt8], countMax: Int) -> Bool {
        bytes += input
        input.removeAll(keepingCapacity: true)
        return false
    }

    func write(_ bytes: [UInt8]) { output += bytes }

    func close() {}

    func takeOutput(into bytes: inout [UInt8]) {
        bytes += output
        output.removeAll(keepingCapacity: true)
    }
}
