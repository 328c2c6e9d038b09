internal import HostCore

/// The outcome of an edit. `bytes` is nil if nothing is left and the file can be removed.
package struct SettingsEdit: Equatable, Sendable {
    package var bytes: [UInt8]?
    /// Sentences that describe the change; empty if only the lines themselves show it.
    package var summary: [String] = []
    /// Sentences for the person about what was left alone, and why.
    package var notes: [String] = []
}

extension SettingsEdit {
    /// Describes the change, asks, and writes. `unchanged`: the sentence for no change. `holds`: when the change takes effect.
    func apply(
        to file: SettingsFile, _ current: [UInt8]?, unchanged: String, _ request: ConnectRequest,
        holds: String = "It holds for sessions that start from now on."
    ) throws(ConnectError) -> Int32 {
        let lines = UnifiedDiff.text(from: current, to: bytes, path: file.path)
        if bytes != current, !request.wasShown {
            if !summary.isEmpty { Dialog.say("\(file.path):\n" + summary.map { "  \($0)\n" }.joined()) }
            if request.showsLines || (request.dryRun && !request.isBrief) || summary.isEmpty { Dialog.say(lines) }
        }
        // Printed after the lines, which fill a screen or two.
        for note in notes where !request.wasShown { Dialog.say("Note: \(note)\n") }
        if bytes == current {
            Dialog.say("\(file.path): \(unchanged); nothing to change.\n")
            return 0
        }
        if request.dryRun { return 0 }
        guard request.assumeYes || Self.isConfirmed(lines) else { return 1 }
        try file.write(bytes, replacing: current)
        Dialog.say(bytes == nil ? "Removed \(file.path).\n" : "Wrote \(file.path). \(holds)\n")
        return 0
    }

    private static func isConfirmed(_ lines: String) -> Bool {
        guard Dialog.hasTerminal else {
            Dialog.say(
                "Nothing written: there is no terminal to ask on. Say --yes to apply this, --diff to see it line by line.\n")
            return false
        }
        while true {
            Dialog.say("Apply this change? [y/N, d: show it line by line] ")
            switch Dialog.answer() {
            case .yes: return true
            case .details: Dialog.say(lines)
            case .no:
                Dialog.say("Nothing written.\n")
                return false
            }
        }
    }
}
