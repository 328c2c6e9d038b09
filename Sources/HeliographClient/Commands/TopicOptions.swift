internal import HeliographCrypto
internal import RelayProtocol

/// A topic of an ntfy server that is to be a device.
package struct TopicOptions {
    /// As it is pasted: `https://ntfy.sh/topic`.
    package var link: String
    /// An access token of the server's.
    package var token: String?
    /// Nil: after its server.
    package var name: String?
    /// Detail of its messages: `full`, `summary` or `generic`.
    package var text = "summary"
    package var offersAllow = false
    /// The device that it replaces; nil: a new one.
    package var replaced: String?

    package init(link: String) { self.link = link }

    private static let idBytes = 4

    func device() throws(ClientError) -> Device {
        guard let topic = NtfyTopic(link: link, token: token) else {
            throw ClientError(
                .usage, "a topic is a link such as https://ntfy.sh/topic, and a token is printable characters without a space")
        }
        guard let text = PushText.unsealed.first(where: { $0.rawValue == text }) else {
            let words = PushText.unsealed.map(\.rawValue).joined(separator: ", ")
            throw ClientError(.usage, "text is one of \(words)")
        }
        let id = replaced ?? "ntfy-\(Crypto.hex(Crypto.random(count: Self.idBytes)))"
        guard let id = DeviceID(id) else { throw ClientError(.usage, "\(id) is not the id of a device") }
        let name = name ?? "ntfy at \(topic.server)"
        guard name.utf8.count <= WireLimits.nameBytesMax else {
            throw ClientError(.usage, "a name has at most \(WireLimits.nameBytesMax) bytes")
        }
        var device = Device(
            id: id, name: name, profile: Device.profileOfTopics, address: .ntfy(topic), system: Device.profileOfTopics)
        (device.text, device.allowsOnLockScreen) = (text, offersAllow)
        return device
    }
}
