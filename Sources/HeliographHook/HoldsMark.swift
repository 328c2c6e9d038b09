/// The file that exists while sessions are held; it is all that a hook looks at.
package enum HoldsMark {
    package static func path(in stateDirectory: String) -> String { stateDirectory + "/holds.json" }

    package static func isThere(in stateDirectory: String) -> Bool { HostPaths.mayExist(path(in: stateDirectory)) }
}
