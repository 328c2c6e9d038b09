internal import RelayProtocol

extension SteeringName {
    /// Under which it is noted that its agent may have been given it. No identifier has a dot, so that no key of an agent begins so.
    var note: String { "steering.\(client.rawValue).\(command.rawValue)" }

    init?(note: String) {
        let parts = note.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "steering", let client = ClientID(String(parts[1])),
            let command = CommandID(String(parts[2]))
        else { return nil }
        self.init(client: client, command: command)
    }
}
