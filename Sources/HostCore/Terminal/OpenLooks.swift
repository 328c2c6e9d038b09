internal import RelayProtocol

/// Looks at terminals that wait for an answer of the process that holds the terminal, with their sessions.
struct OpenLooks {
    /// Looks at a time: more than a relay passes on.
    static let countMax = 256

    private var sessions: [SteeringName: SessionID] = [:]

    /// Returns false if too many looks wait already.
    mutating func began(_ call: ScreenCall) -> Bool {
        guard sessions.count < Self.countMax else { return false }
        sessions[call.name] = call.session
        return true
    }

    /// Ends this look. Returns the session that it showed; nil if there is no such look.
    mutating func ended(_ name: SteeringName) -> SessionID? { sessions.removeValue(forKey: name) }
}
