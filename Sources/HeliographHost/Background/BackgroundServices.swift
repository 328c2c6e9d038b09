internal import Glibc
package import HeliographHook
internal import HeliographPlatform
internal import RelayAccess

/// Starts and stops this machine's programs in the background, with whatever manages them here.
package struct BackgroundServices {
    private let paths: HostPaths
    private let limits = BackgroundLimits()

    package init(_ paths: HostPaths = HostPaths()) { self.paths = paths }

    /// The manager of a machine that is new to this.
    package static var manager: BackgroundRecord.Manager { UserUnits.areAvailable ? .systemd : .supervised }

    /// Keeps the record, and has its parts run. Those that run already, of the same build and with the same arguments, go on.
    package func start(_ record: BackgroundRecord) throws(HostError) {
        let known = try BackgroundRecord.load(paths)
        if let known, known.manager != record.manager { try stop(known) }
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
            // A program that ends for the change may take as long as it may.
            let state = BackgroundRecord.build(of: BackgroundRecord.file(paths))
            try wait(
                limits.startWithin + limits.stopWithin,
                "the supervisor does not do it: \(paths.stateDirectory)/supervisor.log says why"
            ) { SupervisorLock.record(paths) == state }
        }
    }

    /// Lets the services run without a login; true if they do now, and `record` knows whether that is our doing.
    package func letLinger(_ record: inout BackgroundRecord) throws(HostError) -> Bool {
        if UserUnits.lingers == true { return true }
        guard UserUnits.setLinger(true) else { return false }
        record.lingers = true
        try record.save(paths)
        return true
    }

    /// Ends all of it and removes what `start` made.
    package func stop(_ record: BackgroundRecord) throws(HostError) {
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
        try Files.remove(BackgroundRecord.file(paths))
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

    /// The daemon's own account of itself, as `GET /v1/status` has it; nil if none answers.
    package var hostStatus: [UInt8]? {
        guard let address = RelayAddress("unix:" + paths.socket) else { return nil }
        return (try? HTTPExchange(relay: address, method: .get, path: "/v1/status").perform())?.body
    }

    /// Becomes the program that shows the logs.
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

    /// False if it did not happen in time.
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
        // A signal that cuts this short costs one early look.
        unsafe nanosleep(&time, nil)
    }
}
