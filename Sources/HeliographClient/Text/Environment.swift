internal import Glibc

/// The environment variables that the client reads.
package struct Environment: Sendable {
    private let values: [String: String]

    package init(_ values: [String: String]) { self.values = values }

    package static var process: Environment {
        var values: [String: String] = [:]
        for name in names {
            if let value = unsafe getenv(name) { values[name] = unsafe String(cString: value) }
        }
        return Environment(values)
    }

    private static let names = [
        "HELIOGRAPH_RELAY", "HELIOGRAPH_TOKEN", "HELIOGRAPH_CA_FILE", "XDG_CONFIG_HOME", "HOME", "NO_COLOR", "CLICOLOR",
        "CLICOLOR_FORCE", "TERM", "COLUMNS", "USER",
    ]

    /// The variable's value. Most callers treat unset and empty alike; the others check.
    package subscript(name: String) -> String? { values[name] }

    package func nonEmpty(_ name: String) -> String? {
        guard let value = values[name], !value.isEmpty else { return nil }
        return value
    }
}
