import HeliographHTTP2
import Testing

@testable import PushWeb

/// A machine, a clock controlled by the test, and the orders; reads as a transcript.
struct OriginTranscript {
    var machine: OriginMachine
    var now = Moment(instant: MonotonicTime(nanoseconds: 1), unixSeconds: 1_795_178_096)
    private var lastNumber = 0
    private var tokens = 0
    /// Time to live of the last request.
    private(set) var lastSecondsToLive = 0

    init(_ change: (inout WebPushLimits) -> Void = { _ in }) {
        var limits = WebPushLimits()
        change(&limits)
        machine = OriginMachine(limits: limits, seed: 7)
    }

    enum Order: Equatable {
        case connect(Int)
        case close(Int)
        case sign
        /// Numbers of request and connection, and the token.
        case send(Int, Int, String)
        case finish(Int, WebPushOutcome.Result)
    }

    /// Returns the orders; tokens are signed on the way.
    mutating func handle(_ input: OriginMachine.Input) -> [Order] {
        var orders: [Order] = []
        for effect in machine.handle(input, at: now) {
            switch effect {
            case .connect(let generation): orders.append(.connect(generation))
            case .close(let generation): orders.append(.close(generation))
            case .sign:
                tokens += 1
                orders.append(.sign)
                orders += handle(.signed("token\(tokens)"))
            case .send(let attempt, let generation, let token, let secondsToLive, _):
                lastSecondsToLive = secondsToLive
                orders.append(.send(attempt.number, generation, token))
            case .finish(let number, let outcome): orders.append(.finish(number, outcome.result))
            }
        }
        return orders
    }

    /// Submits a request. Numbers count from 1.
    mutating func submit(
        to phone: String = "a", about topic: String? = nil, secondsToLive: Int = 3_600,
        urgency: WebPushMessage.Urgency = .normal, patience: Duration = .seconds(60)
    ) throws -> [Order] {
        lastNumber += 1
        let subscription = try Browser.subscription("https://web.push.apple.com/phone-\(phone)")
        let request = try WebPushRequest.sample(
            to: subscription, about: topic, secondsToLive: secondsToLive, urgency: urgency, patience: patience)
        return handle(.submitted(number: lastNumber, request))
    }

    mutating func answer(_ number: Int, _ status: Int, _ text: String = "", after: Duration? = nil) -> [Order] {
        handle(.answered(number, WebPushAnswer(status: status, text: text, retryAfter: after)))
    }

    mutating func end(_ number: Int, _ end: HTTP2StreamEnd) -> [Order] { handle(.streamEnded(number, end)) }

    /// Time passes, and the machine is woken when it asked for it.
    mutating func pass(_ duration: Duration) -> [Order] {
        let end = now.instant + duration
        var orders: [Order] = []
        while let due = machine.wakeAt, due <= end {
            advance(to: max(due, now.instant))
            orders += handle(.timePassed)
        }
        advance(to: end)
        return orders
    }

    private mutating func advance(to instant: MonotonicTime) {
        let start = now
        now.instant = instant
        now.unixSeconds = start.unixSeconds + instant.nanoseconds / 1_000_000_000 - start.instant.nanoseconds / 1_000_000_000
    }

    /// Up to a connection that is open: request 1, to phone `z`, is answered.
    static func open(streamsMax: Int = 100, _ change: (inout WebPushLimits) -> Void = { _ in }) throws -> OriginTranscript {
        var transcript = OriginTranscript(change)
        #expect(try transcript.submit(to: "z") == [.connect(1)])
        #expect(transcript.handle(.connected(generation: 1, streamsMax: streamsMax)) == [.sign, .send(1, 1, "token1")])
        #expect(transcript.answer(1, 201) == [.finish(1, .accepted(status: 201))])
        return transcript
    }

    static func refused(
        _ status: Int, _ advice: WebPushAdvice, _ text: String = "", after: Duration? = nil
    ) -> WebPushOutcome.Result {
        .refused(WebPushRefusal(status: status, text: text, retryAfter: after), advice)
    }
}
