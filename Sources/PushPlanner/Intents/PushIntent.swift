package import RelayProtocol

/// One push to one device: content, urgency, replacement and lifetime. The planner stages, keeps and repeats it, and knows no push
/// service here. Its fields were decided when it was planned, and are on disk.
///
/// Its channel makes a request of it. A runner adds the parts that the core cannot make: the sender's credentials, ciphertext, the code
/// with which a notification decides.
package struct PushIntent: Sendable, Equatable {
    package enum Target: Sendable, Equatable {
        /// A place that the device's app has told, as its channel writes it.
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
        /// When it costs the device little.
        case whenConvenient
        case atOnce
    }

    package var id: PushID
    package var workspace: WorkspaceID
    package var device: DeviceID
    package var service: PushService
    package var purpose: Purpose
    package var session: SessionID?
    /// The app that has told the target, as its service names it …
    package var app: String
    package var target: Target
    /// … and in which of the service's worlds.
    package var environment: PushEnvironment
    /// The device's own address: the device's owner has its cards, too. Set when it is sent, and not on disk; nil: none, or it is about a
    /// channel alone.
    package var deviceAddress: PushAddress?
    /// True if a push to this target was accepted there before.
    package var isEnvironmentProven = false
    package var urgency = Urgency.atOnce
    /// Kept for a device that is away, for as long as it is worth sending; else it arrives now or never.
    package var isKept = true
    /// The person sees one notification of this name, however often it is sent.
    package var replaces: String?
    /// JSON, by the channel; empty where nothing is said. Where `code` is set, `"code":"CODE"` in it is replaced; see `PushCode`.
    package var payload: [UInt8] = []
    /// The runner adds ciphertext of this.
    package var seal: PushSeal?
    package var code: PushCode?
    /// When the app last told us this target, in milliseconds since 1970.
    package var toldAt: Int64 = 0
    /// True if the person notices nothing if this arrives twice.
    package var isHarmlessToRepeat = false
    /// After this, in milliseconds since 1970, it is not worth sending.
    package var worthUntil: Int64
    /// When it was planned, in milliseconds since 1970.
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
    /// The longest that a sender may try, in milliseconds. Whatever is worth more is planned anew after that, as it is by then.
    package static let patienceMax: Int64 = 3_600_000

    /// Addresses that must still be its workspace's for it to be sent; none of one that is not one workspace's alone.
    package var addresses: Set<PushAddress> {
        guard !service.sharesAddresses else { return [] }
        var addresses = Set([deviceAddress].compactMap(\.self))
        if case .device(let token) = target { addresses.insert(PushAddress(service, place: token)) }
        return addresses
    }
}

/// Content that only the device can read.
package struct PushSeal: Sendable, Equatable {
    /// 32 bytes in base64.
    package var key: String
    /// JSON: `title`, `subtitle`, `body`, `code`.
    package var text: [UInt8]

    package init(key: String, text: [UInt8]) {
        self.key = key
        self.text = text
    }
}

/// The right to decide one approval from a notification. The code itself is `<push>.<tag>`: the runner makes `tag` from a secret
/// of the data directory and checks it, so that neither the log nor the data file holds what decides.
package struct PushCode: Sendable, Equatable {
    package var session: SessionID
    package var approval: ApprovalID
    /// The digest of the input that the alert is about.
    package var digest: InputDigest
    /// Until when it says what was decided, in milliseconds since 1970. What is pending it decides later, too.
    package var expiresAt: Int64

    package init(session: SessionID, approval: ApprovalID, digest: InputDigest, expiresAt: Int64) {
        self.session = session
        self.approval = approval
        self.digest = digest
        self.expiresAt = expiresAt
    }
}
