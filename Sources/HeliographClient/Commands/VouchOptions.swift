package import RelayProtocol

/// Options of `heliograph trust --vouch`.
package struct VouchOptions {
    /// The device's role at the relay if it is new there.
    package var role: PairingRole
    /// Draws a link to be scanned; nil if it is not to be shown.
    package var picture: (String) -> String?

    package init(role: PairingRole, picture: @escaping (String) -> String?) {
        self.role = role
        self.picture = picture
    }
}
