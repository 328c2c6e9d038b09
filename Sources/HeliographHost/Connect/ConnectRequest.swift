/// The settings to change: those of this person for all projects, or for the one in this folder.
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
    /// Also turn on the agent's todo tools.
    package var todoTools = false
    /// Permission rules that make the agent ask.
    package var askRules: [String] = []
    /// No confirmation is asked for.
    package var assumeYes = false
    /// Shows the change line by line, too.
    package var showsLines = false
    /// Nothing is written, and every line is shown.
    package var dryRun = false
    /// With `dryRun`: the sentences alone.
    var isBrief = false
    /// The person has seen the change and agreed to it.
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
