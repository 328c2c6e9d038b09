internal import HeliographCrypto
internal import RelayProtocol

/// A topic of an ntfy server, or a receiver, to be added as a device.
package struct TopicOptions {
    /// The topic's pasted address, `https://ntfy.sh/topic`, or a receiver's name.
    package var link: String
    /// An access token for the ntfy server.
    package var token: String?
    /// The device's name; nil to name it after its server.
    package var name: String?
    /// Detail of its messages: `full`, `summary` or `generic`.
    package var text = "summary"
    /// Language of the relay's own words, as a BCP 47 tag; nil for English.
    package var language: String?
    package var offersAllow = false
    /// The device that it replaces; nil for a new one.
    package var replaced: String?

    package init(link: String) { self.link = link }

    private static let idBytes = 4

    func device() throws(ClientError) -> Device {
        let address = try address()
        guard let text = PushText.unsealed.first(where: { $0.rawValue == text }) else {
            let words = PushText.unsealed.map(\.rawValue).joined(separator: ", ")
            throw ClientError(.usage, "text is one of \(words)")
        }
        let id = replaced ?? "\(address.service.rawValue)-\(Crypto.hex(Crypto.random(count: Self.idBytes)))"
        guard let id = DeviceID(id) else { throw ClientError(.usage, "\(id) is not the id of a device") }
        let name = name ?? address.standardName
        guard name.utf8.count <= WireLimits.nameBytesMax else {
            throw ClientError(.usage, "a name has at most \(WireLimits.nameBytesMax) bytes")
        }
        var device = Device(
            id: id, name: name, profile: address.service.rawValue, address: address, system: address.service.rawValue)
        guard language.map(Device.isLanguage) != false else {
            throw ClientError(.usage, "a language is named by a tag such as de or de-AT")
        }
        (device.text, device.language, device.allowsOnLockScreen) = (text, language, offersAllow)
        return device
    }

    private func address() throws(ClientError) -> DeviceAddress {
        if Receiver.isName(link) {
            guard token == nil else { throw ClientError(.usage, "a receiver takes no token") }
            return .receiver(Receiver(link))
        }
        guard let topic = NtfyTopic(link: link, token: token) else {
            throw ClientError(
                .usage,
                "a topic is a link such as https://ntfy.sh/topic, and a token is printable characters without a space; a receiver is a name such as mail"
            )
        }
        return .ntfy(topic)
    }
}

extension DeviceAddress {
    fileprivate var standardName: String {
        switch self {
        case .ntfy(let topic?): "ntfy at \(topic.server)"
        case .receiver(let receiver?): receiver.name
        case .apns, .web, .ntfy, .receiver: service.rawValue
        }
    }
}
