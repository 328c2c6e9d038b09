internal import Glibc
internal import HeliographCrypto
internal import HeliographHook

/// A lock held by the one program of ours that runs a session of Claude Code; the kernel releases it when the process ends in any
/// way.
///
/// Claude Code's registry lists a session only some time after its program was started, so two that are started together do not see
/// each other there. One file has the locks of all sessions, one byte each at a place derived from the session's name, so no files
/// are left behind.
struct SessionLock: ~Copyable {
    private static let name = "runs.lock"
    /// Linux's `F_OFD_SETLK`: a lock of the open file, not of the process. The C library hides it behind a feature macro.
    private static let setLock: Int32 = 37

    /// Time in which an ending session's program leaves: after the hook that reports the end, other hooks may take 5 s more.
    static let leavesWithin = Duration.seconds(6)
    private static let lookEvery = Duration.milliseconds(50)

    private let file: File

    /// Waits until no other program has that session open, as far as can be known. Throws `sessionOpen` if one still has it after
    /// `wait`.
    static func take(
        _ session: String, within wait: Duration, state: String = HostPaths().stateDirectory,
        claude: String = ClaudeDirectory.path()
    ) throws(HostError) -> SessionLock {
        let end = ContinuousClock.now + wait
        while true {
            // Our lock is taken first: its holder may have started without being in the registry yet.
            let lock = try SessionLock(session, in: state)
            let process = LiveSessions.process(of: session, in: claude)
            if process == nil, let lock { return lock }
            guard ContinuousClock.now < end else { throw HostError(.sessionOpen, LiveSessions.refusal(process: process)) }
            Self.pause()
        }
    }

    private static func pause() {
        var time = timespec(tv_sec: 0, tv_nsec: Int(lookEvery.components.attoseconds / 1_000_000_000))
        // A signal that ends the sleep only makes one check early.
        unsafe nanosleep(&time, nil)
    }

    /// Nil if another process holds the lock.
    init?(_ session: String, in directory: String) throws(HostError) {
        try Files.makePrivateDirectory(directory)
        // The file is closed on exec: an agent that outlives us for a moment is found in the registry.
        let file = try File(directory + "/" + Self.name, O_RDWR | O_CREAT)
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = Self.place(of: session)
        lock.l_len = 1
        // The structure lives through the call, which only reads it.
        guard unsafe fcntl(file.descriptor, Self.setLock, &lock) == 0 else {
            guard errno == EAGAIN || errno == EACCES else { throw .file("lock", file.path) }
            return nil
        }
        self.file = file
    }

    /// The session's place in the lock file: a hash over half of the possible length, so that no two sessions of one machine share
    /// it.
    private static func place(of session: String) -> off_t {
        off_t(Crypto.sha256(session).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 2)
    }
}
