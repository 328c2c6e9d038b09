/// Settings of a thread that is started for a remote person.
package enum CodexStart {
    /// Approval policies, the one that asks most first, without the one that never asks.
    package static let modes = ["untrusted", "on-request"]
}
