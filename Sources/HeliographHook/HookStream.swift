import Glibc

/// Standard input and output, unbuffered.
package enum HookStream {
    /// All of standard input, or its beginning if it is too long or does not end in time. Nil if nothing comes, or if it is a
    /// terminal.
    package static func readInput(limits: HookLimits) -> (bytes: [UInt8], isWhole: Bool)? {
        if isatty(STDIN_FILENO) == 1 { return nil }
        let deadline = ContinuousClock.now + limits.inputWait
        let chunkBytes = 64 << 10
        var bytes: [UInt8] = []
        var isWhole = true
        while true {
            guard HookSocket.wait(for: POLLIN, on: STDIN_FILENO, until: deadline) == .ready else {
                return bytes.isEmpty ? nil : (bytes, false)
            }
            var count = 0
            let chunk = unsafe [UInt8](unsafeUninitializedCapacity: chunkBytes) { buffer, initialized in
                count = unsafe read(STDIN_FILENO, buffer.baseAddress, chunkBytes)
                // Exactly the bytes that read wrote.
                initialized = max(0, count)
            }
            if count == 0 { return (bytes, isWhole) }
            if count < 0 {
                if errno == EINTR || errno == EAGAIN { continue }
                return bytes.isEmpty ? nil : (bytes, false)
            }
            // The rest is read too and discarded, because an agent whose pipe breaks could take that for a failure.
            guard bytes.count < limits.inputBytesMax else {
                isWhole = false
                continue
            }
            if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
            if bytes.count > limits.inputBytesMax {
                bytes.removeLast(bytes.count - limits.inputBytesMax)
                isWhole = false
            }
        }
    }

    /// Writes everything, or stops if there is no reader any more. Returns the error number, or 0.
    @discardableResult
    package static func write(_ bytes: [UInt8], to descriptor: Int32 = STDOUT_FILENO) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            // The buffer outlives the call, and the length is its own.
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }
}
