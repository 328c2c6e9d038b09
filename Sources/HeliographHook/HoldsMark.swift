internal import Glibc

/// The file that exists while sessions are held; it is all that a hook looks at.
package enum HoldsMark {
    package static func path(in stateDirectory: String) -> String { stateDirectory + "/holds.json" }

    /// True if the file exists or cannot be examined, because absence has to be certain.
    package static func isThere(in stateDirectory: String) -> Bool {
        unsafe access(path(in: stateDirectory), F_OK) == 0 || errno != ENOENT
    }
}
