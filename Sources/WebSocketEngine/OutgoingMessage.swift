internal import CHeliographLibwebsockets

/// One message to send, immutable and shared: any number of connections send the same bytes without a copy.
///
/// The frame header precedes the payload, as server connections send it; libwebsockets passes ready-made frames through.
/// Clients mask what they send, and therefore send a copy.
@safe package final class OutgoingMessage: @unchecked Sendable {
    // Invariant of @unchecked: the storage is written in `init` only.

    package let kind: IncomingMessage.Kind

    /// Size of the payload in bytes.
    package let count: Int

    private let storage: UnsafeMutableRawPointer
    private let headerCount: Int

    package convenience init(text: String) {
        var text = text
        self.init(kind: .text, text.utf8.count) { output in
            text.withUTF8 { unsafe output.append($0) }
        }
    }

    /// `text` must be valid UTF-8.
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
        headerCount = Self.headerCount(count)
        unsafe Self.writeHeader(kind, count, to: storage + headroom - headerCount)
    }

    deinit {
        unsafe storage.deallocate()
    }

    private var payload: UnsafeRawPointer { unsafe UnsafeRawPointer(storage + Int(CLWS_PRE)) }

    /// The whole frame as a server sends it. Must not be written to.
    var frame: UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(
            start: storage + Int(CLWS_PRE) - headerCount, count: headerCount + count)
    }

    var frameCount: Int { headerCount + count }

    /// Writes the whole frame as a client sends it, masked, to `output` of `maskedFrameCount` bytes. The mask must not be
    /// predictable for whoever chose the payload. Eight bytes at a time: libwebsockets masks byte by byte, and a link between nodes
    /// sends megabytes a second.
    func writeFrame(maskedBy mask: UInt32, to output: UnsafeMutableRawBufferPointer) {
        precondition(output.count == maskedFrameCount, "a frame has its size")
        let header = unsafe UnsafeRawBufferPointer(rebasing: frame[..<headerCount])
        unsafe output.copyMemory(from: header)
        unsafe output[1] |= 0x80
        unsafe output.storeBytes(of: mask, toByteOffset: headerCount, as: UInt32.self)
        let pattern = UInt64(mask) << 32 | UInt64(mask)
        let start = headerCount + Self.maskBytes
        var place = 0
        while place + 8 <= count {
            let bytes = unsafe payload.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            unsafe output.storeBytes(of: bytes ^ pattern, toByteOffset: start + place, as: UInt64.self)
            place += 8
        }
        while place < count {
            let byte = UInt8(truncatingIfNeeded: pattern.littleEndian >> UInt64(8 * (place & 7)))
            unsafe output[start + place] = payload.load(fromByteOffset: place, as: UInt8.self) ^ byte
            place += 1
        }
    }

    var maskedFrameCount: Int { frameCount + Self.maskBytes }

    private static let maskBytes = 4

    // MARK: The header, RFC 6455 section 5.2

    private static func headerCount(_ count: Int) -> Int { count < 126 ? 2 : count < 1 << 16 ? 4 : 10 }

    private static func writeHeader(_ kind: IncomingMessage.Kind, _ count: Int, to start: UnsafeMutableRawPointer) {
        let final: UInt8 = 0x80
        unsafe start.storeBytes(of: final | (kind == .text ? 1 : 2), as: UInt8.self)
        switch headerCount(count) {
        case 2: unsafe start.storeBytes(of: UInt8(count), toByteOffset: 1, as: UInt8.self)
        case 4:
            unsafe start.storeBytes(of: 126, toByteOffset: 1, as: UInt8.self)
            unsafe start.storeBytes(of: UInt16(count).bigEndian, toByteOffset: 2, as: UInt16.self)
        default:
            unsafe start.storeBytes(of: 127, toByteOffset: 1, as: UInt8.self)
            unsafe start.storeBytes(of: UInt64(count).bigEndian, toByteOffset: 2, as: UInt64.self)
        }
    }
}

extension OutputSpan<UInt8> {
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        unsafe self.withUnsafeMutableBufferPointer { buffer, initialized in
            let room = buffer.extracting(initialized...)
            initialized += unsafe room.initialize(fromContentsOf: bytes)
        }
    }
}
