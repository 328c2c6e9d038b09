import Consent
import RelayProtocol

/// A command as a device meant it when it signed.
struct SignedCommand: Equatable {
    var host: KeyID
    var session: SessionID
    var command: CommandID
    var action: SteeringAction
    var count: Int64
    var device: KeyID

    var statement: any Statement {
        action.statement(host: host, session: session, command: command, count: count, device: device, .simulated)
    }
}
