import Glibc

/// The person's own terminal while another program's screen is shown there: every key is passed on at once.
struct RawTerminal {
    private let before: termios

    /// Nil if standard input or output is not a terminal.
    init?() {
        var state = termios()
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, unsafe tcgetattr(STDIN_FILENO, &state) == 0 else {
            return nil
        }
        before = state
        unsafe cfmakeraw(&state)
        guard unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &state) == 0 else { return nil }
    }

    func restore() {
        var state = before
        unsafe _ = tcsetattr(STDIN_FILENO, TCSADRAIN, &state)
    }

    /// The terminal's size; nil if it does not report one.
    static var size: (rows: Int, columns: Int)? {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_row), Int(size.ws_col))
    }
}
