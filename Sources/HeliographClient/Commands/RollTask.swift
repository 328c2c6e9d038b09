internal import Consent
internal import ConsentKeys
internal import HeliographLink
internal import RelayProtocol

/// `heliograph trust --devices` and `--distrust DEVICE`: lists the devices trusted by the hosts that trust this terminal, and ends
/// the trust in one.
final class RollTask: ClientTask {
    private unowned let run: ClientRun
    /// Id or short code of the device to distrust; nil to list devices only.
    private let unwanted: String?
    private let letters: HostLetters
    /// Each host's name of the device that it was asked to distrust.
    private var distrusted: [HostKeyID: String] = [:]
    private var done = 0
    private var fault: ClientError?

    init(_ run: ClientRun, distrust unwanted: String?) {
        self.run = run
        self.unwanted = unwanted
        letters = HostLetters(run)
    }

    func heard(_ news: RelayLink.News) { letters.heard(news, begin: begin, received: received) }

    private func begin() {
        letters.begin { host, identity, _ in
            .ask(Ask(host: host.id, nonce: .random(), device: identity.id))
        } timeIsOver: { [weak self] in
            self?.timeIsOver()
        }
    }

    private func received(_ letter: Letter, _ host: HostKeyID) {
        guard let (content, pin) = letters.letter(to: host) else { return }
        switch content {
        case .ask(let ask):
            guard let roll = try? LetterAnswer.roll(letter.bytes, to: ask, by: pin.id, .openSSL) else { return }
            letters.answered(by: host)
            if let unwanted { look(for: unwanted, in: roll, pin, host) } else { show(roll, pin) }
        case .distrust(let distrust):
            guard let answer = try? LetterAnswer(letter.bytes, to: distrust, by: pin.id, .openSSL) else { return }
            let name = VisibleText.line(pin.name)
            letters.answered(by: host)
            switch answer {
            case .done: say("✓ \(name) trusts \(VisibleText.line(distrusted[host] ?? "it")) no more")
            case .refused(let reason, _): fault = ClientError(.refused, reason.sentence(host: name))
            }
        default: preconditionFailure("only these are sent")
        }
        if letters.areAnswered { end() }
    }

    private func look(for unwanted: String, in roll: Roll, _ pin: HostPin, _ host: HostKeyID) {
        let meant = roll.entries.filter { $0.id.text == unwanted || $0.id.shortCode == unwanted.uppercased() }
        guard let device = meant.first, let identity = letters.identity else { return }
        guard meant.count == 1 else {
            fault = ClientError(.usage, "\(meant.count) devices have this code: say the id")
            return
        }
        do throws(ClientError) {
            let count = try letters.keys.nextCount()
            distrusted[host] = device.name
            letters.send(
                .distrust(Distrust(host: pin.id, distrusted: device.id, count: count, device: identity.id)), to: host)
        } catch { fault = error }
    }

    // MARK: - Showing

    private func show(_ roll: Roll, _ pin: HostPin) {
        done += 1
        if run.options.isJSON {
            let document = JSONWriter.object {
                $0.field("host", pin.id.text)
                $0.field("name", pin.name)
                $0.field("count", roll.count)
                $0.array("devices", roll.entries.map(Self.json))
            }
            return run.terminal.print(JSONLine.text(document))
        }
        run.terminal.print("\(VisibleText.line(pin.name)) trusts")
        for device in roll.entries {
            let origin: String =
                if case .device(let voucher) = device.by {
                    "brought by \(roll.entries.first { $0.id == voucher }.map { VisibleText.line($0.name) } ?? voucher.shortCode)"
                } else {
                    "let in at its terminal"
                }
            let own = device.id == letters.identity?.id ? ", this terminal" : ""
            let age = Moment.age(Moment.now - device.since)
            run.terminal.print("  \(device.id.shortCode)  \(VisibleText.line(device.name))  \(origin), \(age)\(own)")
        }
        let others = roll.count - Int64(roll.entries.count)
        if others > 0 { run.terminal.print("  and \(others) more: heliograph host devices, there") }
    }

    private static func json(_ device: Roll.Entry) -> [UInt8] {
        JSONWriter.object {
            $0.field("id", device.id.text)
            $0.field("code", device.id.shortCode)
            $0.field("name", device.name)
            $0.field("since", device.since)
            if case .device(let voucher) = device.by { $0.field("by", voucher.text) } else { $0.field("by", "terminal") }
        }
    }

    private func say(_ text: String) {
        done += 1
        if run.options.isJSON { run.terminal.remark(text, .green) } else { run.terminal.print(text) }
    }

    private func end() {
        if let fault { return run.fail(fault) }
        guard done == 0 else { return run.finish(.done) }
        run.fail(
            unwanted == nil
                ? ClientError(.timedOut, "no host answers", advice: "There: heliograph doctor")
                : ClientError(.notFound, "no host that is there trusts such a device", advice: "heliograph trust --devices"))
    }

    /// Handles the end of the wait. Hosts that trusted this terminal once may be gone for good.
    private func timeIsOver() {
        let isUnderWay = letters.unanswered.contains { if case .distrust = $0 { true } else { false } }
        if isUnderWay, fault == nil {
            fault = ClientError(
                .timedOut, "the host has not answered: the device may be trusted still",
                advice: "At that machine: heliograph host distrust DEVICE")
        }
        end()
    }
}
