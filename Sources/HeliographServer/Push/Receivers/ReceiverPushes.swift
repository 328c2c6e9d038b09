import ChannelWeb
import Logging
import PushPlanner
import PushWeb
import RelayAccess
import RelayProtocol

/// Pushes to the operator's programs and webhooks. Confined to the loop's thread; the programs run on others.
final class ReceiverPushes: PushCarrier {
    let service = PushService.receiver
    let sender: (any WebPushSender)? = nil
    private let receivers: Receivers?
    private let lanes: [String: any ReceiverLane]
    /// URL for the actions' requests, without a slash at its end.
    private let pageURL: String
    private let stopping: ChildProcess.Stop
    /// Nil: there is no webhook.
    private let webhooks: (any WebPushSender)?

    /// Throws if the system cannot create a pipe, or a thread for webhooks.
    init(_ configuration: ServerConfiguration, logger: Logger) throws {
        receivers = configuration.receivers
        pageURL = configuration.pageURL
        stopping = try ChildProcess.Stop()
        var lanes: [String: any ReceiverLane] = [:]
        var webhooks: (any WebPushSender)?
        for entry in receivers?.entries ?? [] {
            switch entry.way {
            case .program(let program): lanes[entry.name] = ProgramQueue(entry.name, program, stopping, logger)
            case .webhook(let webhook):
                let sender = try webhooks ?? WebPushClient(WebPushConfiguration(of: receivers?.services ?? WebPushServices()))
                webhooks = sender
                lanes[entry.name] = WebhookLane(entry.name, webhook, sender)
            }
        }
        (self.lanes, self.webhooks) = (lanes, webhooks)
    }

    var states: [ReceiverState] { lanes.values.map(\.shown).sorted { $0.name < $1.name } }

    func send(
        _ intent: PushIntent, _ codes: PushCodes, at now: Int64, then completion: @escaping @Sendable (PushOutcome) -> Void
    ) throws(PushObstacleError) {
        guard intent.worthUntil > now else { throw PushObstacleError(sentence: "it was not worth sending any more") }
        guard case .device(let place) = intent.target else { throw PushObstacleError(sentence: "it is for no receiver") }
        // The operator may have changed the file since the device was registered.
        guard let lane = lanes[place], receivers?.fault(in: Receiver(place), of: intent.workspace) == nil else {
            throw PushObstacleError(
                sentence: "the relay's operator has set up no receiver \(place) for this workspace any more")
        }
        let (payload, id) = (try intent.wholePayload(with: codes), PushIntent.requestID(intent.id, in: codes.epoch))
        let document: [UInt8]
        do throws(WireError) { document = try PushDocument.whole(payload, intent, id: id, at: pageURL) } catch {
            throw PushObstacleError(sentence: "its payload is not a receiver's: \(error.message)")
        }
        guard document.count <= PushDocument.bytesMax else { throw PushObstacleError(sentence: "its document is too long") }
        lane.submit(
            ReceiverJob(
                id: id, replaces: intent.replaces.map { "\(intent.workspace) \(intent.device) \($0)" }, document: document,
                worthUntil: intent.worthUntil, completion: completion))
    }

    func withdraw(_ push: PushID, of epoch: Epoch) {
        for lane in lanes.values { lane.withdraw(PushIntent.requestID(push, in: epoch)) }
    }

    func stop() {
        for lane in lanes.values { lane.stop() }
        stopping.stop()
        webhooks?.stop()
    }
}
