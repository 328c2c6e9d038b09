/// What a response shows about our credentials.
package struct APNsVerdict: Equatable, Sendable {
    /// Apple's reason if they are refused, or are not this app's; nil if they are accepted.
    package var refusal: String?
    /// Seconds since 1970.
    package var unixSeconds: Int64

    init(refusal: String?, unixSeconds: Int64) {
        self.refusal = refusal
        self.unixSeconds = unixSeconds
    }

    /// Nil if the response shows nothing about them.
    init?(_ answer: APNsAnswer, at unixSeconds: Int64) {
        self.unixSeconds = unixSeconds
        guard !(200..<300).contains(answer.status) else { return }
        switch answer.remedy {
        case .renewProviderToken, .fixCredentials, .slowDownTeam, .markProfile:
            refusal = answer.reasonText.isEmpty ? "\(answer.status)" : answer.reasonText
        case .fixRequest, .tryOtherEnvironment, .dropTokenIfOlder, .dropChannel, .enableBroadcast, .slowDownDevice: break
        case .reconnect, .retryLater: return nil
        }
    }
}
