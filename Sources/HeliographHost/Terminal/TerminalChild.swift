internal import CHeliographLinux
// `environ` is read before there is a second thread.
@unsafe @preconcurrency import Glibc

/// The agent as a child process in a terminal that is ours: we read its output, and it takes what we write as typed.
struct TerminalChild: Sendable {
    let process: pid_t
    let terminal: Int32

    /// `variables`: added to our environment, or replacing its values. `without`: names of variables that are removed.
    init(_ command: [String], variables: [String], without: [String], rows: Int, columns: Int) throws(HostError) {
        guard let name = command.first,
            let program = name.contains("/") ? name : InstalledProgram.path(of: name)
        else { throw HostError.notStarted(command.first ?? "", ENOENT) }
        let names = variables.map { String($0.prefix { $0 != "=" }) + "=" } + without.map { $0 + "=" }
        var environment: [String] = []
        var place = 0
        while let variable = unsafe environ[place] {
            place += 1
            // The strings of `environ` belong to the system and stay.
            let text = unsafe String(cString: variable)
            if !names.contains(where: text.hasPrefix) { environment.append(text) }
        }
        environment += variables
        // The strings live until the child runs: the call returns only then, and they are freed after it.
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe command.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var settings: [UnsafeMutablePointer<CChar>?] = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer { unsafe settings.forEach { unsafe free($0) } }
        var terminal: Int32 = -1
        let process = unsafe clinux_spawn_in_terminal(
            &terminal, UInt16(clamping: rows), UInt16(clamping: columns), program, &arguments, &settings)
        guard process > 0 else { throw HostError.notStarted(name, errno) }
        _ = fcntl(terminal, F_SETFL, O_NONBLOCK)
        self.process = process
        self.terminal = terminal
    }

    func resize(rows: Int, columns: Int) {
        var size = winsize(ws_row: UInt16(clamping: rows), ws_col: UInt16(clamping: columns), ws_xpixel: 0, ws_ypixel: 0)
        // The kernel then sends the program a signal.
        unsafe _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
    }
}
