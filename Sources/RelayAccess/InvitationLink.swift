package import RelayProtocol

/// A link into a workspace: `RELAY/#join=MACHINE.DEVICE` with the pairing codes of its first machine and its first device; or for a
/// machine only, `RELAY/#host=CODE`.
package struct InvitationLink: Equatable, Sendable {
    package let relay: RelayAddress
    private let machine: String
    private let device: String?

    package init(relay: RelayAddress, _ codes: RegistrationAnswer) {
        self.relay = relay
        machine = codes.machine
        device = codes.device
    }

    package init?(_ text: String) {
        if let link = PairingLink(text) {
            guard link.role == .host else { return nil }
            (relay, machine, device) = (link.relay, link.code, nil)
            return
        }
        let parts = text.split(separator: "#join=", omittingEmptySubsequences: false)
        guard parts.count == 2, let relay = RelayAddress(String(parts[0])) else { return nil }
        let codes = parts[1].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard codes.count == 2, PairingLink("\(relay)/#host=\(codes[0])") != nil,
            PairingLink("\(relay)/#pair=\(codes[1])") != nil
        else { return nil }
        (self.relay, machine, device) = (relay, codes[0], codes[1])
    }

    /// `base`: a relay's address.
    package static func text(base: String, machine: String, device: String) -> String { "\(base)/#join=\(machine).\(device)" }

    package var text: String { device.map { Self.text(base: "\(relay)", machine: machine, device: $0) } ?? machineLink }
    package var machineLink: String { "\(relay)/#host=\(machine)" }
    package var deviceLink: String? { device.map { "\(relay)/#pair=\($0)" } }
}
