internal import RelayProtocol

/// Looks at terminals that wait for the process that holds the terminal, with their sessions.
struct OpenLooks {
    /// More than a relay passes on at a time.
    static let countMax = 256

    private var sessions: [SteeringName: SessionID] = [:]

    /// False: so many wait already.
    mutating func began(_ call: ScreenCall) -> Bool {
        guard sessions.count < Self.countMax else { return false }
        sessions[call.name] = call.session
        return true
    }

    /// The session that was looked at; nil if the name is of no look.
    mutating func ended(_ name: SteeringName) -> SessionID? { sessions.removeValue(forKey: name) }
}
