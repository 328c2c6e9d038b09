/// Settings of a thread that is started for a person who is away.
package enum CodexStart {
    /// Policies of approval, the one that asks most first: none that asks nobody.
    package static let modes = ["untrusted", "on-request"]
}
