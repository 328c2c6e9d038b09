/// Rules for injected failures. The first rule that matches and is not used up applies.
package struct FaultScript: Sendable {
    package var rules: [Rule] = []

    package init(rules: [Rule] = []) { self.rules = rules }

    package struct Rule: Sendable {
        package var when: Match
        package var fault: Fault
        /// Number of times that it still applies; nil for always.
        package var timesLeft: Int?

        package init(when: Match, fault: Fault, timesLeft: Int? = 1) {
            self.when = when
            self.fault = fault
            self.timesLeft = timesLeft
        }
    }

    /// A condition: every field that is set must match.
    package struct Match: Sendable {
        /// Requests are counted from 1, over all connections.
        package var number: Int?
        package var every: Int?
        package var token: String?
        package var pathPrefix: String?
        package var pushType: String?

        package init() {}

        func holds(for subject: Subject) -> Bool {
            let request = subject.request
            if let number, number != subject.number { return false }
            if let every, subject.number % every != 0 { return false }
            if let token, request.path != "/3/device/\(token)" { return false }
            if let pathPrefix, !request.path.hasPrefix(pathPrefix) { return false }
            if let pushType, request.header("apns-push-type") != pushType { return false }
            return true
        }
    }

    /// A response that differs from the service's own.
    package struct Answer: Sendable {
        package var status: Int
        package var reason: Reason?
        /// Milliseconds since 1970, for 410.
        package var timestamp: Int64?
        package var retryAfterSeconds: Int64?

        package init(_ reason: Reason, timestamp: Int64? = nil, retryAfterSeconds: Int64? = nil) {
            status = reason.status
            self.reason = reason
            self.timestamp = timestamp
            self.retryAfterSeconds = retryAfterSeconds
        }

        init(status: Int, reason: Reason?, timestamp: Int64?, retryAfterSeconds: Int64?) {
            self.status = status
            self.reason = reason
            self.timestamp = timestamp
            self.retryAfterSeconds = retryAfterSeconds
        }
    }

    struct Subject {
        let number: Int
        let request: PushRequest
    }

    mutating func take(for subject: Subject) -> Fault? {
        guard let index = rules.firstIndex(where: { $0.timesLeft != 0 && $0.when.holds(for: subject) }) else { return nil }
        if let left = rules[index].timesLeft { rules[index].timesLeft = left - 1 }
        return rules[index].fault
    }
}
