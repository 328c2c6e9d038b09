import HeliographHost
import RelayProtocol

/// The part of a pairing link that is for the hosts of this machine.
enum HostSecret {
    /// `&k=SECRET`; empty if the device may not decide, no host here asks for signatures, or nothing can be kept: then the link pairs with the
    /// relay alone.
    static func part(for role: PairingRole) -> String {
        let first = FirstTrust()
        guard [.client, .operator].contains(role), first.isUseful else { return "" }
        do { return "&k=\(try first.show())" } catch {
            // A service's account or a container, which keeps nothing, has no host either.
            if first.hasHost { Output.remark("hosts of this machine are not part of this link: \(error)") }
            return ""
        }
    }
}
