import PushPlanner
import PushWeb
import RelayProtocol
import Synchronization

/// Pushes to one of the operator's webhooks. They are sent by the client of push services, with its queues, retries and address
/// check.
///
/// A webhook that has only failed for days is not called any more until the relay restarts.
final class WebhookLane: ReceiverLane {
    private struct Health {
        var open = 0
        var accepted: Int64 = 0
        var trouble: String?
        /// Time since which every push has failed, in milliseconds since 1970.
        var failingSince: Int64?
        var isDisabled = false
    }

    /// Standard Webhooks recommends disabling an endpoint after several days of failures; a weekend should not be enough.
    static let failingDaysMax: Int64 = 5
    static let disabledSentence =
        "it is not called any more, since nothing but failures came for \(failingDaysMax) days: mend it, then restart the relay"
    private static let dayMilliseconds: Int64 = 24 * 60 * 60 * 1_000

    private let name: String
    private let webhook: Receivers.Webhook
    private let sender: any WebPushSender
    /// The clock, in milliseconds since 1970.
    private let now: @Sendable () -> Int64
    private let state = Mutex(Health())

    init(
        _ name: String, _ webhook: Receivers.Webhook, _ sender: any WebPushSender,
        now: @escaping @Sendable () -> Int64 = { WallClock.milliseconds }
    ) { (self.name, self.webhook, self.sender, self.now) = (name, webhook, sender, now) }

    var shown: ReceiverState {
        state.withLock {
            ReceiverState(name: name, waiting: 0, running: $0.open, accepted: $0.accepted, trouble: $0.trouble)
        }
    }

    func submit(_ job: ReceiverJob) {
        let isDisabled = state.withLock { state in
            if !state.isDisabled { state.open += 1 }
            return state.isDisabled
        }
        // A retry would have the same result, so the planner makes none.
        guard !isDisabled else { return job.completion(.refused(.fixRequest, text: Self.disabledSentence)) }
        let left = max(1, job.worthUntil - now())
        do throws(WebPushError) {
            let message = try WebPushMessage(
                json: job.document, topic: job.replaces.map { WebPushTopic([$0]) }, secondsToLive: Int(left / 1_000),
                urgency: .high)
            var request = WebPushRequest(to: webhook.endpoint, signedWith: webhook.secret, message)
            request.id = job.id
            request.patience = .milliseconds(min(left, PushIntent.patienceMax))
            sender.submit(request) { [self] in ended(job, $0) }
        } catch { ended(job, WebPushOutcome.Result.notSent(.invalidRequest), PushOutcome.notSent(error.message)) }
    }

    func withdraw(_ id: String) { sender.withdraw(id) }

    /// Its requests are stopped with `sender`, by the owner of that.
    func stop() {}

    private func ended(_ job: ReceiverJob, _ outcome: WebPushOutcome) { ended(job, outcome.result, PushOutcome(outcome)) }

    private func ended(_ job: ReceiverJob, _ result: WebPushOutcome.Result, _ outcome: PushOutcome) {
        let now = now()
        state.withLock { state in
            state.open -= 1
            guard !result.isOwn else { return }
            guard case .accepted = outcome else {
                let since = state.failingSince ?? now
                state.failingSince = since
                state.isDisabled = now - since >= Self.failingDaysMax * Self.dayMilliseconds
                state.trouble = state.isDisabled ? Self.disabledSentence : outcome.text
                return
            }
            state.accepted += 1
            (state.trouble, state.failingSince) = (nil, nil)
        }
        job.completion(outcome)
    }
}

extension WebPushOutcome.Result {
    /// True for outcomes that the relay itself caused, which say nothing about the endpoint.
    fileprivate var isOwn: Bool {
        guard case .notSent(let obstacle) = self else { return false }
        return switch obstacle {
        case .queueFull, .superseded, .withdrawn, .invalidRequest, .stopped: true
        case .patienceOver, .breakerOpen: false
        }
    }
}
