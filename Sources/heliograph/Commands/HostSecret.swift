import HeliographHost
import RelayProtocol

/// The part of a pairing link for the hosts of this machine.
enum HostSecret {
    /// The part `&k=SECRET`. Empty, so that the link pairs with the relay alone, if the device may not decide, no host here
    /// requires signatures, or the secret cannot be saved.
    static func part(for role: PairingRole) -> String {
        let first = FirstTrust()
        guard [.client, .operator].contains(role), first.isUseful else { return "" }
        do { return "&k=\(try first.show())" } catch {
            // A service's account or a container that saves nothing has no host either.
            if first.hasHost { Output.remark("hosts of this machine are not part of this link: \(error)") }
            return ""
        }
    }
}
