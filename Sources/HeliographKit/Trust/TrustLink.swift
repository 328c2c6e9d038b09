package import Consent
public import LiveActivityKit

/// A secret that a person scans so that hosts trust this device: a link whose fragment has `k=…`, as shown by `heliograph host
/// trust` or a device that vouches, or that part alone. It never leaves this device.
public struct TrustLink: Sendable, Hashable {
    package let secret: TrustSecret

    /// Throws `badLink`. Use a link with both `pair=` and `k=` for `PairingLink` first, then for this.
    public init(_ text: String) throws(LiveActivityError) {
        guard let secret = TrustSecret(link: text) else {
            throw LiveActivityError(
                .badLink, "this carries no secret of a host: at that machine, “heliograph host trust” shows one")
        }
        self.secret = secret
    }

    /// Nil if the link is for pairing alone, as from a relay whose hosts run elsewhere.
    public init?(ifIn text: String) throws(LiveActivityError) {
        guard TrustSecret.text(in: text) != nil else { return nil }
        try self.init(text)
    }

    /// True if another device shows the link: a person has to compare the codes on both screens first.
    public var isOfDevice: Bool { secret.isOfDevice }
}
