internal import CLibwebsockets

/// One message to send, immutable and shared: any number of connections of one loop send the same bytes without a copy.
///
/// libwebsockets writes the frame header into the head-room in front of the payload. The header depends on nothing but kind and
/// length, so every server connection writes the same bytes there. Clients mask in place and therefore send a copy.
@safe package final class OutgoingMessage: @unchecked Sendable {
    // Invariant of @unchecked: the payload is written in `init` only; the head-room only on the thread of the loop that sends
    // this message. A message belongs to one loop.

    package let kind: IncomingMessage.Kind

    /// Bytes of payload.
    package let count: Int

    private let storage: UnsafeMutableRawPointer

    package convenience init(text: String) {
        var text = text
        self.init(kind: .text, text.utf8.count) { output in
            text.withUTF8 { unsafe output.append($0) }
        }
    }

    /// The caller answers for valid UTF-8.
    package convenience init(text: [UInt8]) {
        self.init(kind: .text, text.count) { output in
            unsafe text.withUnsafeBufferPointer { unsafe output.append($0) }
        }
    }

    package convenience init(binary: [UInt8]) {
        self.init(kind: .binary, binary.count) { output in
            unsafe binary.withUnsafeBufferPointer { unsafe output.append($0) }
        }
    }

    /// Writes at most `capacity` bytes of valid UTF-8 straight into the message.
    package convenience init<E: Error>(
        text capacity: Int, initializingWith body: (inout OutputSpan<UInt8>) throws(E) -> Void
    ) throws(E) {
        try self.init(kind: .text, capacity, body)
    }

    /// Writes at most `capacity` bytes straight into the message.
    package convenience init<E: Error>(
        binary capacity: Int, initializingWith body: (inout OutputSpan<UInt8>) throws(E) -> Void
    ) throws(E) {
        try self.init(kind: .binary, capacity, body)
    }

    private init<E: Error>(
        kind: IncomingMessage.Kind, _ capacity: Int, _ body: (inout OutputSpan<UInt8>) throws(E) -> Void
    ) throws(E) {
        let headroom = Int(CLWS_PRE)
        let storage = UnsafeMutableRawPointer.allocate(byteCount: headroom + capacity, alignment: 16)
        let payload = unsafe UnsafeMutableBufferPointer(
            start: (storage + headroom).assumingMemoryBound(to: UInt8.self), count: capacity)
        do throws(E) {
            var output = unsafe OutputSpan(buffer: payload, initializedCount: 0)
            try body(&output)
            self.count = unsafe output.finalize(for: payload)
        } catch {
            unsafe storage.deallocate()
            throw error
        }
        unsafe self.storage = storage
        self.kind = kind
    }

    deinit {
        unsafe storage.deallocate()
    }

    /// For `lws_write`: has the head-room in front of it. On the loop's thread only.
    var payload: UnsafeMutablePointer<UInt8> {
        unsafe (storage + Int(CLWS_PRE)).assumingMemoryBound(to: UInt8.self)
    }
}

extension OutputSpan<UInt8> {
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        unsafe self.withUnsafeMutableBufferPointer { buffer, initialized in
            for index in bytes.indices {
                unsafe buffer.initializeElement(at: initialized + index, to: bytes[index])
            }
            initialized += bytes.count
        }
    }
}
