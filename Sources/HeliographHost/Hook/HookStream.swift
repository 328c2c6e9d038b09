import Glibc

/// Standard input and output without buffers of their own.
enum HookStream {
    /// All of standard input; nil where it is longer than allowed, does not end in time, or is a terminal.
    static func readInput(limits: HookLimits, from descriptor: Int32 = STDIN_FILENO) -> [UInt8]? {
        if isatty(descriptor) == 1 { return nil }
        let deadline = ContinuousClock.now + limits.inputWait
        let chunkBytes = 64 << 10
        var bytes: [UInt8] = []
        while true {
            guard HookSocket.wait(for: POLLIN, on: descriptor, until: deadline) == .ready else { return nil }
            var count = 0
            let chunk = unsafe [UInt8](unsafeUninitializedCapacity: chunkBytes) { buffer, initialized in
                count = unsafe read(descriptor, buffer.baseAddress, chunkBytes)
                // Exactly the bytes that read wrote.
                initialized = max(0, count)
            }
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR || errno == EAGAIN { continue }
                return nil
            }
            if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
            if bytes.count > limits.inputBytesMax { return nil }
        }
    }

    /// Writes everything, or stops where nobody reads any more.
    static func write(_ bytes: [UInt8], to descriptor: Int32 = STDOUT_FILENO) {
        var rest = bytes[...]
        while !rest.isEmpty {
            // The buffer outlives the call, and the length is its own.
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return
            }
        }
    }
}
