import RelayModel
import RelayProtocol

/// One Live Activity on one device: of one session, or of all (nil).
struct CardKey: Hashable, Comparable {
    let device: DeviceKey
    let session: SessionID?

    var workspace: WorkspaceID { device.workspace }
    /// The key of its session; nil for the aggregate card.
    var sessionKey: SessionKey? { session.map { SessionKey(workspace: workspace, session: $0) } }
    /// Name of the card's record. Identifiers have neither a slash nor an asterisk.
    var name: String { "\(device.device)/\(session?.rawValue ?? "*")" }

    static func < (left: CardKey, right: CardKey) -> Bool {
        (left.device, left.session?.rawValue ?? "") < (right.device, right.session?.rawValue ?? "")
    }
}
