internal import RelayProtocol

extension SteeringName {
    /// Key of the note that the command may have been given to its agent. No identifier has a dot, so no agent's key begins like
    /// this.
    var note: String { "steering.\(client.rawValue).\(command.rawValue)" }

    init?(note: String) {
        let parts = note.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "steering", let client = ClientID(String(parts[1])),
            let command = CommandID(String(parts[2]))
        else { return nil }
        self.init(client: client, command: command)
    }
}
