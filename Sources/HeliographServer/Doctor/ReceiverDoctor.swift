import RelayAccess
import RelayProtocol

/// Problems of the operator's receivers, as the running relay has met them. The file itself is checked with the settings.
struct ReceiverDoctor {
    let path: String
    /// Further arguments of a command for this relay; see `RelayDoctor.flag`.
    let flag: String
    let configuration: ServerConfiguration

    func findings() -> [Finding] {
        guard let receivers = configuration.receivers?.entries, !receivers.isEmpty else { return [] }
        let status = (try? PushStatus.read(in: path)) ?? nil
        let troubles = status.flatMap { try? PushStatus.receiverTroubles($0) } ?? []
        guard troubles.isEmpty else {
            return troubles.map { name, trouble in
                Finding(
                    "Receiver \(name)", .wrong, "its last push was not taken: \(trouble)",
                    mend: "look at the relay's log, mend it, then heliograph push test DEVICE\(flag)")
            }
        }
        return [Finding("Receivers", .well, receivers.map(\.name).joined(separator: ", "))]
    }
}
