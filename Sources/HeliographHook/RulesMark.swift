/// The files of which at least one exists if a host has rules; a hook looks at nothing else of them.
package enum RulesMark {
    package static func path(in configDirectory: String) -> String { configDirectory + "/rules.toml" }

    /// The rules that the owner accepted last, which hold even if `path` is gone.
    package static func acceptedPath(in configDirectory: String) -> String { configDirectory + "/rules.accepted" }

    package static func isThere(in configDirectory: String) -> Bool {
        HostPaths.mayExist(path(in: configDirectory)) || HostPaths.mayExist(acceptedPath(in: configDirectory))
    }
}
