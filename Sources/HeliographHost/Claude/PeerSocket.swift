internal import AgentClaude
internal import Glibc
internal import HeliographHook
internal import RelayProtocol

/// The socket on which Claude Code receives messages of the same user's other sessions; it does not answer.
enum PeerSocket {
    /// Time to write a message: a line of 32 KiB is read at once, or the process hangs.
    private static let within = Duration.seconds(2)

    /// Interval of looks, in microseconds.
    private static let lookEvery: UInt32 = 50_000

    /// Sends a message. Returns the reason why it was not written whole; nil if it was.
    static func send(_ message: ClaudePeerMessage) -> String? {
        let deadline = ContinuousClock.now + within
        var path: String?
        // The agent's hooks report the end of a turn some tenths of a second before its registry does.
        while path == nil {
            guard let entry = RegistryReader.read(message.registryFile)?.root else {
                return "its registry does not list it any more"
            }
            path = message.socket(in: entry)
            guard path != nil || ContinuousClock.now < deadline else {
                return "it has begun something else, so it was not given the prompt"
            }
            if path == nil { usleep(lookEvery) }
        }
        guard let path, let socket = HookSocket(connectingTo: path, until: .now + within) else {
            return "it takes no messages of other sessions"
        }
        let line = message.line
        var left = line[...]
        while !left.isEmpty {
            guard socket.wait(for: POLLOUT, until: .now + within) == .ready, let count = socket.send(left) else {
                // A line without its end is not read as one.
                return "it did not read the message"
            }
            left = left.dropFirst(count)
        }
        return nil
    }
}
