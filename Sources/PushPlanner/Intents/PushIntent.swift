package import RelayProtocol

/// One push to one device: content, urgency, replacement and lifetime. The planner stages, keeps and repeats it without knowledge
/// of any push service. Its fields were decided when it was planned, and are on disk.
///
/// Its channel turns it into a request. A runner adds the parts that the core cannot make: the sender's credentials, ciphertext,
/// the code with which a notification decides.
package struct PushIntent: Sendable, Equatable {
    package enum Target: Sendable, Equatable {
        /// A token that the device's app reported, as its channel writes it.
        case device(token: String)
        case broadcast(channel: String)
        case makeChannel
        case deleteChannel(channel: String)
    }

    /// Role in the life of a card, or outside it.
    package enum Purpose: String, Sendable, CaseIterable {
        case start, update, end, alert, channel
    }

    package enum Urgency: Sendable {
        /// When it costs the device little energy.
        case whenConvenient
        case atOnce
    }

    package var id: PushID
    package var workspace: WorkspaceID
    package var device: DeviceID
    package var service: PushService
    package var purpose: Purpose
    package var session: SessionID?
    /// The service's name of the app that reported the target …
    package var app: String
    package var target: Target
    /// … and its environment at the service.
    package var environment: PushEnvironment
    /// The device's own address, set when the push is sent and not on disk; nil if there is none, or the push is about a channel
    /// alone. A push to a card also needs it, as cards belong to the device's workspace.
    package var deviceAddress: PushAddress?
    /// True if a push to this target was accepted in `environment` before.
    package var isEnvironmentProven = false
    package var urgency = Urgency.atOnce
    /// True if the service keeps it for an offline device as long as it is worth sending; otherwise it is delivered at once or not
    /// at all.
    package var isKept = true
    /// Name of the notification. A push replaces an earlier one of the same name.
    package var replaces: String?
    /// JSON made by the channel; empty for a push without content. If `code` is set, `"code":"CODE"` in it is replaced; see
    /// `PushCode`.
    package var payload: [UInt8] = []
    /// Content that the runner encrypts and adds.
    package var seal: PushSeal?
    package var code: PushCode?
    /// Time at which the app last reported this target, in milliseconds since 1970.
    package var toldAt: Int64 = 0
    /// True if the person would not notice a second delivery.
    package var isHarmlessToRepeat = false
    /// Time after which it is not worth sending, in milliseconds since 1970.
    package var worthUntil: Int64
    /// Time at which it was planned, in milliseconds since 1970.
    package var plannedAt: Int64

    package init(
        id: PushID = PushID(rawValue: 0), workspace: WorkspaceID, device: DeviceID, service: PushService, purpose: Purpose,
        session: SessionID?, app: String, target: Target, environment: PushEnvironment, worthUntil: Int64, plannedAt: Int64
    ) {
        self.id = id
        self.workspace = workspace
        self.device = device
        self.service = service
        self.purpose = purpose
        self.session = session
        self.app = app
        self.target = target
        self.environment = environment
        self.worthUntil = worthUntil
        self.plannedAt = plannedAt
    }
}

extension PushIntent {
    /// The longest time that a sender may try, in milliseconds. A push that is still worth sending after that is planned anew from
    /// the current state.
    package static let patienceMax: Int64 = 3_600_000

    /// Addresses that must still belong to its workspace when it is sent. Empty for a service whose addresses several workspaces
    /// may share.
    package var addresses: Set<PushAddress> {
        guard !service.sharesAddresses else { return [] }
        var addresses = Set([deviceAddress].compactMap(\.self))
        if case .device(let token) = target { addresses.insert(PushAddress(service, place: token)) }
        return addresses
    }
}

/// Content that only the device can read.
package struct PushSeal: Sendable, Equatable {
    /// A key of 32 bytes in base64.
    package var key: String
    /// JSON with `title`, `subtitle`, `body` and `code`.
    package var text: [UInt8]

    package init(key: String, text: [UInt8]) {
        self.key = key
        self.text = text
    }
}

/// The right to decide one approval from a notification. The code itself is `<push>.<tag>`: the runner makes `tag` from a secret of
/// the data directory and checks it, so that neither the log nor the data file holds a usable code.
package struct PushCode: Sendable, Equatable {
    package var session: SessionID
    package var approval: ApprovalID
    /// The digest of the input that the alert is about.
    package var digest: InputDigest
    /// Time until which the code still returns the outcome of a decided approval, in milliseconds since 1970. A pending approval
    /// can be decided later, too.
    package var expiresAt: Int64

    package init(session: SessionID, approval: ApprovalID, digest: InputDigest, expiresAt: Int64) {
        self.session = session
        self.approval = approval
        self.digest = digest
        self.expiresAt = expiresAt
    }
}
