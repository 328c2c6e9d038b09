import RelayCore
internal import WebSocketEngine

/// Limits, from the outside in: connections, their input, its consequences, memory.
extension Settings {
    static let limits: [Setting] = [
        .integer(
            "limits.connections", "count", 16...1_000_000, \.limits.connectionsMax,
            "Connections at once; above it new ones get 503 with Retry-After."),
        .integer(
            "limits.pending", "count", 4...100_000, \.limits.pendingMax,
            "Connections at once that have not yet authenticated; above it silent ones are closed, and others wait to be accepted."
        ),
        .integer(
            "limits.pendingPerAddress", "count", 1...100_000, \.limits.pendingPerAddressMax,
            "Connections from one address that have not yet authenticated; behind a trusted proxy, requests under way."
        ),
        .integer(
            "limits.handshakeSeconds", "seconds", 1...600, \.handshakeSeconds,
            "How long a connection may take to authenticate."),
        .integer(
            "limits.headerKilobytes", "kilobytes", 1...63, \.headerKilobytes,
            "All headers of one request; above it 431; a connection that sends twice as much is closed."),
        .integer(
            "limits.connectionsPerAddress", "count", 0...1_000_000, \.serverLimits.connectionsPerAddress,
            "WebSockets from one address (with IPv6 from one /64), except trusted proxies; 0 is no limit."),
        .integer(
            "limits.connectionsPerToken", "count", 0...1_000_000, \.serverLimits.connectionsPerToken,
            "WebSockets with one token; 0 is no limit."),
        .integer(
            "limits.connectionsPerWorkspace", "count", 0...1_000_000, \.serverLimits.connectionsPerWorkspace,
            "WebSockets in one workspace; 0 is no limit."),
        .integer(
            "limits.requestsPerSecondPerAddress", "count", 0...1_000_000, \.serverLimits.requestsPerSecondPerAddress,
            "Requests and handshakes from one address, except trusted proxies; ten seconds' worth at once; 0 is no limit."),
        .integer(
            "limits.messagesPerSecondPerHost", "count", 0...10_000_000, \.serverLimits.messagesPerSecondPerHost,
            "Messages that are read from one host; ten seconds' worth at once; 0 is no limit. The rest waits at the host."),
        .integer(
            "limits.kilobytesPerSecondPerHost", "kilobytes", 0...10_000_000, \.serverLimits.kilobytesPerSecondPerHost,
            "Kilobytes that are read from one host; ten seconds' worth at once; 0 is no limit. The rest waits at the host."),
        .integer(
            "limits.messagesPerSecondPerClient", "count", 0...10_000_000, \.serverLimits.messagesPerSecondPerClient,
            "Messages that are read with one client's token; ten seconds' worth at once; 0 is no limit."),
        .integer(
            "limits.kilobytesPerSecondPerClient", "kilobytes", 0...10_000_000, \.serverLimits.kilobytesPerSecondPerClient,
            "Kilobytes that are read with one client's token; ten seconds' worth at once; 0 is no limit."),
        .integer(
            "limits.messagesPerSecondPerAddress", "count", 0...10_000_000, \.serverLimits.messagesPerSecondPerAddress,
            "Messages that are read from one address (with IPv6 one /64), except trusted proxies; ten seconds' worth at once; 0 is no limit."
        ),
        .integer(
            "limits.kilobytesPerSecondPerAddress", "kilobytes", 0...10_000_000, \.serverLimits.kilobytesPerSecondPerAddress,
            "Kilobytes that are read from one address (with IPv6 one /64), except trusted proxies; ten seconds' worth at once; 0 is no limit."
        ),
        .integer(
            "limits.messagesPerSecondPerSession", "count", 0...10_000_000, \.quotas.messagesPerSecondPerSession,
            "Messages that are taken from one session; ten seconds' worth at once; 0 is no limit. The rest waits at the host."),
        .integer(
            "limits.kilobytesPerSecondPerSession", "kilobytes", 0...10_000_000, \.quotas.kilobytesPerSecondPerSession,
            "Kilobytes that are taken from one session; ten seconds' worth at once; 0 is no limit. The rest waits at the host."),
        .integer(
            "limits.messagesPerSecondPerWorkspace", "count", 0...10_000_000, \.serverLimits.messagesPerSecondPerWorkspace,
            "Messages that are read from one workspace's hosts and clients; ten seconds' worth at once; 0 is no limit."),
        .integer(
            "limits.kilobytesPerSecondPerWorkspace", "kilobytes", 0...10_000_000,
            \.serverLimits.kilobytesPerSecondPerWorkspace,
            "Kilobytes that are read from one workspace's hosts and clients; ten seconds' worth at once; 0 is no limit."),
        .integer(
            "limits.openApprovalsPerSession", "count", 1...1_000, \.quotas.openApprovalsPerSession,
            "Approvals open at once in one session; above it the agent's own prompt stays open instead."),
        .integer(
            "limits.openApprovalsPerHost", "count", 1...10_000, \.quotas.openApprovalsPerHost,
            "Approvals open at once on one host; 4 MB of them at most."),
        .integer(
            "limits.openApprovalsPerWorkspace", "count", 1...10_000, \.quotas.openApprovalsPerWorkspace,
            "Approvals open at once in one workspace; 8 MB of them at most."),
        .integer(
            "limits.sessionsPerHost", "count", 1...1_000_000, \.quotas.sessionsPerHost,
            "Sessions that are kept for one host; ended ones are removed for a new one, which waits at the host until there is room."
        ),
        .integer(
            "limits.sessionsPerWorkspace", "count", 1...1_000_000, \.quotas.sessionsPerWorkspace,
            "Sessions that are kept in one workspace; ended ones are removed for a new one."),
        .integer(
            "limits.sessionMegabytesPerHost", "megabytes", 1...100_000, \.quotas.sessionMegabytesPerHost,
            "Memory for what the sessions of one host keep besides their events; above it ended ones are removed, and what makes one larger waits at the host."
        ),
        .integer(
            "limits.sessionMegabytesPerWorkspace", "megabytes", 1...100_000, \.quotas.sessionMegabytesPerWorkspace,
            "Memory for what the sessions of one workspace keep besides their events; hosts with less than an equal share go on."
        ),
        .integer(
            "limits.commandsPerDayPerClient", "count", 1...1_000_000, \.quotas.commandsPerDayPerClient,
            "Prompts and other commands for hosts that are taken from one client in a day; above it `tooMany` until the oldest are a day old."
        ),
        .integer(
            "limits.commandsPerDayPerWorkspace", "count", 1...1_000_000, \.quotas.commandsPerDayPerWorkspace,
            "Prompts and other commands for hosts that are taken in one workspace in a day."),
        .integer(
            "limits.registrationsPerHourPerAddress", "count", 1...100_000, \.serverLimits.registrationsPerHourPerAddress,
            "Workspaces that strangers register from one address in an hour; an IPv6 /64 counts as one, a /56 as two, a /48 as four."
        ),
        .integer(
            "limits.registeredPerAddress", "count", 1...1_000, \.registration.perAddressMax,
            "Registered workspaces of one address that exist at once; IPv6 networks as for the number in an hour."),
        .integer(
            "limits.registered", "count", 1...1_000, \.registration.countMax,
            "Registered workspaces of all addresses that exist at once."),
        .integer(
            "limits.newcomerSessions", "count", 1...1_000_000, \.registration.newcomer.sessions,
            "Sessions that are kept in a registered workspace, unless workspace quota says otherwise."),
        .integer(
            "limits.newcomerMegabytes", "megabytes", 1...(1 << 30), \.registration.newcomer.megabytes,
            "Megabytes of events that are kept there."),
        .integer(
            "limits.newcomerPushesPerDay", "count", 1...10_000_000, \.registration.newcomer.pushesPerDay,
            "Pushes that are sent for it in a day."),
        .integer(
            "limits.newcomerConnections", "count", 1...1_000_000, \.registration.newcomer.connections,
            "WebSockets that it has at once."),
        .integer(
            "limits.newcomerKeepDays", "days", 1...36_500, \.registration.newcomer.keepDays,
            "Days for which its sessions are kept."),
        .integer(
            "limits.newcomerSessionMegabytes", "megabytes", 1...100_000, \.registration.newcomer.sessionMegabytes,
            "Memory of the sessions of each registered workspace."),
        .integer(
            "limits.newcomerRecordMegabytesPerDay", "megabytes", 1...100_000, \.registration.newcomer.recordMegabytesPerDay,
            "Approvals and audit log that each registered workspace adds in a day."),
        .integer(
            "limits.recordMegabytesPerDayPerWorkspace", "megabytes", 1...100_000,
            \.quotas.recordMegabytesPerDayPerWorkspace,
            "Approvals, audit log and new sessions that one workspace adds in a day, by UTC; above it agents ask at their own prompts."
        ),
        .integer(
            "limits.pushesPerDayPerWorkspace", "count", 0...10_000_000, \.quotas.pushesPerDayPerWorkspace,
            "Pushes that are sent for one workspace in a day, by UTC; a quarter of them is for what rings and for ends of cards; 0 is no limit."
        ),
        .integer(
            "limits.outboxMegabytes", "megabytes", 1...1_024, \.outboxMegabytes,
            "Data that may wait for one slow peer before it is asked to come back with its position."),
        .integer(
            "limits.uncommittedMegabytes", "megabytes", 1...10_000, \.serverLimits.uncommittedMegabytes,
            "Events that may wait for the disk before the relay stops reading hosts."),
        .integer(
            "limits.memoryMegabytes", "megabytes", 0...1_000_000, \.serverLimits.memoryMegabytes,
            "Memory of the relay; above it the clients furthest behind are closed, then new connections get 503. 0 is three quarters of the machine's."
        ),
    ]
}

extension ServerConfiguration {
    fileprivate var outboxMegabytes: Int {
        get { limits.outboxBytesMax >> 20 }
        set { limits.outboxBytesMax = newValue << 20 }
    }

    fileprivate var handshakeSeconds: Int {
        get { Int(limits.handshakeDeadline.components.seconds) }
        set { limits.handshakeDeadline = .seconds(newValue) }
    }
}
