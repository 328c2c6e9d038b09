internal import CHeliographNghttp2

/// HTTP/2 on one connection as a machine of bytes, by nghttp2: knows neither sockets nor TLS nor time. The only file, with its
/// extensions, that calls nghttp2.
///
/// Belongs to the loop's thread. nghttp2 calls back only during `receive(_:)` and `produce(into:upTo:)`; its events are collected
/// in `events` and handled after the call.
@safe final class HTTP2Session: HTTPSession {
    enum Event {
        case settingsReceived(streamsMax: Int)
        case settingsAcknowledged
        case goAwayReceived(lastStream: Int32, HTTP2ErrorCode, debug: [UInt8])
        case pingAnswered
        /// The peer began a stream.
        case streamBegan(Int32)
        case messageReceived(HTTP2Message, stream: Int32)
        case streamEnded(HTTP2StreamEnd, stream: Int32)
    }

    /// One stream that has not ended.
    final class Stream {
        var headers: [HTTP2Header] = []
        var headerBytes = 0
        var body: [UInt8] = []
        /// True if the peer's message is complete.
        var isReceived = false
        /// Our body, and the number of bytes sent of it.
        var output: [UInt8] = []
        var outputOffset = 0
        /// True if nothing will be added to `output`.
        var isOutputWhole = false
        /// True if nghttp2 waits until it is told that `output` has more.
        var isDeferred = false
        /// True if our last frame of it was handed out, or is about to be.
        var isSent = false
        /// The end to be reported, if it is known before the stream closes.
        var end: HTTP2StreamEnd?
    }

    let isServer: Bool
    var events: [Event] = []
    var streams: [Int32: Stream] = [:] { didSet { latest = nil } }
    /// The last one used of `streams`: nghttp2 makes a dozen callbacks for one stream before the next.
    private var latest: (number: Int32, stream: Stream)?
    let limits: HTTP2Limits
    /// nghttp2's text about the peer's mistake.
    var complaint: String?
    /// Owned; set in `init` and constant after it.
    private(set) var session: OpaquePointer! = nil

    /// `faults` and `streamWindowBytes` apply to servers only.
    init(
        isServer: Bool, limits: HTTP2Limits, faults: HTTP2ServerConfiguration.Faults = .init()
    ) {
        self.isServer = isServer
        self.limits = limits
        var options: OpaquePointer?
        var callbacks: OpaquePointer?
        guard unsafe nghttp2_option_new(&options) == 0, unsafe nghttp2_session_callbacks_new(&callbacks) == 0 else {
            fatalError("nghttp2 could not allocate: out of memory")
        }
        defer {
            unsafe nghttp2_option_del(options)
            unsafe nghttp2_session_callbacks_del(callbacks)
        }
        // Limit until the peer's SETTINGS arrive: APNs begins with one stream, whereas nghttp2 would assume a hundred.
        unsafe nghttp2_option_set_peer_max_concurrent_streams(options, 1)
        if faults.holdsWindow { unsafe nghttp2_option_set_no_auto_window_update(options, 1) }
        unsafe Self.setCallbacks(callbacks)
        // The session is deleted in `deinit`, so no callback comes after this object.
        let user = unsafe Unmanaged.passUnretained(self).toOpaque()
        let create = unsafe isServer ? nghttp2_session_server_new2 : nghttp2_session_client_new2
        guard unsafe create(&session, callbacks, user, options) == 0 else {
            fatalError("nghttp2 could not allocate a session: out of memory")
        }
    }

    deinit { unsafe nghttp2_session_del(session) }

    func stream(_ number: Int32) -> Stream? {
        if let latest, latest.number == number { return latest.stream }
        guard let stream = streams[number] else { return nil }
        latest = (number, stream)
        return stream
    }

    // MARK: Bytes

    /// Processes the peer's bytes. Throws if it violated HTTP/2 beyond recovery.
    func receive(_ bytes: [UInt8]) throws(HTTP2Error) {
        let count = unsafe nghttp2_session_mem_recv(session, bytes, bytes.count)
        guard count == bytes.count else { throw HTTP2Error(.protocolBroken, complaint ?? Self.sentence(Int32(count))) }
    }

    /// Appends output to `bytes` until there is no more or `countMax` is reached; the last frame may exceed it.
    func produce(into bytes: inout [UInt8], upTo countMax: Int) throws(HTTP2Error) {
        while bytes.count < countMax {
            var start: UnsafePointer<UInt8>?
            let count = unsafe nghttp2_session_mem_send(session, &start)
            guard count >= 0 else { throw HTTP2Error(.protocolBroken, Self.sentence(Int32(count))) }
            guard count > 0 else { return }
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
        }
    }

