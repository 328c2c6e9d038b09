internal import Glibc

/// The file whose being there says that sessions are held: all that a hook looks at.
package enum HoldsMark {
    package static func path(in stateDirectory: String) -> String { stateDirectory + "/holds.json" }

    /// Also where it cannot be looked at: what is asked is whether it is safe to take it for absent.
    package static func isThere(in stateDirectory: String) -> Bool {
        unsafe access(path(in: stateDirectory), F_OK) == 0 || errno != ENOENT
    }
}
