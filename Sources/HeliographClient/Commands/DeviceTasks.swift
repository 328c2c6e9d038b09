internal import HeliographLink
internal import RelayProtocol

/// `heliograph devices`: the devices registered for push, and their recent pushes.
final class DeviceListTask: ClientTask {
    /// Pushes shown for one device; the page and JSON have more.
    private static let pushesShown = 5

    private unowned let run: ClientRun
    private var command: CommandID?
    private var isAnswered = false

    init(_ run: ClientRun) {
        self.run = run
        command = run.submit(.devices(watches: false))
        run.expect { [unowned self] in isAnswered }
    }

    func heard(_ news: RelayLink.News) {
        guard case .replied(let id, let reply) = news, id == command else { return }
        isAnswered = true
        do throws(ClientError) { try show(reply) } catch { run.fail(error) }
    }

    private func show(_ reply: Reply) throws(ClientError) {
        let entries = try DeviceReply.entries(reply)
        if run.options.isJSON {
            run.terminal.print(JSONLine.text(JSONWriter.object { $0.array("devices", entries) }))
            return run.finish(.done)
        }
        let devices = try DeviceEntry.list(entries)
        if devices.isEmpty { run.terminal.print("no devices yet") }
        let palette = run.terminal.palette
        let now = Moment.now
        for device in devices {
            run.terminal.print(
                palette.paint(device.id.rawValue, .cyan) + "  " + VisibleText.line(device.name)
                    + palette.paint(
                        "  \(VisibleText.line(device.kind)), of "
                            + VisibleText.line(device.clientName) + (device.isPresent ? ", looking" : ""), .dim))
            if let trouble = device.trouble { run.terminal.print("  " + palette.paint(VisibleText.line(trouble), .red)) }
            if let says = device.says { run.terminal.print("  " + palette.paint(says, .dim)) }
            if !device.isReachable {
                run.terminal.print("  " + palette.paint(device.lackOfAddress, .yellow))
            }
            for card in device.cards {
                let session = card.session.map(VisibleText.line) ?? "all sessions"
                run.terminal.print("  card of \(session): \(card.state)\(card.hasToken ? "" : ", no token")")
            }
            for push in device.pushes.prefix(Self.pushesShown) { run.terminal.print("  " + line(push, now: now)) }
        }
        run.finish(.done)
    }

    private func line(_ push: PushEntry, now: Int64) -> String {
        let palette = run.terminal.palette
        let time = palette.paint(Moment.clock(push.plannedAt, now: now), .dim)
        let sentence = VisibleText.line(push.sentence)
        return "\(time) \(push.purpose): "
            + (push.result == nil || push.isAccepted ? sentence : palette.paint(sentence, .yellow))
    }
}

/// `heliograph devices add LINK`
final class DeviceAddTask: ClientTask {
    private unowned let run: ClientRun
    private let device: Device
    private var command: CommandID?
    private var isAnswered = false

    init(_ run: ClientRun, _ device: Device) {
        self.run = run
        self.device = device
        command = run.submit(.device(device))
        run.expect { [unowned self] in isAnswered }
    }

    func heard(_ news: RelayLink.News) {
        guard case .replied(let id, let reply) = news, id == command else { return }
        isAnswered = true
        do throws(ClientError) { try DeviceReply.check(reply) } catch { return run.fail(error) }
        if run.options.isJSON {
            run.terminal.print(JSONLine.text(JSONWriter.object { $0.field("added", device.id) }))
        } else {
            run.terminal.print("added \(VisibleText.line(device.name)); try it: heliograph push test \(device.id)")
            guard device.text != .generic else { return run.finish(.done) }
            run.terminal.print(
                "Of a host that seals, as heliograph up sets up, it gets no words: it rings, and the page shows what is asked.")
            if device.allowsOnLockScreen {
                run.terminal.print(
                    "It can allow only for hosts that neither seal nor want signatures; so can whoever reads its messages.")
            }
        }
        run.finish(.done)
    }
}

/// `heliograph devices forget ID` and `weekly ID`: finds a device, and changes something about it.
final class DeviceChangeTask: ClientTask {
    enum Change {
        case forget
        /// Sets the weekly report; nil turns it off.
        case weekly(WeeklyCosts?)
    }

    private unowned let run: ClientRun
    private let wanted: String
    private let change: Change
    private var listing: CommandID?
    private var changing: (id: CommandID, device: DeviceID)?
    private var isAnswered = false

    init(_ run: ClientRun, _ wanted: String, _ change: Change) {
        self.run = run
        self.wanted = wanted
        self.change = change
        listing = run.submit(.devices(watches: false))
        run.expect { [unowned self] in isAnswered }
    }

    func heard(_ news: RelayLink.News) {
        guard case .replied(let id, let reply) = news else { return }
        do throws(ClientError) {
            if id == listing {
                let device = try DeviceEntry.find(wanted, in: DeviceEntry.list(DeviceReply.entries(reply)))
                changing = (run.submit(try command(for: device)), device.id)
            } else if let changing, id == changing.id {
                isAnswered = true
                try DeviceReply.check(reply)
                run.terminal.print(said(of: changing.device))
                run.finish(.done)
            }
        } catch { run.fail(error) }
    }

    private func command(for device: DeviceEntry) throws(ClientError) -> ClientCommand {
        switch change {
        case .forget: return .forget(device.id)
        case .weekly(let weekly):
            guard var choices = device.choices else {
                throw ClientError(.failed, "the relay lists choices that this program does not know")
            }
            choices.weekly = weekly
            return .deviceChoices(device.id, choices)
        }
    }

    private func said(of device: DeviceID) -> String {
        switch change {
        case .forget:
            run.options.isJSON ? JSONLine.text(JSONWriter.object { $0.field("forgotten", device) }) : "forgot \(device)"
        case .weekly(let weekly):
            run.options.isJSON
                ? JSONLine.text(
                    JSONWriter.object {
                        $0.field("changed", device)
                        if let weekly { $0.object("weekly") { weekly.write(to: &$0) } }
                    })
                : "\(device) is \(weekly?.sentence ?? "no longer told what a week has cost")"
        }
    }
}

/// Reads the replies to these commands.
enum DeviceReply {
    static func entries(_ reply: Reply) throws(ClientError) -> [[UInt8]] {
        try check(reply)
        guard case .devices(let entries) = reply else {
            throw ClientError(.failed, "the relay answered something else than its devices")
        }
        return entries
    }

    static func check(_ reply: Reply) throws(ClientError) {
        if case .failed(let notice, _) = reply { throw ClientError.notTaken(notice, "change devices") }
    }
}
