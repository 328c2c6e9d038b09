internal import ChannelAPNs
internal import HeliographHTTP2
internal import HeliographPlatform
internal import RelayProtocol

/// Handling of responses, and of requests that lost theirs.
extension LaneMachine {
    mutating func answered(
        _ flight: Flight, _ answer: APNsAnswer, _ tokens: inout ProviderTokenMachine, _ now: Moment
    ) {
        if let verdict = APNsVerdict(answer, at: now.unixSeconds) { self.verdict = verdict }
        if (200..<300).contains(answer.status) {
            authenticated(flight.generation)
            serverErrors = 0
            proven()
            return finish(flight.request, .accepted(answer.acceptance))
        }
        let remedy = answer.remedy
        if answer.status < 500 { serverErrors = 0 }
        switch remedy {
        case .renewProviderToken, .fixCredentials, .slowDownTeam, .reconnect, .retryLater: break
        case .fixRequest, .tryOtherEnvironment, .dropTokenIfOlder, .markProfile, .dropChannel, .enableBroadcast,
            .slowDownDevice:
            authenticated(flight.generation)
        }
        var request = flight.request
        switch remedy {
        case .fixRequest: finish(request, answer.refusal(.fixRequest))
        // If both environments are configured, the other one is tried.
        case .tryOtherEnvironment: finish(request, answer.refusal(.quarantineToken))
        case .dropTokenIfOlder:
            let isMeant = answer.timestamp.map { request.request.tokenRegisteredAt < $0 } ?? false
            finish(request, answer.refusal(isMeant ? .dropToken : .keepToken))
        case .markProfile: finish(request, answer.refusal(.markProfile))
        case .dropChannel: finish(request, answer.refusal(.dropChannel))
        case .enableBroadcast: finish(request, answer.refusal(.enableBroadcast))
        case .slowDownDevice: slowDown(request, answer, now)
        case .slowDownTeam:
            finish(request, answer.refusal(.sendLater))
            bar(answer.reason, now)
            leave(flight, now)
        case .renewProviderToken:
            tokens.expired(serial: flight.tokenSerial)
            // After this response the server sends nothing more on the connection.
            leave(flight, now)
            request.refusal = answer.refusal(.fixCredentials)
            guard request.isTokenRenewed else {
                request.isTokenRenewed = true
                return again(request, after: .zero, now)
            }
            credentialsRefused(request, answer, flight, now)
        case .fixCredentials: credentialsRefused(request, answer, flight, now)
        case .reconnect:
            leave(flight, now)
            request.refusal = answer.refusal(.sendLater)
            again(request, after: refusedBackoff(request), now)
        case .retryLater: serverFailed(request, answer, flight, now)
        }
    }

    mutating func streamEnded(_ flight: Flight, _ end: HTTP2StreamEnd, _ now: Moment) {
        // The end of a connection is reported after its streams; nothing more may be sent on it in between.
        if case .connectionLost = end, flight.generation == generation { retire(now, isFailure: !isProven) }
        switch end {
        case .reset(.refusedStream), .connectionLost(wasSent: false):
            again(flight.request, after: refusedBackoff(flight.request), now)
        case .connectionLost(wasSent: true): lost(flight.request, .connectionLost, now)
        case .deadlinePassed:
            lost(flight.request, .timedOut, now)
            // The server is slow, or the connection is dead.
            if flight.generation == generation { check(now) }
        case .reset(let code): lost(flight.request, .reset("reset by the server: \(code)"), now)
        case .resetHere(let code): lost(flight.request, .reset("the answer broke HTTP/2: \(code)"), now)
        case .tooLarge: lost(flight.request, .reset("the answer was too large"), now)
        case .answered: preconditionFailure("an answer is told with its message")
        }
    }

    /// The request's outcome is unknown.
    private mutating func lost(_ request: LaneRequest, _ uncertainty: APNsUncertainty, _ now: Moment) {
        var request = request
        request.uncertainty = uncertainty
        guard request.request.isHarmlessToRepeat else { return finish(request, .unknown(uncertainty)) }
        again(request, after: backoff(request), now)
    }

    private mutating func slowDown(_ request: LaneRequest, _ answer: APNsAnswer, _ now: Moment) {
        var request = request
        request.refusal = answer.refusal(.sendLater)
        let wait = pause(after: answer, request)
        if let device = request.request.deviceToken { backOff(device, until: now.instant + wait) }
        again(request, after: wait, now)
    }

    private mutating func backOff(_ device: String, until: MonotonicTime) {
        // Without room to record the address, the next 429 does.
        guard deviceBackOffs.count < limits.requestsMax else { return }
        deviceBackOffs[device] = max(deviceBackOffs[device] ?? until, until)
        wake(by: until)
    }

    private mutating func serverFailed(_ request: LaneRequest, _ answer: APNsAnswer, _ flight: Flight, _ now: Moment) {
        var request = request
        request.refusal = answer.refusal(.sendLater)
        serverErrors += 1
        let wait = pause(after: answer, request)
        if serverErrors >= limits.serverErrorsMax {
            // Other requests wait as well: a server with errors recovers sooner under less load.
            leave(flight, now)
            let more = serverErrors - limits.serverErrorsMax + 1
            if link == .idle { pause(for: dice.backoff(limits.backoffBase, doubled: more, max: limits.backoffMax), now) }
        }
        again(request, after: wait, now)
    }

    private mutating func credentialsRefused(
        _ request: LaneRequest, _ answer: APNsAnswer, _ flight: Flight, _ now: Moment
    ) {
        finish(request, answer.refusal(.fixCredentials))
        effects.append(.readKey)
        guard breaker.credentialsRefused(max: limits.credentialRefusalsMax) else { return }
        bar(answer.reason, now)
        leave(flight, now)
    }

    /// Retires the connection that brought a response, unless another has replaced it already.
    private mutating func leave(_ flight: Flight, _ now: Moment) {
        if flight.generation == generation { retire(now, isFailure: false) }
    }

    // MARK: Waits

    private mutating func pause(after answer: APNsAnswer, _ request: LaneRequest) -> Duration {
        max(backoff(request), .seconds(min(max(0, answer.retryAfter ?? 0), 3_600)))
    }

    private mutating func backoff(_ request: LaneRequest) -> Duration {
        dice.backoff(limits.backoffBase, doubled: request.attempts, max: limits.backoffMax)
    }

    /// The first retry is at once, because most often it was bad luck.
    private mutating func refusedBackoff(_ request: LaneRequest) -> Duration {
        guard request.attempts > 1 else { return .zero }
        return dice.backoff(limits.refusedBackoffBase, doubled: request.attempts - 1, max: limits.backoffMax)
    }
}
