internal import CHeliographLinux
internal import Glibc
package import HeliographHook
internal import HeliographPlatform

/// `heliograph supervise`: keeps the programs of `BackgroundRecord` running on machines without a service manager.
///
/// They end with it, so that the next supervisor finds their place free. `SIGHUP` makes it read the record again.
package struct Supervisor {
    private struct Child {
        let part: BackgroundPart
        /// The running process; nil while it waits to be started again.
        var process: pid_t?
        var startedAt = ContinuousClock.now
        var startsAt = ContinuousClock.now
        var delay: Duration
        /// Reason for which the last start failed; logged when it changes.
        var obstacle: String?
    }

    private let paths: HostPaths
    private let limits: BackgroundLimits
    private var executable = ""
    private var children: [Child] = []

    /// Returns the exit status, when it was asked to end.
    package static func run(_ paths: HostPaths = HostPaths()) throws -> Int32 {
        // Signals are blocked before the lock names the process to which they are sent.
        let awaited = blockSignals()
        guard let lock = try SupervisorLock(paths) else {
            throw HostError(.alreadyRunning, "a supervisor runs already with \(paths.stateDirectory)")
        }
        var supervisor = Supervisor(paths: paths, limits: BackgroundLimits())
        try supervisor.keepRunning(lock, awaited)
        _ = consume lock
        return 0
    }

    private init(paths: HostPaths, limits: BackgroundLimits) {
        self.paths = paths
        self.limits = limits
    }

    private static func blockSignals() -> sigset_t {
        var awaited = sigset_t()
        unsafe sigemptyset(&awaited)
        for signal in [SIGCHLD, SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&awaited, signal) }
        guard unsafe pthread_sigmask(SIG_BLOCK, &awaited, nil) == 0 else {
            preconditionFailure("a mask can be blocked, whatever is in it")
        }
        return awaited
    }

    private mutating func keepRunning(_ lock: borrowing SupervisorLock, _ awaited: sigset_t) throws {
        var awaited = awaited
        try readRecord(lock)
        var logCheckAt = ContinuousClock.now + limits.logCheck
        while true {
            startDue()
            if .now >= logCheckAt {
                for child in children { keepShort(Self.log(of: child.part.name, paths)) }
                logCheckAt = .now + limits.logCheck
            }
            let next = children.filter { $0.process == nil }.map(\.startsAt).reduce(logCheckAt, min)
            let wait = max(.zero, next - .now).components
            var time = timespec(tv_sec: Int(wait.seconds), tv_nsec: Int(wait.attoseconds / 1_000_000_000))
            switch unsafe sigtimedwait(&awaited, nil, &time) {
            case SIGTERM, SIGINT: return stopAll()
            case SIGHUP: try? readRecord(lock)
            default: break
            }
            reap()
        }
    }

    /// Reads the record again. Programs whose arguments are unchanged go on.
    private mutating func readRecord(_ lock: borrowing SupervisorLock) throws {
        // The state is taken before the record is read: a record that is written meanwhile is announced once more.
        let state = BackgroundRecord.build(of: BackgroundRecord.file(paths))
        let record = try BackgroundRecord.load(paths)
        executable = record?.executable ?? executable
        let wanted = record?.parts ?? []
        for child in children where !wanted.contains(child.part) { stop([child]) }
        children.removeAll { !wanted.contains($0.part) }
        for part in wanted where !children.contains(where: { $0.part == part }) {
            children.append(Child(part: part, process: nil, delay: limits.restartFirst))
        }
        try lock.tell(state)
    }

    private mutating func startDue() {
        for place in children.indices where children[place].process == nil && children[place].startsAt <= .now {
            let name = children[place].part.name
            let command = [executable, "supervise", "--part", name.rawValue, "--parent", "\(getpid())"]
            children[place].startedAt = .now
            do throws(HostError) {
                children[place].process = try DetachedProcess.start(
                    command, log: Self.log(of: name, paths), inNewSession: false)
                children[place].obstacle = nil
            } catch {
                if children[place].obstacle != error.message {
                    children[place].obstacle = error.message
                    let words = "heliograph: the \(name.rawValue) does not run: \(error.message)\n"
                    _ = HookStream.write(Array(words.utf8), to: STDERR_FILENO)
                }
                ended(place)
            }
        }
    }

    private mutating func reap() {
        while true {
            let process = waitpid(-1, nil, WNOHANG)
            guard process > 0 else { return }
            if let place = children.firstIndex(where: { $0.process == process }) { ended(place) }
        }
    }

    private mutating func ended(_ place: Int) {
        children[place].process = nil
        if .now - children[place].startedAt >= limits.livedAfter { children[place].delay = limits.restartFirst }
        children[place].startsAt = .now + children[place].delay
        children[place].delay = min(children[place].delay * 2, limits.restartMax)
    }

    private mutating func stopAll() {
        stop(children)
        children = []
    }

    /// Ends these programs, and returns when they have ended.
    private func stop(_ children: [Child]) {
        var processes = Set(children.compactMap(\.process))
        for process in processes { kill(process, SIGTERM) }
        let end = ContinuousClock.now + limits.stopWithin
        while !processes.isEmpty {
            processes = processes.filter { waitpid($0, nil, WNOHANG) == 0 }
            if .now >= end { for process in processes { kill(process, SIGKILL) } }
            if !processes.isEmpty { BackgroundServices.pause(BackgroundLimits.lookEvery) }
        }
    }

    // MARK: - Logs

    static func log(of part: BackgroundPart.Name, _ paths: HostPaths) -> String {
        "\(paths.stateDirectory)/\(part.rawValue).log"
    }

    /// Empties a log that is too long. Programs append to it, so they continue at its new beginning; what they write in between is
    /// lost.
    private func keepShort(_ path: String) {
        guard let file = try? File(path, O_RDWR), let size = try? file.size(), size > limits.logBytesMax,
            let bytes = try? file.read(at: 0, count: size)
        else { return }
        try? Files.replace(path + ".1", with: bytes)
        ftruncate(file.descriptor, 0)
    }

    // MARK: - In the child

    /// Replaces this process by the program of a part, which ends when its supervisor does. Returns only if that is not possible.
    package static func become(_ name: BackgroundPart.Name, parent: Int32, _ paths: HostPaths = HostPaths()) throws {
        guard let record = try BackgroundRecord.load(paths), let part = record.parts.first(where: { $0.name == name }) else {
            throw HostError(.badConfiguration, "there is no \(name.rawValue) to run in the background: heliograph up")
        }
        guard clinux_end_with_parent(SIGTERM) == 0, getppid() == parent else {
            throw HostError(.system, "the supervisor is gone")
        }
        let program = record.executable
        throw HostError.notStarted(program, ProgramExchange.become(program, [program] + part.arguments))
    }
}
