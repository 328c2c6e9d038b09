internal import Glibc
internal import RelayProtocol

/// Standard output and error: their features, and writing to them.
///
/// Confined to the thread that runs the command.
final class Terminal {
    let palette: Palette
    let errorPalette: Palette
    let isInteractive: Bool
    enum OutputEnd: Equatable {
        /// The reader of the output has gone, as `| head` does.
        case unread
        /// The system's error number.
        case failed(Int32)
    }

    /// The reason why standard output accepts no more.
    private(set) var outputEnd: OutputEnd?
    private let environment: Environment
    private let outputIsTerminal: Bool

    init(environment: Environment) {
        self.environment = environment
        outputIsTerminal = isatty(STDOUT_FILENO) != 0
        isInteractive = isatty(STDIN_FILENO) != 0 && outputIsTerminal
        palette = Palette(isTerminal: outputIsTerminal, environment: environment)
        errorPalette = Palette(isTerminal: isatty(STDERR_FILENO) != 0, environment: environment)
    }

    /// Cells of a line; nil if the output is not a terminal. Read each time, because windows change.
    var width: Int? {
        guard outputIsTerminal else { return nil }
        var size = winsize()
        if unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return max(40, Int(size.ws_col)) }
        if let columns = environment.nonEmpty("COLUMNS").flatMap({ Int($0) }), columns > 0 { return max(40, columns) }
        return 80
    }

    func print(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }
    func print(_ table: TextTable) { for line in table.lines(width: width, palette: palette) { print(line) } }

    /// Prints a question. Keys that were typed before it was shown are discarded.
    func prompt(_ text: String) {
        tcflush(STDIN_FILENO, TCIFLUSH)
        write(text, to: STDOUT_FILENO)
    }

    /// Prints a line that is not part of the command's result, to standard error.
    func remark(_ line: String, _ style: Style? = nil) {
        write(errorPalette.paint(line, style) + "\n", to: STDERR_FILENO)
    }

    func report(_ fault: ClientError) {
        remark("heliograph: " + VisibleText.line(fault.message), .red)
        if let advice = fault.advice { remark(advice) }
    }

    /// Blocks until the reader of our output is gone; for ever if the output is a file. Call it on a separate thread: otherwise
    /// only a write shows that the reader is gone, and with a quiet relay there may be nothing to write for hours.
    static func waitUntilUnread() {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        while true {
            let count = unsafe poll(&output, 1, -1)
            if count > 0 { return }
            precondition(count == 0 || errno == EINTR || errno == EAGAIN, "poll of the output fails: \(errno)")
        }
    }

    private func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 {
                if errno == EINTR || errno == EAGAIN { continue }
                if descriptor == STDOUT_FILENO { outputEnd = errno == EPIPE ? .unread : .failed(errno) }
                return
            }
            bytes = bytes.dropFirst(written)
        }
    }
}
