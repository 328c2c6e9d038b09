internal import CHeliographZlib

/// The little of zlib that is used here.
package enum Zlib {
    /// Goes on with a CRC-32; one begins with 0.
    package static func crc32(_ value: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
        // zlib takes no address for a wish to begin anew.
        guard let address = bytes.baseAddress, unsafe !bytes.isEmpty else { return value }
        return unsafe UInt32(
            truncatingIfNeeded: crc32_z(uLong(value), address.assumingMemoryBound(to: Bytef.self), z_size_t(bytes.count)))
    }

    /// The bytes as a gzip file (RFC 1952), as small as zlib makes it; without a time, so that the same bytes give the same file.
    package static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        var compressed: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 0xFF]
        var count = compressBound(uLong(bytes.count))
        let zlib = unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, initialized in
            // It has one other way to end than running out of memory or of room, and both are there.
            guard unsafe compress2(buffer.baseAddress, &count, bytes, uLong(bytes.count), Z_BEST_COMPRESSION) == Z_OK else {
                fatalError("zlib could not compress \(bytes.count) bytes: out of memory")
            }
            initialized = Int(count)
        }
        // zlib's own envelope is two bytes before and four behind; the stream within is the same.
        compressed += zlib.dropFirst(2).dropLast(4)
        let checksum = unsafe bytes.withUnsafeBytes { unsafe crc32(0, $0) }
        for word in [checksum, UInt32(truncatingIfNeeded: bytes.count)] {
            for shift in stride(from: UInt32(0), through: 24, by: 8) {
                compressed.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        return compressed
    }
}
