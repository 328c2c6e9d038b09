internal import Glibc
internal import HeliographCrypto
internal import HeliographHook

/// Held by the one program of ours that has a session of Claude Code's running; the kernel lets go of it when the process ends, however it
/// ends.
///
/// Claude Code's registry knows a session only some time after its program was started: two that are started together do not see each
/// other there. One file has the locks of all sessions, a byte each at a place that is made of the session's name: none is left behind.
struct SessionLock: ~Copyable {
    private static let name = "runs.lock"
    /// Linux's `F_OFD_SETLK`: a lock of the open file, not of the process. The C library keeps it behind a feature macro.
    private static let setLock: Int32 = 37

    /// A hook reports that a session has ended, and others at its end may take 5 s more before the program has gone.
    static let leavesWithin = Duration.seconds(6)
    private static let lookEvery = Duration.milliseconds(50)

    private let file: File

    /// Returns once no other program has that session open, as far as can be known; `sessionOpen` if one still has it after `wait`.
    static func take(
        _ session: String, within wait: Duration, state: String = HostPaths().stateDirectory,
        claude: String = ClaudeDirectory.path()
    ) throws(HostError) -> SessionLock {
        let end = ContinuousClock.now + wait
        while true {
            // Ours first: who has it may have started, and not be in the registry yet.
            let lock = try SessionLock(session, in: state)
            let process = LiveSessions.process(of: session, in: claude)
            if process == nil, let lock { return lock }
            guard ContinuousClock.now < end else { throw HostError(.sessionOpen, LiveSessions.refusal(process: process)) }
            Self.pause()
        }
    }

    private static func pause() {
        var time = timespec(tv_sec: 0, tv_nsec: Int(lookEvery.components.attoseconds / 1_000_000_000))
        // A signal that cuts this short costs one early look.
        unsafe nanosleep(&time, nil)
    }

    /// Nil if another process has it.
    init?(_ session: String, in directory: String) throws(HostError) {
        try Files.makePrivateDirectory(directory)
        // Closed on exec: an agent that outlives us for a moment is known by the registry.
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

    /// Half of what a file may be long: no two sessions of one machine meet there.
    private static func place(of session: String) -> off_t {
        off_t(Crypto.sha256(session).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 2)
    }
}
