internal import Glibc

/// Text from standard input or a file.
enum TextInput {
    /// The whole text without the line ends at its end; `file` is a path, or `-` for standard input.
    ///
    /// - Throws: `tooLong` if there are more than twice `bytesMax` bytes, so that a text that is far too long is not read to its end.
    static func read(_ file: String, bytesMax: Int, tooLong: ClientError) throws(ClientError) -> String {
        let name = file == "-" ? "standard input" : file
        func unreadable() -> ClientError {
            ClientError(.failed, "\(name) cannot be read: \(unsafe String(cString: strerror(errno)))")
        }
        let descriptor = unsafe file == "-" ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable() }
        defer { if file != "-" { close(descriptor) } }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 8 << 10)
        while true {
            let count = unsafe piece.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw unreadable()
            }
            if count == 0 { break }
            bytes += piece.prefix(count)
            // Line ends at the end do not count, and there may be many.
            if bytes.count > 2 * bytesMax { throw tooLong }
        }
        while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ClientError(.usage, "\(name) is not text in UTF-8")
        }
        return text
    }
}
