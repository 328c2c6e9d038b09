package import RelayProtocol

/// A tool call to be judged.
package struct RuleCall {
    package var agent: String
    package var tool: String
    /// The whole input, with nothing left out or hidden; nil if it was not shown whole, and then no rule allows it.
    package var input: JSONValue?
    /// The folder in which the session works, absolute.
    package var folder: String?
    /// The folder in which the agent is now, absolute, where its adapter says so. Rules that deny or ask look at it, too.
    package var present: String?
    /// The owner's home folder, absolute.
    package var home: String

    package init(agent: String, tool: String, input: JSONValue?, folder: String?, present: String? = nil, home: String) {
        self.agent = agent
        self.tool = tool
        self.input = input
        self.folder = folder
        self.present = present
        self.home = home
    }

    /// True if rules that allow may apply: the call was shown whole, and its folder is known, so that patterns can be compared with
    /// it.
    package var mayBeAllowed: Bool { input != nil && folder != nil }

    /// True if the member names the session's own folder, which Codex sends with each command.
    func isFolder(_ member: (key: String, value: JSONValue)) -> Bool {
        guard member.key == "cwd", let folder, let place = try? member.value.string() else { return false }
        return place == folder
    }

    /// A session's folder: the full path, or the shown one if that is full. Nil if it is shortened.
    package static func folder(_ full: String?, shown: String?) -> String? {
        (full ?? shown).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
