package import PushPlanner
package import RelayProtocol

extension Relay {
    /// What an operator chooses, and what the relay says of itself.
    package struct Configuration: Sendable {
        /// Named in `welcome`.
        package var software: String
        package var heartbeat: Heartbeat
        package var retention: Retention
        package var quotas: Quotas
        package var push: PushSettings
        /// How many removed sessions have their places in memory.
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
