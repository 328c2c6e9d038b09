import Glibc

/// A notice that the agent takes a prompt, from a hook of a Claude Code in a terminal of ours to `heliograph claude`, which holds
/// the terminal. On this evidence a client's prompt counts as taken.
package enum TerminalNotice {
    /// Variable that names the holder's socket to the hooks of the agent that it started.
    package static let variable = "HELIOGRAPH_TERMINAL"
    package static let event = "UserPromptSubmit"
    /// Time for the holder's answer, which takes a millisecond. One that is stuck must not keep a prompt from its agent.
    private static let budget = Duration.milliseconds(500)
    private static let verdictBytesMax = 4 << 10

    /// The hook's output that refuses a prompt and is written instead of a report to the daemon: the agent returns the prompt. Nil
    /// if it may go on.
    package static func refusal(
        event: String, process: String?, payload: [UInt8], environment: (String) -> String? = HostPaths.variable
    ) -> [UInt8]? {
        guard event == Self.event, let path = environment(variable), let process else { return nil }
        let deadline = ContinuousClock.now + budget
        guard let socket = HookSocket(connectingTo: path, until: deadline) else { return nil }
        let bytes = TerminalFrame(.prompt, Array("\(process)\n".utf8) + payload).bytes
        var sent = 0
        while sent < bytes.count {
            guard let count = socket.send(bytes[sent...]) else { return nil }
            sent += count
            if count == 0, socket.wait(for: POLLOUT, until: deadline) != .ready { return nil }
        }
        var reader = TerminalFrameReader()
        var received = 0
        while socket.wait(for: POLLIN, until: deadline) == .ready {
            switch socket.receive(bytesMax: verdictBytesMax) {
            case .wait: continue
            case .end, .failed: return nil
            case .bytes(let more):
                received += more.count
                if let frame = reader.take(more).first {
                    return frame.kind == .verdict && !frame.content.isEmpty ? frame.content : nil
                }
                if reader.isBroken || received > verdictBytesMax { return nil }
            }
        }
        return nil
    }
}
