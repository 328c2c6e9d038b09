internal import Glibc
internal import HeliographPlatform

/// The host's files on this machine: one rule for the daemon, the hooks and the command.
///
/// | path | rule |
/// |---|---|
/// | `stateDirectory` | `$XDG_STATE_HOME/heliograph`, else `~/.local/state/heliograph` |
/// | `configDirectory` | `$XDG_CONFIG_HOME/heliograph`, else `~/.config/heliograph` |
/// | `socket` | `$HELIOGRAPH_SOCKET`, else `host.sock` in the state directory |
///
/// A relative path is ignored, as the XDG specification asks: hooks run in the agent's working directory, so it would name another
/// file in each project. No directory is created here.
package struct HostPaths: Sendable, Equatable {
    package let home: String
    package let stateDirectory: String
    package let configDirectory: String
    package let socket: String

    package init(environment: (String) -> String? = HostPaths.variable) {
        func absolute(_ name: String) -> String? {
            guard let path = environment(name), path.utf8.first == UInt8(ascii: "/") else { return nil }
            return path
        }
        home = absolute("HOME") ?? UserRecord.home
        stateDirectory = (absolute("XDG_STATE_HOME") ?? home + "/.local/state") + "/heliograph"
        configDirectory = (absolute("XDG_CONFIG_HOME") ?? home + "/.config") + "/heliograph"
        socket = absolute("HELIOGRAPH_SOCKET") ?? stateDirectory + "/host.sock"
    }

    /// One environment variable; nil if it is not set.
    package static func variable(_ name: String) -> String? {
        // The pointer is read before anything could change the environment: nothing in this program calls setenv.
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    /// False only if the file is certainly absent.
    static func mayExist(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 || errno != ENOENT }
}
