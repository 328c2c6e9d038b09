package import RelayProtocol

/// Limits of one session, host or workspace. The relay's operator may choose other numbers.
package struct Quotas: Sendable, Equatable {
    /// Approvals open at once in one session. An agent asks one at a time; a flood of cards teaches people to press allow.
    package var openApprovalsPerSession = 64
    /// … on one host, and in one workspace: all of them are in every snapshot, and nobody decides a thousand.
    package var openApprovalsPerHost = 256
    package var openApprovalsPerWorkspace = 1_024
    /// Sessions that the relay holds of one host: some kilobytes of memory each, and what a busy machine begins in months. Ended ones
    /// make room.
    package var sessionsPerHost = 10_000
    package var sessionsPerWorkspace = 50_000
    /// Memory for what the sessions of one host keep besides events and approvals (their texts, what can be done to them), in megabytes: ten
    /// thousand ordinary ones. Of one workspace: what four such hosts take, and a third of a small machine's.
    package var sessionMegabytesPerHost = 32
    package var sessionMegabytesPerWorkspace = 128
    /// Input accepted from one session, a second; 0 is no limit. Half of what its host may send: an agent that goes round in circles
    /// leaves the other half to the others.
    package var messagesPerSecondPerSession = 10_000
    package var kilobytesPerSecondPerSession = 32 << 10
    /// Commands that go to a host, of one client and in one workspace, a day: so long each is remembered, so that it has one effect however often
    /// it is sent. A day of somebody who types without a pause, and of a busy team.
    package var commandsPerDayPerClient = 2_000
    package var commandsPerDayPerWorkspace = 10_000
    /// Pushes of one workspace a day, by UTC; 0 is no limit. Ten phones with a few cards each that change all day.
    package var pushesPerDayPerWorkspace = 100_000
    /// So much of a rate is saved up: a page that opens, a host that comes back.
    package static let burst = Duration.seconds(10)

    package init() {}

    /// Words for a host whose events are refused.
    func refusal(by quota: Quota) -> String {
        switch quota {
        case .sessionsPerHost: "the relay holds at most \(sessionsPerHost) sessions of a host"
        case .sessionsPerWorkspace: "the relay holds no more sessions of this workspace"
        case .sessionMegabytesPerHost:
            "the sessions of a host keep at most \(sessionMegabytesPerHost) MB: what makes one larger waits until others end or are removed"
        case .sessionMegabytesPerWorkspace:
            "the sessions of a workspace keep at most \(sessionMegabytesPerWorkspace) MB: what makes one larger waits until others end or are removed"
        case .keepMegabytes:
            "the relay keeps no more events of this workspace: what comes waits until sessions end or are removed"
        case .recordMegabytes:
            "the approvals and the audit log of this workspace take all they may: what is asked waits until sessions are removed, or whoever runs the relay allows more"
        default: "more comes than \(quota.setting) allows: send it later"
        }
    }
}

/// The limit that was reached.
package enum Quota: String, Sendable, CaseIterable {
    case openApprovalsPerSession, openApprovalsPerHost, openApprovalsPerWorkspace, sessionsPerHost, sessionsPerWorkspace
    case sessionMegabytesPerHost, sessionMegabytesPerWorkspace
    case messagesPerSecondPerSession, kilobytesPerSecondPerSession
    case commandsPerDayPerClient, commandsPerDayPerWorkspace, pushesPerDayPerWorkspace
    /// Bytes of events in a workspace, and the oldest do not make room fast enough.
    case keepMegabytes
    /// Bytes of its approvals, its audit log and the places of removed sessions: as much again.
    case recordMegabytes

    /// The setting that says how much.
    package var setting: String {
        self == .keepMegabytes || self == .recordMegabytes ? Self.keepMegabytes.rawValue : "limits.\(rawValue)"
    }

    /// The limit of the workspace that it is; nil: one of a session, a host or a client, or of what goes on by itself.
    package var workspaceLimit: WorkspaceLimit? {
        switch self {
        case .sessionsPerWorkspace: .sessions
        case .keepMegabytes, .recordMegabytes: .megabytes
        case .pushesPerDayPerWorkspace: .pushesPerDay
        default: nil
        }
    }
}
