internal import Glibc
internal import RelayProtocol

/// The text of a prompt, from the command line.
enum PromptText {
    /// The text; for `-`, all of standard input without the line ends at its end.
    static func read(_ argument: String) throws(ClientError) -> String {
        let text = argument == "-" ? try standardInput() : argument
        guard text.contains(where: { !$0.isWhitespace }) else { throw ClientError(.usage, "the prompt is empty") }
        guard text.utf8.count <= WireLimits.textBytesMax else { throw tooLong }
        return text
    }

    private static var tooLong: ClientError {
        ClientError(
            .usage, "the prompt is longer than \(WireLimits.textBytesMax) bytes", advice: "Put it into a file, and name that.")
    }

    private static func standardInput() throws(ClientError) -> String {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 8 << 10)
        while true {
            let count = unsafe piece.withUnsafeMutableBytes { unsafe Glibc.read(STDIN_FILENO, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw ClientError(.failed, "standard input cannot be read: \(unsafe String(cString: strerror(errno)))")
            }
            if count == 0 { break }
            bytes += piece.prefix(count)
            // Line ends at the end do not count, and there may be many. A text that is far too long is not read to its end.
            if bytes.count > 2 * WireLimits.textBytesMax { throw tooLong }
        }
        while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ClientError(.usage, "standard input is not text in UTF-8")
        }
        return text
    }
}
