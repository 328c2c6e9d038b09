package import RelayProtocol

/// A command as the daemon hands it to the program that runs a session: in the relay's form, with the content of each picture.
package enum HandedCommand {
    package static func read(_ answer: [UInt8]) -> SteeringRequest? {
        guard case .steer(let request)? = try? MessageToHost(parsing: answer) else { return nil }
        guard !request.action.pictures.isEmpty else { return request }
        let entries = try? JSONDocument(parsing: answer).root.array("pictures")
        return request.with((entries ?? []).compactMap { $0.text("content") })
    }
}
