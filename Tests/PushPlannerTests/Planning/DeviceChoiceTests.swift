import PushTestSupport
import RelayModel
import RelayProtocol
import Testing

@testable import PushPlanner

@Suite("What a person chooses for a device elsewhere") struct DeviceChoiceTests {
    private typealias S = PlannerStage

    private func choices(_ change: (inout DeviceChoices) -> Void = { _ in }) -> DeviceChoices {
        var choices = DeviceChoices()
        change(&choices)
        return choices
    }

    private func phone(_ change: (inout Device) -> Void = { _ in }) -> Device {
        var device = Device(
            id: S.device.device, name: "Phone", profile: "heliograph", address: .apns(APNsTokens(.sandbox, alerts: "aa")),
            system: "17.5")
        device.starts = .never
        change(&device)
        return device
    }

    private func browser(_ change: (inout Device) -> Void = { _ in }) -> Device {
        var device = Device(
            id: S.device.device, name: "Laptop", profile: Device.profileOfBrowsers, address: .web(nil),
            system: "Firefox on Linux")
        change(&device)
        return device
    }

    @Test("it is on disk before it is answered, and holds at once: what is muted does not ring")
    func holds() {
        let stage = S()
        _ = stage.take()
        stage.ask(.deviceChoices(S.device.device, choices { $0.muted = [S.session.session] }))
        #expect(stage.take().prefix(2) == ["stage device d1", "reply c2 when staged"])
        stage.asks()
        #expect(stage.staged == nil)
        stage.ask(.deviceChoices(S.device.device, choices()))
        #expect(stage.staged != nil, "what still waits rings when it is no longer muted")
    }

    @Test("a session that is muted for a time rings when that is over, for what still waits, or when its person takes it back")
    func holdsForATime() {
        let (stage, hour) = (S(), Int64(3_600_000))
        let muted = choices { $0.mutedUntil = [S.session.session: TimedMute(until: PushSubjects.moment + hour)] }
        stage.ask(.deviceChoices(S.device.device, muted))
        _ = stage.take()
        stage.asks()
        #expect(stage.staged == nil)
        #expect(stage.take().contains("arm rings after \(hour)"))
        stage.pass(hour - 1)
        stage.tell(.sessionsChanged([S.session]))
        #expect(stage.staged == nil)
        stage.pass(1)
        stage.tell(.sessionsChanged([S.session]))
        #expect(stage.staged?.purpose == .alert)

        let other = S()
        other.ask(.deviceChoices(S.device.device, muted))
        other.asks()
        #expect(other.staged == nil)
        other.ask(.deviceChoices(S.device.device, choices()))
        #expect(other.staged?.purpose == .alert)
    }

    @Test("what was not asked yet when its session was put off rings at once")
    func newOnes() {
        for asked in [S.approval, ApprovalID("a0")!] {
            let stage = S()
            let mute = TimedMute(until: PushSubjects.moment + 3_600_000, asked: [asked])
            stage.ask(.deviceChoices(S.device.device, choices { $0.mutedUntil = [S.session.session: mute] }))
            stage.asks()
            #expect((stage.staged == nil) == (asked == S.approval))
        }
    }

    @Test("a run that fails while its session is muted for a time is not told; any other is")
    func isSilentForATime() {
        for isMuted in [true, false] {
            let stage = S()
            let until = isMuted ? [S.session.session: TimedMute(until: PushSubjects.moment + 3_600_000)] : [:]
            stage.ask(.deviceChoices(S.device.device, choices { $0.mutedUntil = until }))
            stage.pass(60_000)
            stage.agent(.statusChanged(.failed, reason: "no disk"))
            #expect((stage.staged == nil) == isMuted)
        }
    }

    @Test("no device, no time zone, no key to seal for, no browser: refused, and nothing changes")
    func refuses() {
        let stage = S()
        _ = stage.take()
        stage.ask(.deviceChoices(DeviceID("d9")!, choices()))
        stage.ask(.deviceChoices(S.device.device, choices { $0.quiet = QuietHours(from: 0, to: 1, timeZone: "Mars/Olympus") }))
        stage.ask(.deviceChoices(S.device.device, choices { $0.text = .sealed }))
        stage.ask(.deviceChoices(S.device.device, choices { $0.allowsOnLockScreen = true }))
        #expect(stage.take() == ["reply c2: no", "reply c3: no", "reply c4: no", "reply c5: no"])
        #expect(browser().fault(in: choices { $0.text = .sealed })?.path == "$.text")
        #expect(browser().fault(in: choices { $0.allowsOnLockScreen = true }) == nil)
    }

    @Test("an app that tells the same at every launch does not undo it; one whose person chose anew does")
    func lasts() throws {
        let client = Named<ClientTag>(id: ClientID("phone")!, name: "Phone")
        var known = RegisteredDevice(phone { $0.kinds = [.approval] }, client: client, at: 0)
        known.choose(choices { $0.text = .generic })
        known.update(phone { $0.kinds = [.approval] }, client: client, at: 1)
        #expect(known.device.text == .generic)
        #expect(known.device.kinds.count == AlertKind.allCases.count)
        var restarted = try RegisteredDevice(stored: known.bytes)
        restarted.update(phone { $0.kinds = [.approval] }, client: client, at: 2)
        #expect(restarted.device.text == .generic, "nor does a restart of the relay")
        restarted.update(phone { $0.kinds = [.error] }, client: client, at: 3)
        #expect(restarted.device.choices == choices { $0.kinds = [.error] })
        #expect(restarted.told == nil)
        restarted.update(phone(), client: client, at: 4)
        #expect(restarted.device.choices == choices())
    }

    @Test("a device that was never changed elsewhere is kept as before")
    func records() {
        let known = RegisteredDevice(phone(), client: Named(id: ClientID("phone")!, name: "Phone"), at: 0)
        #expect(!String(decoding: known.bytes, as: UTF8.self).contains("told"))
    }

    @Test("what was allowed for a browser does not pass to another kind of device of its name, and no key means no seal")
    func less() {
        let client = Named<ClientTag>(id: ClientID("phone")!, name: "Phone")
        var known = RegisteredDevice(browser(), client: client, at: 0)
        known.choose(choices { $0.allowsOnLockScreen = true })
        known.update(phone(), client: client, at: 1)
        #expect(!known.device.allowsOnLockScreen)
        var sealed = RegisteredDevice(
            phone { $0.sealKey = String(repeating: "A", count: 43) + "=" }, client: client, at: 0)
        sealed.choose(choices { $0.text = .sealed })
        sealed.update(phone(), client: client, at: 1)
        #expect(sealed.device.text == .generic)
    }
}
