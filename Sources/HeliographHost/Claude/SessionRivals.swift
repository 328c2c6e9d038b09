internal import Glibc
internal import HeliographPlatform

/// Other processes that open the session that our agent has. Nothing keeps `claude --resume`, typed at a terminal, from that, and two that
/// write one session lose what one of them wrote.
struct SessionRivals: Sendable {
    /// A person who has opened it needs longer to write the first words.
    private static let lookEvery = Duration.milliseconds(500)

    private let session: String
    private let agent: Int32
    private let configDirectory: String

    /// `agent` is our own child.
    init(of session: String, beside agent: Int32, in configDirectory: String = ClaudeDirectory.path()) {
        self.session = session
        self.agent = agent
        self.configDirectory = configDirectory
    }

    /// One that has it open now, by Claude Code's registry.
    var found: Int32? { LiveSessions.process(of: session, in: configDirectory, except: agent) }

    /// Tells of the first one, on a thread that then ends, or with the process.
    func watch(_ tell: @escaping @Sendable (Int32) -> Void) -> Bool {
        BackgroundThread.start {
            while true {
                if let rival = found { return tell(rival) }
                let wait = Self.lookEvery.components
                var time = timespec(tv_sec: Int(wait.seconds), tv_nsec: Int(wait.attoseconds / 1_000_000_000))
                // A signal that cuts this short costs one early look.
                unsafe nanosleep(&time, nil)
            }
        }
    }
}
