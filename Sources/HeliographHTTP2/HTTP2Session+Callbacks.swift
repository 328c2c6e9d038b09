internal import CHeliographNghttp2

/// Callbacks of nghttp2. They change only the session's own state and `events`.
extension HTTP2Session {
    static func setCallbacks(_ callbacks: OpaquePointer?) {
        unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, user in
            unsafe HTTP2Session.of(user).headersBegan(frame!.pointee)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameCount, value, valueCount, _, user in
            unsafe HTTP2Session.of(user).headerReceived(
                UnsafeBufferPointer(start: name, count: nameCount), UnsafeBufferPointer(start: value, count: valueCount),
                stream: frame!.pointee.hd.stream_id)
        }
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, number, bytes, count, user in
            unsafe HTTP2Session.of(user).bodyReceived(UnsafeBufferPointer(start: bytes, count: count), stream: number)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
            unsafe HTTP2Session.of(user).frameReceived(frame!.pointee)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_before_frame_send_callback(callbacks) { _, frame, user in
            unsafe HTTP2Session.of(user).frameIsDue(frame!.pointee.hd)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, number, code, user in
            unsafe HTTP2Session.of(user).streamClosed(number, HTTP2ErrorCode(rawValue: code))
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, _, user in
            unsafe HTTP2Session.of(user).frameNotSent(frame!.pointee.hd)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_error_callback2(callbacks) { _, _, text, count, user in
            let session = unsafe HTTP2Session.of(user)
            let bytes = unsafe UnsafeRawBufferPointer(start: text, count: count)
            unsafe session.complaint = session.complaint ?? String(decoding: bytes, as: UTF8.self)
            return 0
        }
    }

    /// The object that owns the nghttp2 session. It is alive, because nghttp2 calls back during a call of it.
    private static func of(_ user: UnsafeMutableRawPointer?) -> HTTP2Session {
        unsafe Unmanaged<HTTP2Session>.fromOpaque(user!).takeUnretainedValue()
    }

    // MARK: Coming in

    private func headersBegan(_ frame: nghttp2_frame) {
        let number = unsafe frame.hd.stream_id
        guard let stream = stream(number) else {
            guard isServer else { return }
            streams[number] = Stream()
            events.append(.streamBegan(number))
            return
        }
        // The headers so far were an interim response, such as 103; those that follow a final one are its trailers.
        if !isServer, stream.headers.first?.value.first == "1" { stream.headers = [] }
    }

