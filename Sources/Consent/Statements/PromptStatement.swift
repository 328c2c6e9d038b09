package import RelayProtocol

/// A prompt, as a device signs it.
///
/// ```
/// domain("prompt") ‖ LP(host) ‖ LP(session) ‖ LP(command id) ‖ LP(detail) ‖ u64 count ‖ LP(device)
/// ```
/// `detail` is SHA-256 of the text's UTF-8 for a plain prompt: one that queues, is no command of the agent and has no pictures. Of every other
/// it is SHA-256 of
/// ```
/// 0xFF ‖ LP(text) ‖ u8 command (0 or 1) ‖ LP("queue"|"steer"|"refuse") ‖ u32 n ‖ n × (LP(SHA-256 of the picture, 32 bytes) ‖ LP(its type, "image/png"))
/// ```
/// UTF-8 has no byte 0xFF, so no text is signed as another prompt.
package struct PromptStatement: Statement {
    package var host: KeyID
    package var session: SessionID
    package var command: CommandID
    package var detail: ConsentHash
    /// Higher than in every earlier prompt, command or letter of this device to this host.
    package var count: Int64
    package var device: KeyID

    package init(
        host: KeyID, session: SessionID, command: CommandID, prompt: SteeringAction.Prompt, count: Int64, device: KeyID,
        _ crypto: ConsentCrypto
    ) {
        self.host = host
        self.session = session
        self.command = command
        detail = crypto.hash(prompt.signedContent)
        self.count = count
        self.device = device
    }

    package var number: Int64 { count }

    package var bytes: [UInt8] {
        var writer = StatementWriter(domain: "prompt")
        writer.part(host)
        writer.part(session.rawValue)
        writer.part(command.rawValue)
        writer.part(detail)
        writer.number(UInt64(count))
        writer.part(device)
        return writer.bytes
    }
}

extension SteeringAction.Prompt {
    fileprivate var signedContent: [UInt8] {
        if !isCommand, pictures.isEmpty, whenBusy == .queue { return Array(text.utf8) }
        var writer = StatementWriter()
        writer.raw([0xFF])
        writer.part(text)
        writer.number(UInt8(isCommand ? 1 : 0))
        writer.part(whenBusy.rawValue)
        writer.pictures(pictures)
        return writer.bytes
    }
}

extension StatementWriter {
    mutating func pictures(_ pictures: [Picture]) {
        number(UInt32(pictures.count))
        for picture in pictures {
            part(picture.digest.bytes)
            part(picture.type.rawValue)
        }
    }
}
