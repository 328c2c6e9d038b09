internal import HeliographLink
internal import RelayProtocol

/// `heliograph push test DEVICE`: makes the relay send one alert, and reports its outcome.
final class PushTestTask: ClientTask {
    /// Seconds to wait for the outcome: APNs answers in well under a second; a relay that cannot reach it tries for a while.
    private static let outcomeSecondsMax = 30

    private enum Stage {
        /// The devices are being listed, and watched from then on. Becomes `ordered`.
        case looking(CommandID)
        /// The push was requested. `known`: the last push to this device before ours. Becomes `planned`, or ends.
        case ordered(CommandID, DeviceEntry, known: Int64)
        /// The relay has planned the push.
        case planned(DeviceEntry, known: Int64)
    }

    var givesUpEarly: Bool { if case .looking = stage { true } else { false } }
    private unowned let run: ClientRun
    private let wanted: String
    private var stage: Stage

    init(_ run: ClientRun, _ wanted: String) {
        self.run = run
        self.wanted = wanted
        stage = .looking(run.submit(.devices(watches: true)))
        run.expect { [unowned self] in if case .looking = stage { false } else { true } }
    }

    func heard(_ news: RelayLink.News) {
        do throws(ClientError) {
            switch (stage, news) {
            case (.looking(let command), .replied(let id, let reply)) where id == command:
                let device = try DeviceEntry.find(wanted, in: DeviceEntry.list(DeviceReply.entries(reply)))
                let known = device.pushes.map(\.number).max() ?? 0
                stage = .ordered(run.submit(.testPush(device.id)), device, known: known)
                run.after(.seconds(Self.outcomeSecondsMax)) { [run] in
                    run.fail(ClientError(.timedOut, "there is no outcome yet: heliograph devices shows it when there is one"))
                }
            case (.ordered(let command, let device, let known), .replied(let id, let reply)) where id == command:
                try DeviceReply.check(reply)
                stage = .planned(device, known: known)
            case (.ordered(_, let device, let known), .push(let bytes)), (.planned(let device, let known), .push(let bytes)):
                guard let push = try? PushEntry(from: JSONDocument(parsing: bytes).root, service: device.carrier),
                    push.device == device.id, push.number > known, push.purpose == "alert", push.result != nil
                else { return }
                run.terminal.print(run.options.isJSON ? JSONLine.text(bytes) : VisibleText.line(push.sentence))
                run.finish(push.isAccepted ? .done : .refused)
            case (_, .up(again: true)):
                // A new connection does not watch the devices yet; their list shows what has happened meanwhile.
                throw ClientError(.unreachable, "the link was down for a moment: heliograph devices shows what became of it")
            default: break
            }
        } catch { run.fail(error) }
    }
}
