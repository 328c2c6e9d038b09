package import RelayProtocol

/// Outcome of a request. Every request that was submitted gets exactly one.
package struct APNsOutcome: Equatable, Sendable {
    package enum Result: Equatable, Sendable {
        /// APNs accepted it. That proves nothing about delivery to the device.
        case accepted(APNsAcceptance)
        /// APNs refused it, and it is not sent again. `text` is Apple's reason, even an unknown one.
        case refused(status: Int, APNsReason?, text: String, PushAdvice)
        /// APNs may have accepted it: no answer came, and a repeat would not be harmless or did not help.
        case unknown(APNsUncertainty)
        /// APNs did not get it.
        case notSent(APNsObstacle)
    }

    package var result: Result
    /// Environment of the last attempt. The caller should store it: it differs from the request's if the token turned out to belong
    /// to the other one.
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
    /// 200; for channels also 201 and 204.
    package var status: Int
    /// `apns-unique-id`, by which Apple's console finds it; in the sandbox only.
    package var uniqueID: String?
    /// `apns-channel-id` of a channel that was made; base64.
    package var channelID: String?
    /// JSON of a channel that was read, or a list of channels.
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
    /// The request expired before it could be sent; the sentence says what prevented it, if known.
    case patienceOver(String?)
    /// Apple refuses our credentials; except for occasional attempts, nothing is sent until it accepts them.
    case breakerOpen(APNsReason?)
    /// The limit of waiting requests is reached.
    case queueFull
    /// There is no usable key for this team and environment; a sentence for the operator.
    case noKey(String)
    /// A later request for the same notification replaces it.
    case superseded
    /// Its caller withdrew it before it was sent.
    case withdrawn
    /// One of its headers cannot be sent.
    case invalidRequest
    /// Another client replaces this one, and is to send it.
    case replaced
    /// The client was stopped.
    case stopped
}
