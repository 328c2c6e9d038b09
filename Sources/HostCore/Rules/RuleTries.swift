internal import RelayProtocol

/// Result of holding rules against what was asked before.
package enum TriedRules: Sendable, Equatable {
    /// JSON of at most `WireLimits.triedBytesMax`.
    case tried([UInt8])
    /// The reason.
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
    /// Two people who look at the same time.
    static let countMax = 2

    private var open: [SteeringName: SteeringRequest] = [:]

    /// False: so many are under way already.
    mutating func begin(_ request: SteeringRequest) -> Bool {
        guard open.count < Self.countMax else { return false }
        open[request.name] = request
        return true
    }

    /// Nil if nobody waits for it.
    mutating func end(_ name: SteeringName) -> SteeringRequest? { open.removeValue(forKey: name) }
}
