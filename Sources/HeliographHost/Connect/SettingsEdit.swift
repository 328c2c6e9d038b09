internal import HostCore

/// The outcome of an edit; `bytes` nil means that nothing is left and the file can go.
package struct SettingsEdit: Equatable, Sendable {
    package var bytes: [UInt8]?
    /// Sentences for the person: what was left alone, and why.
    package var notes: [String] = []
}

extension SettingsEdit {
    /// Shows the change, asks, writes. `unchanged` says what nothing to change means, `holds` from when a change does.
    func apply(
        to file: SettingsFile, _ current: [UInt8]?, unchanged: String, _ request: ConnectRequest,
        holds: String = "It holds for sessions that start from now on."
    ) throws(ConnectError) -> Int32 {
        Dialog.say(UnifiedDiff.text(from: current, to: bytes, path: file.path))
        // After the change, which fills a screen or two.
        for note in notes { Dialog.say("Note: \(note)\n") }
        if bytes == current {
            Dialog.say("\(file.path): \(unchanged); nothing to change.\n")
            return 0
        }
        if request.dryRun { return 0 }
        guard request.assumeYes || Self.isConfirmed() else { return 1 }
        try file.write(bytes, replacing: current)
        Dialog.say(bytes == nil ? "Removed \(file.path).\n" : "Wrote \(file.path). \(holds)\n")
        return 0
    }

    private static func isConfirmed() -> Bool {
        guard Dialog.hasTerminal else {
            Dialog.say("Nothing written: there is no terminal to ask on. Say --yes to apply this.\n")
            return false
        }
        Dialog.say("Apply this change? [y/N] ")
        if Dialog.answeredYes() { return true }
        Dialog.say("Nothing written.\n")
        return false
    }
}
