internal import CHeliographLibwebsockets
internal import HeliographCrypto
internal import Glibc

/// The C memory that an `lws_context` borrows: it outlives the context and is freed once, after it.
@safe struct ContextStorage {
    /// Bytes read at once from one socket: what a host has sent by then becomes one commit, and one write for each subscriber.
    static let readBytes = 128 << 10

    /// Size of a message's pieces. Each connection has a buffer of this size, of which only touched pages use memory.
    static let pieceBytes = 16_384

    /// Bytes written at once to one socket; libwebsockets would otherwise use the size of the read buffer.
    static let writeBytes = 1 << 20

    /// Name of the entry in a vhost's protocols that is renamed to the handler's choice, see `EventLoop+Upgrade`.
    static let slotName = "heliograph-slot"

    /// All zero: turns libwebsockets' own pings off. They would need two entries in a sorted list for each connection, and would
    /// not count other input as a sign of life.
    let noKeepAlive = UnsafeMutablePointer<lws_retry_bo_t>.allocate(capacity: 1)

    let log = UnsafeMutablePointer<clws_log>.allocate(capacity: 1)
    let protocols = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 3)
    let empty = unsafe strdup("")!

    var plainVhost: OpaquePointer?
    var tlsVhost: (vhost: OpaquePointer, identity: ListenerConfiguration.TLS)?
    /// The SSL_CTX of `tlsVhost`, which libwebsockets owns.
    var tlsContext: UnsafeMutableRawPointer?
    /// Certificate and key that TLS sessions present, replaced when they are renewed.
    let identity = ServerIdentity()
    /// Client vhosts by authority file; the empty string stands for none.
    var clientVhosts: [String: OpaquePointer] = unsafe [:]
    /// For each vhost, the protocol whose name follows the handler's choice.
    var slots: [OpaquePointer: UnsafePointer<lws_protocols>] = unsafe [:]
    private var borrowedName: UnsafeMutablePointer<CChar>?
    /// Subprotocols and other names, which must live as long as the context.
    private var names: [String: UnsafeMutablePointer<CChar>] = unsafe [:]

    init() {
        unsafe noKeepAlive.initialize(to: lws_retry_bo_t())
        unsafe log.initialize(to: EngineLog.make())
        unsafe protocols.initialize(repeating: lws_protocols(), count: 3)
        for (index, name) in ["heliograph", Self.slotName].enumerated() {
            unsafe protocols[index].name = UnsafePointer(intern(name))
            unsafe protocols[index].callback = engineCallback
            unsafe protocols[index].rx_buffer_size = Self.pieceBytes
            unsafe protocols[index].tx_packet_size = Self.writeBytes
        }
    }

    mutating func intern(_ name: String) -> UnsafeMutablePointer<CChar> {
        if let known = unsafe names[name] { return unsafe known }
        let copy = unsafe strdup(name)!
        unsafe names[name] = copy
        return unsafe copy
    }

    /// A copy that is valid until the next call: for names that peers choose, which must not accumulate.
    mutating func borrowed(_ name: String) -> UnsafeMutablePointer<CChar> {
        unsafe Glibc.free(borrowedName)
        let copy = unsafe strdup(name)!
        unsafe borrowedName = copy
        return unsafe copy
    }

    mutating func free() {
        unsafe Glibc.free(borrowedName)
        unsafe borrowedName = nil
        unsafe noKeepAlive.deallocate()
        unsafe log.deallocate()
        unsafe protocols.deallocate()
        unsafe Glibc.free(empty)
        unsafe names.values.forEach { unsafe Glibc.free($0) }
        unsafe names = [:]
    }
}
