/// Evidence that the agent asks before it changes files, in the mode that it is in.
///
/// Of an agent's modes only the names are known here, and nothing of its settings. So its last act counts: it asked for a permission, or
/// it changed a file without one. Commands prove nothing: agents run those that only read without asking, in most modes.
struct AskingEvidence {
    private var hasAsked = false
    /// Mode in which it asked; nil if the agent lists none.
    private var mode: String?
    /// Calls that the permissions of this turn were for.
    private var calls: Set<String> = []
    /// A permission of this turn was for no call that we know.
    private var isForUnknownCall = false

    func asks(in mode: String?) -> Bool { hasAsked && self.mode == mode }

    /// `calls` is empty if the permission names none that we know.
    mutating func asked(for calls: Set<String>, in mode: String?, countMax: Int) {
        hasAsked = true
        self.mode = mode
        self.calls.formUnion(calls)
        if calls.isEmpty || self.calls.count > countMax { isForUnknownCall = true }
    }

    mutating func changedFiles(by call: String) {
        if !isForUnknownCall, !calls.contains(call) { hasAsked = false }
    }

    mutating func turnEnded() {
        calls = []
        isForUnknownCall = false
    }
}
