internal import CHeliographZlib

/// The few functions of zlib that are used here.
package enum Zlib {
    /// Continues a CRC-32, which begins with 0.
    package static func crc32(_ value: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
        // zlib would treat a null address as a request to begin again.
        guard var address = bytes.baseAddress, unsafe !bytes.isEmpty else { return value }
        var (value, count) = (value, bytes.count)
        if canFold, count >= Int(CHZLIB_FOLDED_MIN) {
            let folded = count & ~15
            value = unsafe chzlib_crc32_folded(value, address.assumingMemoryBound(to: UInt8.self), folded)
            unsafe address += folded
            count -= folded
        }
        guard count > 0 else { return value }
        return unsafe UInt32(
            truncatingIfNeeded: crc32_z(uLong(value), address.assumingMemoryBound(to: Bytef.self), z_size_t(count)))
    }

    /// True if the processor has carry-less multiplication. Each event and each state has a checksum, and zlib's table takes four
    /// instructions per byte.
    private static let canFold = chzlib_can_fold() != 0

    /// The bytes as a gzip file (RFC 1952), as small as zlib makes it; without a time, so that the same bytes give the same file.
    package static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        var stream = unsafe z_stream()
        let size = unsafe Int32(MemoryLayout<z_stream>.size)
        // zlib's largest window and table, and a gzip header, which adding 16 selects.
        let begun = unsafe deflateInit2_(
            &stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        guard begun == Z_OK else { fatalError("zlib could not begin to compress: out of memory") }
        defer { unsafe deflateEnd(&stream) }
        let capacity = unsafe Int(deflateBound(&stream, uLong(bytes.count)))
        return unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initialized in
            unsafe bytes.withUnsafeBufferPointer { input in
                unsafe stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                unsafe stream.avail_in = uInt(input.count)
                unsafe stream.next_out = buffer.baseAddress
                unsafe stream.avail_out = uInt(buffer.count)
                guard unsafe deflate(&stream, Z_FINISH) == Z_STREAM_END else {
                    fatalError("zlib had no room for \(input.count) bytes in what it said that they need")
                }
            }
            initialized = unsafe Int(stream.total_out)
        }
    }
}
