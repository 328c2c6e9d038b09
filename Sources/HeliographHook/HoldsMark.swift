internal import Glibc

/// The file whose being there says that sessions are held: all that a hook looks at.
package enum HoldsMark {
    package static func path(in stateDirectory: String) -> String { stateDirectory + "/holds.json" }

    /// True also if the file cannot be examined: absence has to be certain.
    package static func isThere(in stateDirectory: String) -> Bool {
        unsafe access(path(in: stateDirectory), F_OK) == 0 || errno != ENOENT
    }
}
