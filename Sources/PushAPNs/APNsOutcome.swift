package import RelayProtocol

/// Outcome of a request. Every request that was submitted gets exactly one.
package struct APNsOutcome: Equatable, Sendable {
    package enum Result: Equatable, Sendable {
        /// APNs took it. That says nothing about the device.
        case accepted(APNsAcceptance)
        /// APNs refused it, and it is not sent again. `text` is Apple's reason, even if we do not know it.
        case refused(status: Int, APNsReason?, text: String, PushAdvice)
        /// APNs may have accepted it: no answer came, and a repeat would not be harmless or did not help.
        case unknown(APNsUncertainty)
        /// APNs has not got it.
        case notSent(APNsObstacle)
    }

    package var result: Result
    /// Environment of the last attempt. Differs from the request's if the token turned out to be of the other one: remember it.
    package var environment: PushEnvironment
    /// Number of times that the request was sent.
    package var attempts: Int

    package init(result: Result, environment: PushEnvironment, attempts: Int) {
        self.result = result
        self.environment = environment
        self.attempts = attempts
    }
}

package struct APNsAcceptance: Equatable, Sendable {
    /// 200; of channels also 201 and 204.
    package var status: Int
    /// `apns-unique-id`, by which Apple's console finds it; in the sandbox only.
    package var uniqueID: String?
    /// `apns-channel-id` of a channel that was made; base64.
    package var channelID: String?
    /// JSON, of channels that were read or listed.
    package var body: [UInt8] = []

    package init(status: Int) { self.status = status }
}

package enum APNsUncertainty: Equatable, Sendable {
    /// No answer in time.
    case timedOut
    /// The connection ended before the answer.
    case connectionLost
    /// The stream was reset; the sentence names the code.
    case reset(String)
}

package enum APNsObstacle: Equatable, Sendable {
    /// There was no way to send it in the time it was worth sending; the sentence says what stood in the way, if anything did.
    case patienceOver(String?)
    /// Apple refuses our credentials; nothing is sent until then, but for a try now and then.
    case breakerOpen(APNsReason?)
    /// As many requests wait as are allowed.
    case queueFull
    /// There is no usable key for this team and environment; a sentence for the operator.
    case noKey(String)
    /// A later one about the same notification is to be sent in its place.
    case superseded
    /// Its caller withdrew it before it was sent.
    case withdrawn
    /// A header of it cannot be sent.
    case invalidRequest
    /// Another client has taken this one's place, and is to send it.
    case replaced
    /// The client ends.
    case stopped
}
