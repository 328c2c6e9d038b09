internal import Consent
internal import ConsentKeys
internal import DeviceConsent
internal import RelayProtocol

extension ContentOpener {
    init(_ trusted: @escaping EpochKeys.Trusted, remembering: @escaping EpochKeys.Remember = { _, _, _ in }) {
        self.init(.openSSL, nonce: { .random() }, trusted, remembering: remembering)
    }

    /// A sentence for each host whose content this terminal cannot open, which says how to get its key.
    var advice: [String] {
        Set(sessions.values).filter { !keys.canOpen($0) }.map { host in
            let name = VisibleText.line(hostNames[host] ?? "its host")
            return keys.isPinned(host)
                ? "\(name) seals its content, and has no key for this terminal yet: it is asked when it is next there"
                : "\(name) seals its content, and does not trust this terminal: heliograph host trust, at that machine, and here: heliograph trust LINK"
        }.sorted()
    }
}

extension ClientError {
    /// `advice`: how to get a key.
    init(_ fault: SealingError, advice: String?) {
        switch fault.code {
        case .tooLong: self.init(.usage, fault.message)
        case .notOffered: self.init(.refused, fault.message)
        case .unknownHost: self.init(.refused, fault.message, advice: "Deny it without words.")
        case .noKey: self.init(.refused, fault.message, advice: advice)
        case .oldKey:
            self.init(
                .refused, fault.message,
                advice:
                    "Once the host is there it offers the key. If not, trust it anew: heliograph host trust, at that machine.")
        }
    }
}