    /// An error result resets the stream.
    private func headerReceived(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, stream number: Int32
    ) -> Int32 {
        guard let stream = stream(number) else { return 0 }
        stream.headerBytes += name.count + value.count + 32
        guard stream.headerBytes <= limits.headerBytesMax else {
            stream.end = stream.end ?? .tooLarge
            return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
        }
        unsafe stream.headers.append(
            HTTP2Header(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
        return 0
    }

    private func bodyReceived(_ bytes: UnsafeBufferPointer<UInt8>, stream number: Int32) {
        guard let stream = stream(number), stream.end == nil else { return }
        guard stream.body.count + bytes.count <= limits.bodyBytesMax else {
            stream.body = []
            return reset(number, .cancel, .tooLarge)
        }
        unsafe stream.body.append(contentsOf: bytes)
    }

    private func frameReceived(_ frame: nghttp2_frame) {
        let head = unsafe frame.hd
        let isLast = head.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        let isAnswer = head.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
        switch UInt32(head.type) {
        case NGHTTP2_HEADERS.rawValue where isLast, NGHTTP2_DATA.rawValue where isLast:
            messageReceived(head.stream_id)
        case NGHTTP2_RST_STREAM.rawValue:
            guard let stream = stream(head.stream_id) else { return }
            unsafe stream.end = stream.end ?? .reset(HTTP2ErrorCode(rawValue: frame.rst_stream.error_code))
        case NGHTTP2_SETTINGS.rawValue:
            events.append(isAnswer ? .settingsAcknowledged : .settingsReceived(streamsMax: peerStreamsMax))
        case NGHTTP2_PING.rawValue where isAnswer:
            events.append(.pingAnswered)
        case NGHTTP2_GOAWAY.rawValue:
            let goAway = unsafe frame.goaway
            let debug = unsafe Array(UnsafeBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len))
            unsafe events.append(
                .goAwayReceived(
                    lastStream: goAway.last_stream_id, HTTP2ErrorCode(rawValue: goAway.error_code), debug: debug))
        default:
            break
        }
    }

    private func messageReceived(_ number: Int32) {
        guard let stream = stream(number), stream.end == nil, !stream.isReceived else { return }
        stream.isReceived = true
        events.append(.messageReceived(HTTP2Message(headers: stream.headers, body: stream.body), stream: number))
        (stream.headers, stream.body) = ([], [])
        guard !isServer else { return }
        stream.end = .answered
        // The server answered before it had the whole request, and does not want the rest.
        if !stream.isSent { reset(number, .cancel, .answered) }
    }

    private func streamClosed(_ number: Int32, _ code: HTTP2ErrorCode) {
        guard let stream = streams.removeValue(forKey: number) else { return }
        let end: HTTP2StreamEnd
        if let known = stream.end {
            end = known
        } else if code == .noError {
            // A response that ends before its message is complete does not count.
            end = isServer ? .answered : .reset(.noError)
        } else if code == .refusedStream, !isServer {
            // The stream is above the last one of a GOAWAY.
            end = .reset(code)
        } else {
            end = .resetHere(code)
        }
        events.append(.streamEnded(end, stream: number))
    }

    // MARK: Going out

    /// Called before the frame is sent: nghttp2 reports a sent frame only when asked for the next, and a connection that ends in
    /// between may have carried it. Bodies are handled in `readOutput`.
    private func frameIsDue(_ head: nghttp2_frame_hd) {
        guard UInt32(head.type) == NGHTTP2_HEADERS.rawValue,
            head.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        else { return }
        stream(head.stream_id)?.isSent = true
    }

    /// A stream was not sent: nghttp2 refuses new streams after a GOAWAY, and closes one that was created.
    private func frameNotSent(_ head: nghttp2_frame_hd) {
        guard !isServer, UInt32(head.type) == NGHTTP2_HEADERS.rawValue, let stream = streams[head.stream_id] else { return }
        stream.end = stream.end ?? .reset(.refusedStream)
        streams[head.stream_id] = nil
        events.append(.streamEnded(.reset(.refusedStream), stream: head.stream_id))
    }

    /// The data provider for a stream's `output`; nil if no body follows. nghttp2 copies it during the call.
    static func withBodyProvider<Result>(
        isNeeded: Bool, _ body: (UnsafePointer<nghttp2_data_provider>?) -> Result
    ) -> Result {
        guard isNeeded else { return body(nil) }
        var provider = unsafe nghttp2_data_provider(
            source: nghttp2_data_source(),
            read_callback: { _, number, buffer, count, flags, _, user in
                unsafe HTTP2Session.of(user).readOutput(
                    number, into: UnsafeMutableRawBufferPointer(start: buffer, count: count), flags!)
            })
        return unsafe body(&provider)
    }

    private func readOutput(
        _ number: Int32, into buffer: UnsafeMutableRawBufferPointer, _ flags: UnsafeMutablePointer<UInt32>
    ) -> Int {
        guard let stream = stream(number) else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
        let count = min(buffer.count, stream.output.count - stream.outputOffset)
        let end = stream.outputOffset + count
        if count == 0, !stream.isOutputWhole {
            stream.isDeferred = true
            return Int(NGHTTP2_ERR_DEFERRED.rawValue)
        }
        unsafe buffer.copyBytes(from: stream.output[stream.outputOffset..<end])
        stream.outputOffset = end
        if stream.isOutputWhole, end == stream.output.count {
            unsafe flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
            stream.isSent = true
        }
        return count
    }

    /// The fields in nghttp2's form, for the time of the call: it copies them.
    static func withNameValues<Result>(
        _ headers: [HTTP2Header], _ body: (UnsafeBufferPointer<nghttp2_nv>) -> Result
    ) -> Result {
        let bytes = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(1, bytes)) { text in
            unsafe withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: headers.count) { fields in
                var end = 0
                for (index, header) in headers.enumerated() {
                    let (nameAt, valueAt) = unsafe (put(header.name, in: text, at: &end), put(header.value, in: text, at: &end))
                    let flags = header.isVolatile ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE
                    unsafe fields.initializeElement(
                        at: index,
                        to: nghttp2_nv(
                            name: text.baseAddress! + nameAt, value: text.baseAddress! + valueAt, namelen: valueAt - nameAt,
                            valuelen: end - valueAt, flags: UInt8(flags.rawValue)))
                }
                return unsafe body(UnsafeBufferPointer(fields))
            }
        }
    }

    /// Copies the string to `end`, moves `end` behind it, and returns its start. There must be room.
    private static func put(_ string: String, in text: UnsafeMutableBufferPointer<UInt8>, at end: inout Int) -> Int {
        var string = string
        let start = end
        string.withUTF8 { bytes in
            end = unsafe start + UnsafeMutableBufferPointer(rebasing: text[start...]).initialize(fromContentsOf: bytes)
        }
        return start
    }
}
