/// Evidence that the agent asks before it changes files, in its current mode.
///
/// Only the names of an agent's modes are known here, and none of its settings. So its last act counts: it asked for a permission,
/// or it changed a file without one. Commands prove nothing: in most modes agents run those that only read without asking.
struct AskingEvidence {
    private var hasAsked = false
    /// The mode in which it asked; nil if the agent lists none.
    private var mode: String?
    /// Calls to which the permissions of this turn applied.
    private var calls: Set<String> = []
    /// True if a permission of this turn applied to no known call.
    private var isForUnknownCall = false

    func asks(in mode: String?) -> Bool { hasAsked && self.mode == mode }

    /// Records a permission. `calls` is empty if it names none that we know.
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
