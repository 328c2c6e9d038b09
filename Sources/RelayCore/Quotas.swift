package import RelayProtocol

/// Limits of one session, host or workspace, which the relay's operator can change.
package struct Quotas: Sendable, Equatable {
    /// Open approvals in one session. An agent asks one at a time; a flood of cards teaches people to press allow.
    package var openApprovalsPerSession = 64
    /// Open approvals on one host, and in one workspace: all of them are in every snapshot, and nobody decides a thousand.
    package var openApprovalsPerHost = 256
    package var openApprovalsPerWorkspace = 1_024
    /// Sessions of one host, and of one workspace: each takes some kilobytes of memory, and a busy machine begins that many in
    /// months. Ended ones are removed to make room.
    package var sessionsPerHost = 10_000
    package var sessionsPerWorkspace = 50_000
    /// Memory for the sessions of one host without events and approvals (their texts and steering offers), in megabytes: enough for
    /// ten thousand ordinary sessions. For one workspace: as much as four such hosts, and a third of a small machine's memory.
    package var sessionMegabytesPerHost = 32
    package var sessionMegabytesPerWorkspace = 128
    /// Input accepted from one session per second; 0: no limit. Half of what its host may send: an agent that runs in circles
    /// leaves the other half to the others.
    package var messagesPerSecondPerSession = 10_000
    package var kilobytesPerSecondPerSession = 32 << 10
    /// Commands to hosts per day, of one client and in one workspace: each is remembered for that long, so that it has one effect
    /// however often it is sent. As many as one person who types without a pause, and as a busy team.
    package var commandsPerDayPerClient = 2_000
    package var commandsPerDayPerWorkspace = 10_000
    /// Approvals, lines of the audit log and new sessions of one workspace per UTC day, in megabytes: no retention makes room for the
    /// audit log. Enough for ten thousand approvals.
    package var recordMegabytesPerDayPerWorkspace = 128
    /// Pushes of one workspace per UTC day; 0: no limit. Enough for ten phones with a few cards each that change all day.
    package var pushesPerDayPerWorkspace = 100_000
    /// Time for which unused rate accumulates: enough for a page that opens, or a host that reconnects.
    package static let burst = Duration.seconds(10)

    package init() {}

    /// Message to a host whose events are refused.
    func refusal(by quota: Quota) -> String {
        switch quota {
        case .sessionsPerHost: "the relay holds at most \(sessionsPerHost) sessions of a host"
        case .sessionsPerWorkspace: "the relay holds no more sessions of this workspace"
        case .sessionMegabytesPerHost:
            "the sessions of a host keep at most \(sessionMegabytesPerHost) MB: what makes one larger waits until others end or are removed"
        case .sessionMegabytesPerWorkspace:
            "the sessions of this workspace take all the memory that they may: what makes one larger waits until others end or are removed"
        case .keepMegabytes:
            "the relay keeps no more events of this workspace: what comes waits until sessions end or are removed"
        case .recordMegabytesPerDayPerWorkspace:
            "this workspace asks more in a day than the relay records: its agents ask at their own prompts until midnight UTC"
        default: "more comes than \(quota.setting) allows: send it later"
        }
    }
}

/// The limit that was reached.
package enum Quota: String, Sendable, CaseIterable {
    case openApprovalsPerSession, openApprovalsPerHost, openApprovalsPerWorkspace, sessionsPerHost, sessionsPerWorkspace
    case sessionMegabytesPerHost, sessionMegabytesPerWorkspace
    case messagesPerSecondPerSession, kilobytesPerSecondPerSession
    case commandsPerDayPerClient, commandsPerDayPerWorkspace, pushesPerDayPerWorkspace, recordMegabytesPerDayPerWorkspace
    /// The limit for bytes of events in a workspace, when the oldest cannot be removed fast enough.
    case keepMegabytes

    /// Name of the setting that has this limit.
    package var setting: String { self == .keepMegabytes ? rawValue : "limits.\(rawValue)" }

    /// The workspace's limit to which this belongs; nil if it limits a session, a host or a client, or something that recovers by
    /// itself.
    package var workspaceLimit: WorkspaceLimit? {
        switch self {
        case .sessionsPerWorkspace: .sessions
        case .keepMegabytes: .megabytes
        case .pushesPerDayPerWorkspace: .pushesPerDay
        case .recordMegabytesPerDayPerWorkspace: .recordsPerDay
        default: nil
        }
    }
}
