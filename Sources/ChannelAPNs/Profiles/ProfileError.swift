/// Why a profile is refused: when it is read, never when it is needed.
package struct ProfileError: Error, Equatable, Sendable, CustomStringConvertible {
    package let profile: String
    /// The field, such as `contentState.status.byStatus`, or `byte 17` if the JSON itself is broken.
    package let path: String
    /// The fault, and how to correct it.
    package let message: String

    package init(profile: String, path: String, _ message: String) {
        self.profile = profile
        self.path = path
        self.message = message
    }

    package var description: String { "profile \(profile): \(path): \(message)" }
}
