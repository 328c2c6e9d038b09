internal import Glibc

/// `heliograph-hook`: the calls of agents as a separate program. If it is not next to `heliograph`, that program handles them too.
package enum HookProgram {
    package static let name = "heliograph-hook"
    static let command = "heliograph"

    /// Path for agents to call: the small program if it is next to the command and executable, else the command.
    package static func path(beside command: String) -> String {
        guard let folder = folder(of: command, named: Self.command) else { return command }
        let path = folder + name
        return unsafe access(path, X_OK) == 0 ? path : command
    }

    /// The command next to this program.
    package static var commandPath: String? {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            // readlink writes no byte that ends the string.
            count = unsafe buffer.withMemoryRebound(to: CChar.self) {
                unsafe max(0, readlink("/proc/self/exe", $0.baseAddress!, $0.count))
            }
        }
        return folder(of: String(decoding: bytes, as: UTF8.self), named: name).map { $0 + command }
    }

    /// The folder of the path, with the slash at its end.
    private static func folder(of path: String, named name: String) -> String? {
        guard path.utf8.first == UInt8(ascii: "/"), path.hasSuffix("/" + name) else { return nil }
        return String(path.dropLast(name.count))
    }
}
