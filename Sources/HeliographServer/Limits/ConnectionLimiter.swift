import RelayCore
import RelayProtocol
import WebSocketEngine

/// Counts WebSockets by address, token and workspace, and limits the rate of requests by address.
struct ConnectionLimiter {
    /// The limit that was reached, named like its setting.
    enum LimitError: String, Sendable, CaseIterable, Error {
        case connectionsPerAddress, connectionsPerToken, connectionsPerWorkspace
        case requestsPerSecondPerAddress
        case memory = "memoryMegabytes"

        /// HTTP status: 429 if the peer is the cause, else 503.
        var status: UInt16 {
            switch self {
            case .connectionsPerAddress, .connectionsPerToken, .requestsPerSecondPerAddress: 429
            case .connectionsPerWorkspace, .memory: 503
            }
        }

        var sentence: String {
            switch self {
            case .connectionsPerAddress: "too many connections from one address"
            case .connectionsPerToken: "too many connections by one token"
            case .connectionsPerWorkspace: "too many connections in one workspace"
            case .requestsPerSecondPerAddress: "too many requests from one address"
            case .memory: "the relay is short of memory"
            }
        }
    }

    private let limits: ServerLimits
    private var ofAddresses: [Peer: Int] = [:]
    private var ofTokens: [String: Int] = [:]
    private var ofWorkspaces: [WorkspaceID: Int] = [:]
    /// Limits of workspaces that have their own.
    private var connectionsMax: [WorkspaceID: Int] = [:]
    private var requests: [Peer: TokenBucket] = [:]
    /// Shared by addresses for which there was no separate bucket.
    private var requestsOfOthers: TokenBucket

    init(_ limits: ServerLimits) {
        self.limits = limits
        requestsOfOthers = Self.bucket(limits)
    }

    /// Sets workspaces' own limits. Closes no connection.
    mutating func allow(_ limits: [WorkspaceID: WorkspaceLimits]) { connectionsMax = limits.compactMapValues(\.connections) }

    private static func bucket(_ limits: ServerLimits) -> TokenBucket {
        TokenBucket(perSecond: max(1, limits.requestsPerSecondPerAddress), burst: Quotas.burst)
    }

    // MARK: - WebSockets

    /// Counts a connection in; a call of `leave` must follow. `address`: the one that it counts to; nil: none.
    mutating func enter(address: Peer?, token: String, workspace: WorkspaceID) throws(LimitError) {
        if let address, Self.isReached(limits.connectionsPerAddress, ofAddresses[address]) { throw .connectionsPerAddress }
        if Self.isReached(limits.connectionsPerToken, ofTokens[token]) { throw .connectionsPerToken }
        let max = connectionsMax[workspace] ?? limits.connectionsPerWorkspace
        if Self.isReached(max, ofWorkspaces[workspace]) { throw .connectionsPerWorkspace }
        if let address { ofAddresses[address, default: 0] += 1 }
        ofTokens[token, default: 0] += 1
        ofWorkspaces[workspace, default: 0] += 1
    }

    mutating func leave(address: Peer?, token: String, workspace: WorkspaceID) {
        if let address { ofAddresses.countDown(address) }
        ofTokens.countDown(token)
        ofWorkspaces.countDown(workspace)
    }

    private static func isReached(_ limit: Int, _ count: Int?) -> Bool { limit > 0 && (count ?? 0) >= limit }

    // MARK: - Requests

    /// Counts a request. Returns the nanoseconds that this address has to wait if it is over its rate, else 0.
    mutating func asked(_ address: Peer, at now: Int64) -> Int64 {
        guard limits.requestsPerSecondPerAddress > 0 else { return 0 }
        if requests[address] == nil {
            if requests.count >= ServerLimits.addressesMax { requests = requests.filter { !$0.value.isFull(at: now) } }
            guard requests.count < ServerLimits.addressesMax else { return requestsOfOthers.takeIfThere(1, at: now) }
        }
        return requests[address, default: Self.bucket(limits)].takeIfThere(1, at: now)
    }
}

extension Dictionary where Value == Int {
    /// Removes an entry that reaches zero.
    fileprivate mutating func countDown(_ key: Key) {
        guard let count = self[key] else { preconditionFailure("who leaves has entered") }
        self[key] = count > 1 ? count - 1 : nil
    }
}
