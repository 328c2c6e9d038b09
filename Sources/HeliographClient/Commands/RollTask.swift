internal import Consent
internal import ConsentKeys
internal import HeliographLink
internal import RelayProtocol

/// `heliograph trust --devices` and `--distrust DEVICE`: which devices the hosts trust that trust this terminal, and the end of that for one.
final class RollTask: ClientTask {
    private enum Stage {
        /// Becomes `distrusting` if the device to distrust is among those of the host, and is over else.
        case asking(Ask)
        case distrusting(Distrust, Roll.Entry)
    }

    private static let repeatAfter = Duration.seconds(2)
    /// A host answers at once, if it is there.
    private static let answerWithin = Duration.seconds(10)

    let givesUpEarly = true
    private unowned let run: ClientRun
    /// By its id or short code. Nil: devices are only listed.
    private let unwanted: String?
    private let keys: TerminalKeys
    private var identity: ConsentIdentity?
    private var pins: [HostKeyID: HostPin] = [:]
    /// Hosts that have not answered.
    private var open: [HostKeyID: Stage] = [:]
    private var done = 0
    private var fault: ClientError?

    init(_ run: ClientRun, distrust unwanted: String?) {
        self.run = run
        self.unwanted = unwanted
        keys = TerminalKeys(run.options)
        run.expect(within: run.options.patience) { [unowned run] in run.view.isWorkspaceKnown }
    }

    func heard(_ news: RelayLink.News) {
        switch news {
        case .changed(.workspaceKnown) where identity == nil: begin()
        case .letter(let letter, let host): received(letter, host)
        default: break
        }
    }

    private func begin() {
        do throws(ClientError) {
            let book = try keys.book()
            guard let identity = try keys.identity(), !book.hosts.isEmpty else {
                throw ClientError(.notFound, "no host trusts this terminal", advice: "heliograph trust LINK")
            }
            self.identity = identity
            for host in book.hosts {
                guard let key = HostKeyID(host.id.text) else { preconditionFailure("16 bytes in base64url are a key's id") }
                pins[key] = host
                open[key] = .asking(Ask(host: host.id, nonce: .random(), device: identity.id))
            }
            send()
            run.after(Self.answerWithin) { [weak self] in self?.timeIsOver() }
        } catch { run.fail(error) }
    }

    private func send() {
        guard let identity else { return }
        for (host, stage) in open.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let content: LetterContent =
                switch stage {
                case .asking(let ask): .ask(ask)
                case .distrusting(let distrust, _): .distrust(distrust)
                }
            guard let letter = Letter(SignedLetter(content, by: identity, .openSSL).bytes) else {
                preconditionFailure("an ask is shorter than a letter may be")
            }
            _ = run.submit(.letter(letter, to: host))
        }
        run.after(Self.repeatAfter) { [weak self] in self?.send() }
    }

    private func received(_ letter: Letter, _ host: HostKeyID) {
        guard let stage = open[host], let pin = pins[host] else { return }
        switch stage {
        case .asking(let ask):
            guard let roll = try? LetterAnswer.roll(letter.bytes, to: ask, by: pin.id, .openSSL) else { return }
            called(roll, pin, host)
        case .distrusting(let distrust, let device):
            guard let answer = try? LetterAnswer(letter.bytes, to: distrust, by: pin.id, .openSSL) else { return }
            let name = VisibleText.line(pin.name)
            open[host] = nil
            switch answer {
            case .done: say("✓ \(name) trusts \(VisibleText.line(device.name)) no more")
            case .refused(let reason, _): fault = ClientError(.refused, reason.sentence(host: name))
            }
        }
        if open.isEmpty { end() }
    }

    private func called(_ roll: Roll, _ pin: HostPin, _ host: HostKeyID) {
        open[host] = nil
        guard let unwanted else { return show(roll, pin) }
        let meant = roll.entries.filter { $0.id.text == unwanted || $0.id.shortCode == unwanted.uppercased() }
        guard let device = meant.first, let identity else { return }
        guard meant.count == 1 else {
            fault = ClientError(.usage, "\(meant.count) devices have this code: say the id")
            return
        }
        do throws(ClientError) {
            let distrust = Distrust(host: pin.id, distrusted: device.id, count: try keys.nextCount(), device: identity.id)
            open[host] = .distrusting(distrust, device)
            send()
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
            let own = device.id == identity?.id ? ", this terminal" : ""
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

    /// Hosts that were trusted once may be gone for good.
    private func timeIsOver() {
        let isUnderWay = open.values.contains { if case .distrusting = $0 { true } else { false } }
        if isUnderWay, fault == nil {
            fault = ClientError(
                .timedOut, "the host has not answered: the device may be trusted still",
                advice: "At that machine: heliograph host distrust DEVICE")
        }
        end()
    }
}
