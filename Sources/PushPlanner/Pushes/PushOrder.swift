package import RelayProtocol

/// One push to send, whole: what is in it was decided when it was planned, and is on disk. A runner adds what the core cannot make:
/// a provider token, ciphertext, the code with which a notification decides.
package struct PushOrder: Sendable, Equatable {
    package enum Target: Sendable, Equatable {
        /// `token` in hexadecimal digits.
        case device(token: String)
        case broadcast(channel: String)
        case makeChannel
        case deleteChannel(channel: String)
    }

    /// What this is in the life of a card, or beside it.
    package enum Purpose: String, Sendable, CaseIterable {
        case start, update, end, alert, channel
    }

    package var id: PushID
    package var workspace: WorkspaceID
    package var device: DeviceID
    package var purpose: Purpose
    package var session: SessionID?
    package var bundle: String
    package var target: Target
    package var environment: PushEnvironment
    /// Whether this token was accepted there before.
    package var isEnvironmentProven = false
    /// With its suffix; nil for channels and broadcasts.
    package var topic: String?
    /// `alert` or `liveactivity`; nil for channels.
    package var pushType: String?
    /// 5 or 10.
    package var priority: Int64 = 10
    /// Seconds since 1970; 0: now or never; nil: not said.
    package var expiration: Int64?
    package var collapse: String?
    /// JSON; empty for channels. Where `code` is set, `"code":"CODE"` beside `aps` is replaced; see `PushCode`.
    package var payload: [UInt8] = []
    /// The runner puts AES-256-GCM ciphertext of `text` under this key beside `aps`, as `sealed`.
    package var seal: PushSeal?
    package var code: PushCode?
    /// When the app last told us this token, in milliseconds since 1970.
    package var tokenRegisteredAt: Int64 = 0
    /// Whether the person notices nothing if this arrives twice.
    package var isHarmlessToRepeat = false
    /// After this, in milliseconds since 1970, it is not worth sending.
    package var worthUntil: Int64
    /// When it was planned, in milliseconds since 1970.
    package var plannedAt: Int64

    package init(
        id: PushID, workspace: WorkspaceID, device: DeviceID, purpose: Purpose, session: SessionID?, bundle: String,
        target: Target, environment: PushEnvironment, worthUntil: Int64, plannedAt: Int64
    ) {
        self.id = id
        self.workspace = workspace
        self.device = device
        self.purpose = purpose
        self.session = session
        self.bundle = bundle
        self.target = target
        self.environment = environment
        self.worthUntil = worthUntil
        self.plannedAt = plannedAt
    }
}

/// What only the device shall read.
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
    /// Until when, in milliseconds since 1970.
    package var expiresAt: Int64

    package init(session: SessionID, approval: ApprovalID, digest: InputDigest, expiresAt: Int64) {
        self.session = session
        self.approval = approval
        self.digest = digest
        self.expiresAt = expiresAt
    }
}

/// What became of a push.
package enum PushOutcome: Sendable, Equatable {
    /// APNs took it, in this environment; that says nothing about the device. `channel` where one was made.
    case accepted(PushEnvironment, channel: String?)
    /// APNs said no; `text` is Apple's reason.
    case refused(PushAdvice, text: String)
    /// Nobody can say whether APNs took it; a sentence.
    case unknown(String)
    /// APNs has not got it; a sentence for the operator.
    case notSent(String)

    var isAccepted: Bool { if case .accepted = self { true } else { false } }
}
