package import Consent
public import LiveActivityKit

/// A secret that a person scans so that hosts trust this device: a link with `k=…` behind its `#`, as `heliograph host trust` or a device that
/// vouches shows it, or that part alone. It never leaves this device.
public struct TrustLink: Sendable, Hashable {
    package let secret: TrustSecret

    /// Throws `badLink`. A link with `pair=` and `k=` is for `PairingLink` first, and then for this.
    public init(_ text: String) throws(LiveActivityError) {
        guard let secret = TrustSecret(link: text) else {
            throw LiveActivityError(
                .badLink, "this carries no secret of a host: at that machine, “heliograph host trust” shows one")
        }
        self.secret = secret
    }

    /// Nil for a link that is for pairing alone, as from a relay whose hosts are elsewhere.
    public init?(ifIn text: String) throws(LiveActivityError) {
        guard TrustSecret.text(in: text) != nil else { return nil }
        try self.init(text)
    }

    /// True if a person has to compare the codes on both screens first: another device shows the link.
    public var isOfDevice: Bool { secret.isOfDevice }
}
