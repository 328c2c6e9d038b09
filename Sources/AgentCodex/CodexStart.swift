/// How a thread can be started for somebody who is not there.
package enum CodexStart {
    /// Policies of approval, the one that asks most first: none that asks nobody.
    package static let modes = ["untrusted", "on-request"]
}
