package import Consent

/// A request of a person at this machine's terminal.
package enum ConsentRequest: Sendable {
    /// Lets one device join with this secret, for ten minutes; replaces an earlier one.
    case invite(ConsentHash, SharedHistory)
    /// Waits until the device of the last invitation has joined, or will not. If the caller goes away, the invitation ends.
    case awaitDevice
    case listDevices
    /// Ends the trust in a device, named by its id or its short code.
    case distrust(String)
    /// Takes a passkey that a device has asked for, by the passkey's short code.
    case takePasskey(String)
}
