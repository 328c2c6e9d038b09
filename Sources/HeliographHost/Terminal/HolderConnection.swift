import Glibc
internal import HeliographHook
internal import HostCore

/// A connection to a terminal's holder: from a window that shows it, a hook, or a list.
struct HolderConnection {
    let descriptor: Int32
    var reader = TerminalFrameReader()
    var output: OutputBuffer
    var keys = LocalKeys()
    /// The size of a window that shows the terminal.
    var size: (rows: Int, columns: Int)?
    /// True if the connection is closed once all output is written.
    var isLeaving = false

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        output = OutputBuffer(descriptor: descriptor)
    }

    var isAttached: Bool { size != nil }

    mutating func send(_ frame: TerminalFrame) { output.append(frame.bytes) }
}
