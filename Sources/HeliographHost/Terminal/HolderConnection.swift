import Glibc
internal import HeliographHook
internal import HostCore

/// A connection to the holder of a terminal: a window that shows it, a hook, or a list.
struct HolderConnection {
    let descriptor: Int32
    var reader = TerminalFrameReader()
    var output: OutputBuffer
    var keys = LocalKeys()
    /// The size of a window that shows the terminal.
    var size: (rows: Int, columns: Int)?
    /// Closed when all of it is written.
    var isLeaving = false

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        output = OutputBuffer(descriptor: descriptor)
    }

    var isAttached: Bool { size != nil }

    mutating func send(_ frame: TerminalFrame) { output.append(frame.bytes) }
}
