/// The settings to change: a person's own for all projects, or those for the project in this folder.
package enum ConnectPlace: String, CaseIterable, Sendable { case user, project }

/// Options that not every agent takes.
enum ConnectOption: CaseIterable {
    case project, rules, todoTools

    var words: String {
        switch self {
        case .project: "settings by project"
        case .rules: "rules"
        case .todoTools: "todo tools"
        }
    }
}

/// A person's arguments to `connect` or `disconnect`.
package struct ConnectRequest: Sendable {
    /// The path of this program, for hooks that agents call.
    package var executable: String
    package var place = ConnectPlace.user
    /// True to turn on the agent's todo tools too.
    package var todoTools = false
    /// Permission rules that make the agent ask.
    package var askRules: [String] = []
    /// True to change the settings without asking.
    package var assumeYes = false
    /// True to show the change line by line too.
    package var showsLines = false
    /// True to write nothing, and show every line.
    package var dryRun = false
    /// With `dryRun`: print the sentences alone.
    var isBrief = false
    /// True if the person has seen the change and agreed to it.
    var wasShown = false

    package init(executable: String) { self.executable = executable }

    var options: Set<ConnectOption> {
        var options: Set<ConnectOption> = []
        if place == .project { options.insert(.project) }
        if !askRules.isEmpty { options.insert(.rules) }
        if todoTools { options.insert(.todoTools) }
        return options
    }
}
