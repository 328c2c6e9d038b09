/// Apple's push service and the devices behind it, as one pure machine: requests and times go in, orders come out.
///
/// A request is checked by the fault script first, then the connection's provider token (`Provider/`), the headers and the
/// payload's size (`Service/`), and the token registry. If it passes, it is answered 200 and given to the device (`Device/`), which
/// may still ignore it silently, like real ones. The journal records all steps.
///
/// Where Apple publishes no rule this is stricter than the real service: see decision 0012.
package struct APNsSimulator {
    package let configuration: Configuration
    let verifier: any TokenVerifier

    /// The developers' accounts.
    var apps: [String: AppRecord] = [:]
    var keys: [String: ProviderKey] = [:]
    var tokens: [String: DeviceToken] = [:]
    var channels: [String: Channel] = [:]

    var connections: [ConnectionNumber: Connection] = [:]
    /// Provider token of each team, for `Configuration.tokenUpdateScope == .team`.
    var teamTokens: [String: (token: String, since: Int64)] = [:]
    var tokenBursts: [String: Budget] = [:]
    package internal(set) var devices: [DeviceID: Device] = [:]
    /// Time at which each device next does something by itself.
    var deadlines: [DeviceID: Int64] = [:]

    package var script = FaultScript()
    var requestCount = 0
    var mint: IdentifierMint
    private var entries: [JournalEntry] = []

    package struct Configuration: Sendable {
        /// Streams allowed on a connection after its first authenticated request.
        package var streamLimit = 1000
        package var pushTypes = PushType.known
        /// Apple enforces the 20 minutes for each connection; `team` tests clients that share tokens across connections.
        package var tokenUpdateScope = TokenUpdateScope.connection
        /// True to accept `iat` as a string, as some senders write it and Apple seems to accept.
        package var takesTextIssuedAt = false
        /// Tolerance for a sender's clock that is ahead.
        package var clockSkewSecondsMax: Int64 = 60
        /// Limit of pushes to one token: the size of a burst, and the milliseconds until each further one. Nil for no limit.
        package var tokenBurst: (count: Int, refillMilliseconds: Int64)?
        /// Milliseconds after which an idle connection is closed with `IdleTimeout`; nil for never.
        package var idleMillisecondsMax: Int64?
        /// Channels of one app in one environment.
        package var channelsMax = 10_000
        /// Limits for a provider whose pushes are refused too often: it first gets fewer streams, then is disconnected. A refusal
        /// counts 1, a bad device token 4, a 410 nothing, and an accepted push subtracts 1. Apple says that it does so, not when.
        package var refusalsUntilSlow = 40
        package var refusalsUntilOut = 80
        /// Apps that `install` may name.
        package var knownApps = Dictionary(uniqueKeysWithValues: KnownApp.allCases.map { ($0.rawValue, $0.activityTypes) })
        package var seed: UInt64 = 1

        package init() {}
    }

    package enum TokenUpdateScope: String, Sendable { case connection, team }

    /// An app as the developer registered it.
    package struct AppRecord: Sendable {
        package var team: String
        package var hasBroadcast: Bool

        package init(team: String, hasBroadcast: Bool = false) {
            self.team = team
            self.hasBroadcast = hasBroadcast
        }
    }

    package init(configuration: Configuration = Configuration(), verifier: any TokenVerifier) {
        self.configuration = configuration
        self.verifier = verifier
        mint = IdentifierMint(seed: configuration.seed)
    }

    // MARK: - The life of a connection

    package mutating func connected(_ id: ConnectionNumber, to endpoint: Endpoint, at now: Int64) -> [Order] {
        connections[id] = Connection(endpoint: endpoint, lastUsedAt: now)
        note(.connected(id, endpoint), at: now)
        return [.limitStreams(1)]
    }

    /// A stream was opened. Returns false if it exceeds the limit: it is to be refused (`REFUSED_STREAM`) and never reaches
    /// `handle`.
    package mutating func opened(stream: Int32, on id: ConnectionNumber, at now: Int64) -> Bool {
        guard let connection = connections[id] else { return false }
        guard connection.openStreams.count < connection.streamLimit else {
            note(.refusedStream(id, stream: stream, limit: connection.streamLimit), at: now)
            return false
        }
        connections[id]?.openStreams.insert(stream)
        return true
    }

    package mutating func closed(stream: Int32, on id: ConnectionNumber) { connections[id]?.openStreams.remove(stream) }

    package mutating func disconnected(_ id: ConnectionNumber, at now: Int64) {
        guard connections.removeValue(forKey: id) != nil else { return }
        note(.disconnected(id), at: now)
    }

    // MARK: - One request

    /// `now` is in milliseconds since 1970.
    package mutating func handle(
        _ request: PushRequest, stream: Int32, on id: ConnectionNumber, at now: Int64
    ) -> [Order] {
        guard connections[id] != nil else { return [] }
        requestCount += 1
        connections[id]?.lastUsedAt = now
        advance(to: now)
        let subject = FaultScript.Subject(number: requestCount, request: request)
        let fault = script.take(for: subject)
        var record = RequestRecord(
            number: requestCount, connection: id, stream: stream, environment: connections[id]?.endpoint.environment,
            request: request, fault: fault?.name)
        var orders: [Order] = []
        if let fault, !fault.isProcessed {
            if let answer = fault.answer { orders = [.answer(scripted(answer, to: request), after: fault.delay)] }
        } else {
            let response = answer(request, on: id, record: &record, copies: fault?.copies ?? 1, at: now)
            orders = limitRaise(on: id) + [.answer(response, after: fault?.delay ?? 0)] + penalty(for: response, on: id)
        }
        if let fault { orders = fault.turn(orders) }
        apply(orders, to: id)
        record.answer(in: orders)
        note(.request(record), at: now)
        return orders
    }

    private mutating func answer(
        _ request: PushRequest, on id: ConnectionNumber, record: inout RequestRecord, copies: Int, at now: Int64
    ) -> Response {
        let idName = request.path.hasPrefix("/3/") ? "apns-id" : "apns-request-id"
        // The header is sent even if the request is refused for another reason: senders match responses by it.
        let sentID = request.header(idName).flatMap { PushHeaders.isCanonicalUUID($0) ? $0 : nil }
        let headers = [(name: idName, value: sentID ?? mint.uuid())]
        do throws(RefusalError) {
            guard !request.hasDuplicateHeaders else { throw RefusalError(.duplicateHeaders) }
            let route = try Route(request, service: connections[id]?.endpoint.service ?? .push)
            try authorize(request, on: id, at: now)
            var response = try route.answer(request, self: &self, on: id, id: headers[0].value, copies: copies, &record, now)
            response.headers = headers + response.headers
            return response
        } catch {
            return .refusal(error.reason, timestamp: error.timestamp, headers: headers)
        }
    }

    /// Raises a connection's limit of streams once it is authenticated.
    private mutating func limitRaise(on id: ConnectionNumber) -> [Order] {
        guard let connection = connections[id], connection.identity != nil, !connection.isRaised else { return [] }
        connections[id]?.isRaised = true
        return [.limitStreams(configuration.streamLimit)]
    }

    private mutating func penalty(for response: Response, on id: ConnectionNumber) -> [Order] {
        guard let before = connections[id]?.refusals else { return [] }
        let points =
            switch response.reason {
            case nil: -1
            case .unregistered, .expiredToken: 0
            case .badDeviceToken: 4
            default: (400..<500).contains(response.status) ? 1 : 0
            }
        let after = max(0, before + points)
        connections[id]?.refusals = after
        if after >= configuration.refusalsUntilOut { return [.goAway(lastStream: .all, reason: nil, closes: true)] }
        let isSlowed = before < configuration.refusalsUntilSlow && after >= configuration.refusalsUntilSlow
        guard isSlowed, connections[id]?.identity != nil else { return [] }
        return [.limitStreams(max(1, configuration.streamLimit / 10))]
    }

    private mutating func apply(_ orders: [Order], to id: ConnectionNumber) {
        for case .limitStreams(let limit) in orders { connections[id]?.streamLimit = limit }
    }

    private mutating func scripted(_ answer: FaultScript.Answer, to request: PushRequest) -> Response {
        let idName = request.path.hasPrefix("/3/") ? "apns-id" : "apns-request-id"
        var headers = [(name: idName, value: request.header(idName) ?? mint.uuid())]
        if let seconds = answer.retryAfterSeconds { headers.append((name: "retry-after", value: String(seconds))) }
        guard let reason = answer.reason else { return .success(answer.status, headers: headers) }
        return .refusal(reason, status: answer.status, timestamp: answer.timestamp, headers: headers)
    }

    // MARK: - Time

    /// Advances the devices to `now`, and closes connections that were idle for too long.
    package mutating func pass(to now: Int64) -> [(ConnectionNumber, Order)] {
        advance(to: now)
        guard let limit = configuration.idleMillisecondsMax else { return [] }
        return connections.filter { $0.value.openStreams.isEmpty && now - $0.value.lastUsedAt >= limit }.keys
            .sorted { $0.value < $1.value }
            .map { id in
                note(.goAway(id, .idleTimeout), at: now)
                // Sent once; the transport closes the connection.
                connections[id]?.lastUsedAt = now
                return (id, .goAway(lastStream: .all, reason: .idleTimeout, closes: true))
            }
    }

    /// Time at which `pass(to:)` next has something to do; nil for none.
    package var nextDeadline: Int64? {
        let quiet = connections.values.filter(\.openStreams.isEmpty)
        let idle = configuration.idleMillisecondsMax.map { limit in quiet.map { $0.lastUsedAt + limit } } ?? []
        return (Array(deadlines.values) + idle).min()
    }

    // MARK: - Journal

    mutating func note(_ what: JournalEntry.What, at now: Int64) { entries.append(JournalEntry(at: now, what: what)) }

    /// Removes and returns the entries since the last call, in order.
    package mutating func takeJournal() -> [JournalEntry] {
        defer { entries = [] }
        return entries
    }
}
