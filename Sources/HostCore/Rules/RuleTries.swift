internal import RelayProtocol

/// Result of trying rules on past requests.
package enum TriedRules: Sendable, Equatable {
    /// The result as JSON, at most `WireLimits.triedBytesMax`.
    case tried([UInt8])
    /// Nothing was tried, for this reason.
    case refused(String)

    func change(_ name: SteeringName) -> SteeringChange {
        switch self {
        case .tried(let answer):
            var change = SteeringChange(name, .taken)
            change.tried = answer
            return change
        case .refused(let reason):
            return SteeringChange(name, .refused, reason: TextCut.line(reason, bytesMax: WireLimits.lineBytesMax))
        }
    }
}

/// Tries of rules under way. Each reads some megabytes from the relay, and changes nothing.
struct RuleTries {
    /// Tries at a time: two people who look at the same time.
    static let countMax = 2

    private var open: [SteeringName: SteeringRequest] = [:]

    /// Returns false if too many tries are under way.
    mutating func begin(_ request: SteeringRequest) -> Bool {
        guard open.count < Self.countMax else { return false }
        open[request.name] = request
        return true
    }

    /// The request that waits for this try; nil if there is none.
    mutating func end(_ name: SteeringName) -> SteeringRequest? { open.removeValue(forKey: name) }
}
