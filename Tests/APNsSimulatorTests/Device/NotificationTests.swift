import APNsSimulator
import Testing

@Suite("A notification on a device") struct NotificationTests {
    @Test("the category's buttons, the thread and the level are shown, and it rings")
    func shown() throws {
        let rig = Rig()
        rig.send(
            rig.alert(
                #"{"alert":{"title":"T","subtitle":"S","body":"B"},"sound":"default","category":"approval","#
                    + #""thread-id":"sess","interruption-level":"time-sensitive","relevance-score":1}"#))
        let shown = try #require(rig.device.notifications.first)
        #expect((shown.title, shown.subtitle, shown.body) == ("T", "S", "B"))
        #expect(shown.actions == ["Deny", "Approve"])
        #expect(shown.thread == "sess")
        #expect(shown.level == .timeSensitive)
        #expect(shown.rang)
    }

    @Test("an unknown category has no buttons; an alert may be a string; without a sound it does not ring")
    func plain() throws {
        let rig = Rig()
        rig.send(rig.alert(#"{"alert":"text","category":"Approval"}"#))
        let shown = try #require(rig.device.notifications.first)
        #expect(shown.actions.isEmpty)
        #expect(shown.body == "text")
        #expect(!shown.rang)
    }

    @Test(
        "what cannot be shown is dropped",
        arguments: [
            (#"{}"#, DeviceOutcome.Drop.nothingToShow), (#"{"alert":{}}"#, .nothingToShow), (#"{"alert":""}"#, .nothingToShow),
            (#"{"alert":5}"#, .badField), (#"{"alert":"a","interruption-level":"loud"}"#, .badField), ("[]", .noAPS),
            ("{,}", .badJSON),
        ])
    func nothing(aps: String, drop: DeviceOutcome.Drop) {
        let rig = Rig()
        rig.send(rig.alert(aps))
        #expect(rig.lastOutcome?.what == .dropped(drop))
        #expect(rig.device.notifications.isEmpty)
    }

    @Test("the same collapse id takes the place of what was shown; another does not, and none does not")
    func collapse() {
        let rig = Rig()
        for (id, what) in [("a", DeviceOutcome.What.alerted), ("a", .replaced), ("b", .alerted)] {
            rig.send(rig.alert().with("apns-collapse-id", id))
            #expect(rig.lastOutcome?.what == what)
        }
        rig.send(rig.alert())
        rig.send(rig.alert())
        #expect(rig.device.notifications.map(\.collapseID) == ["a", "b", nil, nil])
    }

    @Test("a Focus lets only time-sensitive ones ring, where the person allows those")
    func focus() {
        for isAllowed in [true, false] {
            let rig = Rig { $0.allowsTimeSensitive = isAllowed }
            rig.onPhone { phone, _ in phone.hasFocus = true }
            rig.send(rig.alert())
            #expect(rig.lastOutcome?.what == .quiet)
            rig.send(rig.alert(#"{"alert":"a","sound":"default","interruption-level":"time-sensitive"}"#))
            #expect(rig.lastOutcome?.what == (isAllowed ? .alerted : .quiet))
        }
    }

    @Test("passive never rings; critical is no more than active without the entitlement")
    func levels() {
        let rig = Rig()
        rig.send(rig.alert(#"{"alert":"a","sound":"default","interruption-level":"passive"}"#))
        #expect(rig.lastOutcome?.what == .quiet)
        rig.send(rig.alert(#"{"alert":"a","interruption-level":"critical"}"#))
        #expect(rig.device.notifications.last?.level == .active)
    }

    @Test("the app on the screen gets it instead of the person, unless it asks for a banner")
    func foreground() {
        for presents in [false, true] {
            let rig = Rig { $0.presentsInForeground = presents }
            rig.onPhone { $0.bringToForeground(Rig.bundle, at: $1) }
            rig.send(rig.alert())
            #expect(rig.lastOutcome?.what == (presents ? .alerted : .foreground))
            rig.onPhone { $0.bringToForeground(nil, at: $1) }
            rig.send(rig.alert())
            #expect(rig.lastOutcome?.what == .alerted)
        }
    }

    @Test("switched-off notifications show nothing")
    func notAllowed() {
        let rig = Rig { $0.allowsNotifications = false }
        rig.send(rig.alert())
        #expect(rig.lastOutcome?.what == .dropped(.notAllowed))
    }

    struct Opener: ServiceExtension {
        let isBroken: Bool
        func rewrite(payload: [UInt8]) -> (title: String, body: String)? {
            isBroken ? nil : ("opened", String(decoding: payload, as: UTF8.self).contains("sealed") ? "sealed" : "")
        }
    }

    @Test("the service extension runs with mutable-content only, and where it fails the alert stays as it came")
    func serviceExtension() {
        for (isBroken, mutable, title) in [(false, 1, "opened"), (false, 0, "Agent"), (true, 1, "Agent")] {
            let rig = Rig { $0.serviceExtension = Opener(isBroken: isBroken) }
            let body = #"{"aps":{"alert":{"title":"Agent","body":"needs you"},"mutable-content":\#(mutable)},"sealed":"AA"}"#
            rig.send(rig.request(to: rig.token(.alert), type: "alert", body: body))
            #expect(rig.device.notifications.last?.title == title)
        }
    }

    @Test("a background push wakes the app a few times an hour, and never one that was swiped away")
    func background() {
        let limits = Device.Limits()
        let rig = Rig(limits: limits)
        let wake = {
            rig.request(to: rig.token(.alert), type: "background", priority: "5", body: #"{"aps":{"content-available":1}}"#)
        }
        for _ in 0..<limits.wakes.capacity {
            rig.send(wake())
            #expect(rig.lastOutcome?.what == .woken)
        }
        rig.send(wake())
        #expect(rig.lastOutcome?.what == .dropped(.overBudget))
        rig.onPhone { phone, _ in phone.apps[Rig.bundle]?.isKilled = true }
        rig.wait(3_600_000)
        rig.send(wake())
        #expect(rig.lastOutcome?.what == .dropped(.appNotRunning))
    }

    // MARK: - Away

    @Test("a device that is away gets one push an app, the latest, whatever it was")
    func stored() {
        let rig = Rig()
        rig.startCard()
        rig.onPhone { $0.goOffline(at: $1) }
        rig.send(rig.alert())
        #expect(rig.lastOutcome?.what == .stored)
        let first = rig.lastRequest?.messageID
        #expect(rig.push(.activityUpdate, rig.change())?.what == .stored)
        #expect(rig.lastOutcome?.detail == "overwrote \(first ?? "")")
        rig.simulator.goOnline(Rig.phone, at: rig.now)
        #expect(rig.device.notifications.isEmpty, "a progress update has pushed the approval out")
        #expect(rig.device.activities.values.first?.timestamp == rig.seconds)
    }

    @Test("expiration 0 is never stored, another one for so long, and none for thirty days")
    func expiration() {
        for (expiration, wait, isShown) in [
            ("0", Int64(0), false), ("\(Rig.moment / 1000 + 60)", 59_999, true), ("\(Rig.moment / 1000 + 60)", 60_000, false),
            (nil, 29 * 86_400_000, true), (nil, 30 * 86_400_000, false),
        ] as [(String?, Int64, Bool)] {
            let rig = Rig()
            rig.onPhone { $0.goOffline(at: $1) }
            rig.send(rig.alert().with("apns-expiration", expiration))
            #expect(rig.lastOutcome?.what == (expiration == "0" ? .dropped(.offline) : .stored))
            rig.now += wait
            rig.simulator.goOnline(Rig.phone, at: rig.now)
            #expect(rig.device.notifications.isEmpty == !isShown, "\(expiration ?? "none") after \(wait) ms")
        }
    }

    @Test("the token of a deleted app answers 200 and reaches nobody")
    func uninstalled() {
        let rig = Rig()
        let request = rig.alert()
        rig.simulator.uninstall(Rig.bundle, from: Rig.phone, at: rig.now)
        #expect(rig.send(request)?.status == 200)
        #expect(rig.lastOutcome == nil)
    }
}
