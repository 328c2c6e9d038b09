import ChannelWeb
import Logging
import PushPlanner
import RelayAccess
import RelayProtocol

/// Pushes to programs of the operator's. Lives on the loop's thread; what it starts does not.
final class ReceiverPushes: PushCarrier {
    let service = PushService.receiver
    let sender: (any WebPushSender)? = nil
    private let receivers: Receivers?
    private let queues: [String: ProgramQueue]
    /// The actions post to it; without a slash at its end.
    private let pageURL: String
    private let stopping: ChildProcess.Stop

    /// Throws if the system gives no pipe.
    init(_ configuration: ServerConfiguration, logger: Logger) throws {
        receivers = configuration.receivers
        pageURL = configuration.pageURL
        let stopping = try ChildProcess.Stop()
        self.stopping = stopping
        let queues = (configuration.receivers?.entries ?? []).map { ProgramQueue($0.name, $0.program, stopping, logger) }
        self.queues = Dictionary(uniqueKeysWithValues: queues.map { ($0.name, $0) })
    }

    var states: [ReceiverState] { queues.values.map(\.shown).sorted { $0.name < $1.name } }

    func send(
        _ intent: PushIntent, _ codes: PushCodes, at now: Int64, then completion: @escaping @Sendable (PushOutcome) -> Void
    ) throws(PushObstacleError) {
        guard intent.worthUntil > now else { throw PushObstacleError(sentence: "it was not worth sending any more") }
        guard case .device(let place) = intent.target else { throw PushObstacleError(sentence: "it is for no receiver") }
        // The operator may have changed the file since the device was registered.
        guard let queue = queues[place], receivers?.fault(in: Receiver(place), of: intent.workspace) == nil else {
            throw PushObstacleError(
                sentence: "the relay's operator has set up no receiver \(place) for this workspace any more")
        }
        let (payload, id) = (try intent.wholePayload(with: codes), PushIntent.requestID(intent.id, in: codes.epoch))
        let document: [UInt8]
        do throws(WireError) { document = try PushDocument.whole(payload, intent, id: id, at: pageURL) } catch {
            throw PushObstacleError(sentence: "its payload is not a receiver's: \(error.message)")
        }
        guard document.count <= PushDocument.bytesMax else { throw PushObstacleError(sentence: "its document is too long") }
        queue.submit(
            ProgramQueue.Job(
                id: id, replaces: intent.replaces.map { "\(intent.workspace) \(intent.device) \($0)" }, document: document,
                worthUntil: intent.worthUntil, completion: completion))
    }

    func withdraw(_ push: PushID, of epoch: Epoch) {
        for queue in queues.values { queue.withdraw(PushIntent.requestID(push, in: epoch)) }
    }

    func stop() {
        for queue in queues.values { queue.stop() }
        stopping.stop()
    }
}