    /// True if neither side has anything left to send.
    var isOver: Bool { unsafe nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0 }

    /// The number of streams that the peer permits us.
    var peerStreamsMax: Int {
        Int(unsafe nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
    }

    // MARK: Orders

    /// Sends SETTINGS; the first are part of the connection's greeting. A client permits no pushed streams.
    func sendSettings(streamsMax: Int?, streamWindowBytes: Int? = nil) {
        var entries: [nghttp2_settings_entry] = []
        if !isServer { entries.append(.init(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0)) }
        if let streamsMax {
            entries.append(
                .init(
                    settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: UInt32(clamping: streamsMax)))
        }
        if let streamWindowBytes {
            entries.append(
                .init(
                    settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue),
                    value: UInt32(clamping: streamWindowBytes)))
        }
        check(unsafe nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count))
    }

    /// Sends a request. Returns the new stream's number; nil if nghttp2 permits no more.
    func sendRequest(_ message: HTTP2Message) -> Int32? {
        let stream = Stream()
        stream.output = message.body
        stream.isOutputWhole = true
        let number = unsafe Self.withBodyProvider(isNeeded: !message.body.isEmpty) { provider in
            unsafe Self.withNameValues(message.headers) { fields in
                unsafe nghttp2_submit_request(session, nil, fields.baseAddress, fields.count, provider, nil)
            }
        }
        guard number > 0 else { return nil }
        streams[number] = stream
        return number
    }

    /// Sends the head of a response. `sendBody` follows, unless `isWhole`.
    func sendHeaders(_ headers: [HTTP2Header], on number: Int32, isWhole: Bool) {
        guard let stream = streams[number] else { return }
        stream.isOutputWhole = stream.isOutputWhole || isWhole
        let result = unsafe Self.withBodyProvider(isNeeded: !isWhole || !stream.output.isEmpty) { provider in
            unsafe Self.withNameValues(headers) { fields in
                unsafe nghttp2_submit_response(session, number, fields.baseAddress, fields.count, provider)
            }
        }
        check(result)
    }

    func sendBody(_ bytes: [UInt8], on number: Int32, isWhole: Bool) {
        guard let stream = streams[number] else { return }
        stream.output += bytes
        stream.isOutputWhole = stream.isOutputWhole || isWhole
        guard stream.isDeferred else { return }
        stream.isDeferred = false
        check(unsafe nghttp2_session_resume_data(session, number))
    }

    /// Ends a stream; `end` is reported to its handler.
    func reset(_ number: Int32, _ code: HTTP2ErrorCode, _ end: HTTP2StreamEnd) {
        guard let stream = streams[number] else { return }
        stream.end = stream.end ?? end
        check(unsafe nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), number, code.rawValue))
    }

    func ping() { check(unsafe nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil)) }

    /// No effect: the frames already received determine the result.
    func endOfInput() {}

    /// `lastStream`: nil for the last one processed.
    func goAway(_ code: HTTP2ErrorCode, lastStream: Int32?, debug: [UInt8]) {
        let last = unsafe lastStream ?? nghttp2_session_get_last_proc_stream_id(session)
        check(
            unsafe nghttp2_submit_goaway(
                session, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, code.rawValue, debug, debug.count))
    }

    /// Sends the WINDOW_UPDATEs that `holdsWindow` held back.
    func releaseWindow() {
        for number in [0] + streams.keys {
            let used =
                unsafe number == 0
                ? nghttp2_session_get_effective_recv_data_length(session)
                : nghttp2_session_get_stream_effective_recv_data_length(session, number)
            guard used > 0 else { continue }
            check(unsafe nghttp2_submit_window_update(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), number, used))
        }
    }

    /// Checks a result of nghttp2. A stream or session that is ending refuses calls, which is no error; anything else is an error
    /// of ours.
    private func check(_ result: Int32) {
        precondition(result != NGHTTP2_ERR_INVALID_ARGUMENT.rawValue, "nghttp2 got an argument that it does not take")
        if result == NGHTTP2_ERR_NOMEM.rawValue { fatalError("nghttp2 could not allocate: out of memory") }
    }

    static func sentence(_ error: Int32) -> String { unsafe String(cString: nghttp2_strerror(error)) }
}
