package import PushPlanner
package import RelayProtocol

extension Relay {
    /// The operator's settings, and the relay's description of itself.
    package struct Configuration: Sendable {
        /// The relay's software name, as sent in `welcome`.
        package var software: String
        package var heartbeat: Heartbeat
        package var retention: Retention
        package var quotas: Quotas
        package var push: PushSettings
        /// Number of removed sessions whose positions are kept in memory.
        package var removedSessionsMax: Int

        package init(
            software: String, heartbeat: Heartbeat, retention: Retention = Retention(), quotas: Quotas = Quotas(),
            push: PushSettings = PushSettings(), removedSessionsMax: Int = Limits.removedSessionsMax
        ) {
            self.software = software
            self.heartbeat = heartbeat
            self.retention = retention
            self.quotas = quotas
            self.push = push
            self.removedSessionsMax = removedSessionsMax
        }
    }
}
