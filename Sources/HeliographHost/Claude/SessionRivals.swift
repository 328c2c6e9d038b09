internal import Glibc
internal import HeliographPlatform

/// Other processes that open our agent's session. Nothing prevents `claude --resume`, typed at a terminal, and if two write one
/// session, one loses what it wrote.
struct SessionRivals: Sendable {
    /// Interval of the check: a person who opened the session needs longer to write the first words.
    private static let lookEvery = Duration.milliseconds(500)

    private let session: String
    private let agent: Int32
    private let configDirectory = ClaudeDirectory.path()

    /// `agent`: our own child.
    init(of session: String, beside agent: Int32) {
        self.session = session
        self.agent = agent
    }

    /// Another process that has the session open now, by Claude Code's registry.
    var found: Int32? { LiveSessions.process(of: session, in: configDirectory, except: agent) }

    /// Reports the first such process, on a thread that then ends, or ends with this process.
    func watch(_ tell: @escaping @Sendable (Int32) -> Void) -> Bool {
        BackgroundThread.start {
            while true {
                if let rival = found { return tell(rival) }
                let wait = Self.lookEvery.components
                var time = timespec(tv_sec: Int(wait.seconds), tv_nsec: Int(wait.attoseconds / 1_000_000_000))
                // A signal that ends the sleep only makes one check early.
                unsafe nanosleep(&time, nil)
            }
        }
    }
}
