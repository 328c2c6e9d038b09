import PushPlanner
import RelayProtocol
import Synchronization
import Testing

@testable import HeliographServer
@testable import PushWeb

/// Answers every request with the given result.
private final class Answering: WebPushSender {
    let result = Mutex<WebPushOutcome.Result>(.accepted(status: 200))
    let taken = Mutex<[WebPushRequest]>([])

    func submit(_ request: WebPushRequest, then completion: @escaping @Sendable (WebPushOutcome) -> Void) {
        taken.withLock { $0.append(request) }
        completion(WebPushOutcome(result.withLock(\.self), attempts: 1))
    }

    func withdraw(_ id: String) {}
    func origins() async -> [WebPushOriginState] { [] }
    func stop() {}
}

@Suite("The way to a webhook") struct WebhookLaneTests {
    private let sender = Answering()
    private let clock = Clock()
    private let lane: WebhookLane

    private final class Clock: Sendable {
        let day = Mutex<Int64>(0)
    }

    init() throws {
        let receivers = try Receivers(
            parsing: Array(
                #"{"receivers":[{"name":"chat","url":"https://chat.example.org/x","secret":"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}]}"#
                    .utf8), file: "receivers.json")
        guard case .webhook(let webhook)? = receivers.entries.first?.way else {
            throw WireError(.badValue, at: "$", "no webhook")
        }
        let clock = clock
        lane = WebhookLane("chat", webhook, sender) { clock.day.withLock { $0 * 86_400_000 } }
    }

    /// Submits a push on this day.
    private func outcome(on day: Int64, _ result: WebPushOutcome.Result) -> PushOutcome? {
        clock.day.withLock { $0 = day }
        sender.result.withLock { $0 = result }
        let heard = Mutex<PushOutcome?>(nil)
        lane.submit(
            ReceiverJob(id: "id-\(day)", replaces: "a", document: Array("{}".utf8), worthUntil: .max / 2) { outcome in
                heard.withLock { $0 = outcome }
            })
        return heard.withLock(\.self)
    }

    private static let down = WebPushOutcome.Result.refused(WebPushRefusal(status: 503, text: "down"), .sendLater)

    @Test("its id names the push, and what it says is said to the operator until it takes one")
    func troubles() {
        #expect(outcome(on: 0, Self.down) == .refused(.sendLater, text: "503 down"))
        #expect(lane.shown.trouble == "503 down" && lane.shown.accepted == 0 && lane.shown.running == 0)
        #expect(outcome(on: 1, .accepted(status: 204)) == .accepted(.production, channel: nil))
        #expect(lane.shown.trouble == nil && lane.shown.accepted == 1)
        #expect(sender.taken.withLock { $0.map(\.id) } == ["id-0", "id-1"])
    }

    @Test("nothing but failures for days disables it, and is said")
    func disabled() {
        _ = outcome(on: 0, Self.down)
        _ = outcome(on: 4, Self.down)
        #expect(lane.shown.trouble == "503 down")
        _ = outcome(on: 5, Self.down)
        let count = sender.taken.withLock(\.count)
        #expect(outcome(on: 6, .accepted(status: 200)) == .refused(.fixRequest, text: WebhookLane.disabledSentence))
        #expect(sender.taken.withLock(\.count) == count && lane.shown.trouble == WebhookLane.disabledSentence)
    }

    @Test("one that was taken in between begins the days anew, and what is our own doing does not count")
    func enabled() {
        _ = outcome(on: 0, Self.down)
        _ = outcome(on: 4, .accepted(status: 200))
        for result in [Self.down, .notSent(.superseded), .notSent(.withdrawn), .notSent(.stopped)] {
            _ = outcome(on: 6, result)
        }
        #expect(outcome(on: 10, .accepted(status: 200)) == .accepted(.production, channel: nil))
        for day in 20...40 { _ = outcome(on: Int64(day), .notSent(.superseded)) }
        #expect(lane.shown.trouble == nil)
    }
}
