internal import Glibc
package import HeliographHook
internal import HeliographPlatform
internal import RelayAccess
internal import RelayProtocol

/// Starts and stops this machine's programs in the background, with the manager that is used here.
package struct BackgroundServices {
    private let paths: HostPaths
    private let limits = BackgroundLimits()

    package init(_ paths: HostPaths = HostPaths()) { self.paths = paths }

    /// The manager for a machine without a set-up.
    package static var manager: BackgroundRecord.Manager { UserUnits.areAvailable ? .systemd : .supervised }

    /// Saves the record and runs its parts. Parts that run already, of the same build and with the same arguments, go on.
    package func start(_ record: BackgroundRecord) throws(HostError) {
        let known = try BackgroundRecord.load(paths)
        if let known, known.manager != record.manager { try stop(known, keeping: nil) }
        try record.save(paths)
        switch record.manager {
        case .systemd:
            let units = UserUnits(paths)
            for name in BackgroundPart.Name.allCases where !record.parts.contains(where: { $0.name == name }) {
                try units.remove(name)
            }
            for part in record.parts {
                try units.start(part, executable: record.executable, build: record.build)
            }
        case .supervised:
            let isSame = known?.build == record.build && known?.executable == record.executable
            if !isSame { try stopSupervisor() }
            if let holder = SupervisorLock.holder(paths) {
                kill(holder, SIGHUP)
            } else {
                _ = try DetachedProcess.start(
                    [record.executable, "supervise"], log: paths.stateDirectory + "/supervisor.log", inNewSession: true)
            }
            // A program that the change ends may use all of its time to stop.
            let state = BackgroundRecord.build(of: BackgroundRecord.file(paths))
            try wait(
                limits.startWithin + limits.stopWithin,
                "the supervisor does not do it: \(paths.stateDirectory)/supervisor.log says why"
            ) { SupervisorLock.record(paths) == state }
        }
    }

    /// Lets the services run without a login. Returns true if they do now; `record` notes whether that is our doing.
    package func letLinger(_ record: inout BackgroundRecord) throws(HostError) -> Bool {
        if UserUnits.lingers == true { return true }
        // Recorded first, so that `down` ends it whenever this process ends.
        record.lingers = true
        try record.save(paths)
        guard !UserUnits.setLinger(true) else { return true }
        record.lingers = false
        try record.save(paths)
        return false
    }

    /// Ends everything and removes what `start` created. The next `up` continues with the arguments of `last`.
    package func stop(_ record: BackgroundRecord, keeping last: BackgroundRecord?) throws(HostError) {
        switch record.manager {
        case .systemd:
            for name in BackgroundPart.Name.allCases.reversed() { try UserUnits(paths).remove(name) }
            if record.lingers { _ = UserUnits.setLinger(false) }
        case .supervised:
            try stopSupervisor()
            let names = BackgroundPart.Name.allCases.map { Supervisor.log(of: $0, paths) }
            for path in names + names.map({ $0 + ".1" }) + [
                SupervisorLock.path(paths), paths.stateDirectory + "/supervisor.log",
            ] {
                try Files.remove(path)
            }
        }
        guard var last else { return try Files.remove(BackgroundRecord.file(paths)) }
        (last.isDown, last.agents, last.lingers) = (true, [], false)
        try last.save(paths)
    }

    /// Runs one command at a time: two that start and stop the same programs would undo each other's work.
    package func alone<Result>(_ body: () throws -> Result) throws -> Result {
        try Files.makePrivateDirectory(paths.stateDirectory)
        let file = try File(paths.stateDirectory + "/up.lock", O_RDWR | O_CREAT)
        let descriptor = file.descriptor
        // Closing the file ends the lock.
        defer { _ = file.descriptor }
        try wait(limits.commandWithin, "another heliograph up or down has not ended") {
            flock(descriptor, LOCK_EX | LOCK_NB) == 0
        }
        return try body()
    }

    /// The last line that a part has written to its log after `mark`; nil if there is none, or systemd keeps the log.
    package func lastWords(of part: BackgroundPart.Name, since mark: Int) -> String? {
        guard let file = try? File(Supervisor.log(of: part, paths), O_RDONLY), let size = try? file.size(), size > mark else {
            return nil
        }
        let start = max(mark, size - limits.lastWordsMax)
        let text = (try? file.read(at: start, count: size - start)).map { String(decoding: $0, as: UTF8.self) }
        return text?.split(separator: "\n").last.map(String.init)
    }

    /// The current length of the log in bytes, for `lastWords`.
    package func logMark(of part: BackgroundPart.Name) -> Int {
        (try? File(Supervisor.log(of: part, paths), O_RDONLY).size()) ?? 0
    }

    private func stopSupervisor() throws(HostError) {
        guard let holder = SupervisorLock.holder(paths) else { return }
        kill(holder, SIGTERM)
        try wait(limits.stopWithin + limits.startWithin, "the supervisor, process \(holder), has not ended") {
            SupervisorLock.holder(paths) == nil
        }
    }

    /// The supervisor's process; nil if there is none.
    package var supervisor: Int32? { SupervisorLock.holder(paths) }

    /// The daemon's status, the body of `GET /v1/status`; nil if no daemon answers.
    package var hostStatus: [UInt8]? {
        guard let address = RelayAddress("unix:" + paths.socket) else { return nil }
        return (try? HTTPExchange(relay: address, method: .get, path: "/v1/status").perform())?.body
    }

    /// The state of the host's link: `live` once it is connected. Nil if no daemon answers.
    package var hostLink: String? { hostStatus.flatMap(Self.link) }

    /// The state of the link in a daemon's status; nil if it has none.
    package static func link(in status: [UInt8]) -> String? {
        try? JSONDocument(parsing: status).root.object().object("link").string("state")
    }

    /// Replaces this process by the program that shows the logs.
    package func showLogs(_ record: BackgroundRecord, lines: Int, follows: Bool) throws(HostError) {
        let command: [String] =
            switch record.manager {
            case .systemd:
                ["journalctl", "--user", "-n", "\(lines)"] + record.parts.flatMap { ["-u", UserUnits.unit($0.name)] }
                    + (follows ? ["-f"] : ["--no-pager"])
            case .supervised:
                ["tail", "-n", "\(lines)"] + (follows ? ["-F"] : []) + record.parts.map { Supervisor.log(of: $0.name, paths) }
            }
        throw .notStarted(command[0], ProgramExchange.become(command[0], command))
    }

    private func wait(_ duration: Duration, _ complaint: String, until isDone: () -> Bool) throws(HostError) {
        guard Self.wait(duration, until: isDone) else { throw HostError(.system, complaint) }
    }

    /// Waits until `isDone`. Returns false if that did not happen in time.
    package static func wait(_ duration: Duration, until isDone: () -> Bool) -> Bool {
        let end = ContinuousClock.now + duration
        while !isDone() {
            guard ContinuousClock.now < end else { return false }
            pause(BackgroundLimits.lookEvery)
        }
        return true
    }

    static func pause(_ duration: Duration) {
        var time = timespec(tv_sec: 0, tv_nsec: Int(duration.components.attoseconds / 1_000_000_000))
        // A signal that ends the sleep only makes one check early.
        unsafe nanosleep(&time, nil)
    }
}
