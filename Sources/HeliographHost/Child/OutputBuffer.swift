import Glibc

/// Bytes that wait for a reader. Nothing is lost or changed; the writer checks `count` before it reads more.
struct OutputBuffer {
    /// Bytes already written that may stay in the buffer.
    private static let keptBytesMax = 1 << 20

    let descriptor: Int32
    private var bytes: [UInt8] = []
    private var written = 0
    /// True if the reader is gone; further output is discarded.
    private(set) var isBroken = false

    init(descriptor: Int32) { self.descriptor = descriptor }

    var count: Int { bytes.count - written }

    mutating func append(_ more: [UInt8]) {
        guard !isBroken else { return }
        if written == bytes.count {
            bytes = more
            written = 0
        } else {
            // Without this, a reader that is always a little behind would keep all that it has ever read.
            if written >= Self.keptBytesMax {
                bytes.removeFirst(written)
                written = 0
            }
            bytes += more
        }
    }

    /// Writes as much as possible without blocking, a piece each time the system reports room.
    mutating func write(bytesMax: Int) {
        while count > 0, !isBroken {
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard unsafe poll(&entry, 1, 0) > 0 else { return }
            let end = min(bytes.count, written + bytesMax)
            // The buffer outlives the call, and the length is its own.
            let taken = unsafe bytes[written..<end].withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if taken > 0 {
                written += taken
            } else if errno != EINTR {
                if errno == EAGAIN { return }
                fail()
            }
        }
        if written == bytes.count {
            bytes = []
            written = 0
        }
    }

    mutating func fail() {
        isBroken = true
        bytes = []
        written = 0
    }
}
