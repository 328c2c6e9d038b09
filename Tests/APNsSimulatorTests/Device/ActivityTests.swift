import APNsSimulator
import Testing

@Suite("A Live Activity on a device") struct ActivityTests {
    static let hour: Int64 = 3_600_000
    static let completed = #"{"status":"completed","elapsedSeconds":1830}"#

    // MARK: - Start

    @Test("a start by push shows a card and hands out its update token")
    func start() throws {
        let rig = Rig()
        #expect(rig.push(.pushToStart, rig.start())?.what == .started)
        let activity = try #require(rig.device.activities.values.first)
        #expect(activity.face.title == "relay")
        #expect(activity.updateToken == rig.token(.activityUpdate))
        #expect(rig.simulator.token(rig.token(.activityUpdate))?.activity == activity.id)
    }

    static let badStarts: [(String, DeviceOutcome.Drop)] = [
        ("", .startWithoutAlert),
        (#","alert":{}"#, .startWithoutAlert),
        (#","alert":{"title":"","body":""}"#, .startWithoutAlert),
        (#","alert":{"sound":"default"}"#, .startWithoutAlert),
        (#","alert":"text""#, .badField),
        (#","alert":{"title":"t"},"stale-date":"2026-11-20T12:34:56Z""#, .badField),
        (#","alert":{"title":"t"},"relevance-score":"high""#, .badField),
        (#","alert":{"title":"t"},"input-push-channel":"no base64!""#, .unknownChannel),
    ]

    @Test("a start that a device ignores without a word", arguments: badStarts)
    func badStart(extra: String, drop: DeviceOutcome.Drop) {
        let rig = Rig()
        #expect(rig.push(.pushToStart, rig.start(extra: extra))?.what == .dropped(drop))
        #expect(rig.lastRequest?.status == 200)
        #expect(rig.device.activities.isEmpty)
    }

    @Test("a start of a type that the app does not have, and one without attributes")
    func unknownType() {
        let rig = Rig()
        let body = rig.start().replacing("CodingBridgeActivityAttributes", with: "codingBridgeActivityAttributes")
        #expect(rig.push(.pushToStart, body)?.what == .dropped(.unknownAttributesType))
        let bare = rig.start().replacing(#""attributes":"#, with: #""atributes":"#)
        #expect(rig.push(.pushToStart, bare)?.what == .dropped(.badField))
        let wrong = rig.start().replacing(#""projectPath""#, with: #""path""#)
        #expect(rig.push(.pushToStart, wrong)?.what == .dropped(.undecodable))
        #expect(rig.lastOutcome?.detail == "the object lacks projectPath")
    }

    @Test("channels and tokens by push need iOS 18, and starting by push iOS 17.2")
    func systemVersions() {
        var rig = Rig(systemVersion: .init(17, 4))
        for extra in [#","input-push-channel":"AAAA""#, #","input-push-token":1"#] {
            let outcome = rig.push(.pushToStart, rig.start(extra: #","alert":{"title":"t"}"# + extra))
            #expect(outcome?.what == .dropped(.channelNotSupported))
        }
        #expect(rig.push(.pushToStart, rig.start())?.what == .started)
        rig = Rig(systemVersion: .init(17, 1))
        #expect(rig.token(.pushToStart) == "none")
    }

    @Test("starts by push have a budget of their own, which an hour brings back")
    func startBudget() {
        let limits = Device.Limits()
        let rig = Rig(limits: limits) { $0.frequentUpdates = true }
        for _ in 0..<limits.starts.capacity {
            _ = rig.push(.pushToStart, rig.start())
            for id in rig.device.activities.keys { rig.onPhone { $0.dismiss(id, at: $1) } }
        }
        #expect(rig.push(.pushToStart, rig.start())?.what == .dropped(.overBudget))
        rig.wait(limits.starts.refillMilliseconds)
        #expect(rig.push(.pushToStart, rig.start())?.what == .started)
    }

    @Test("an app has five activities at a time")
    func tooMany() {
        let rig = Rig()
        for _ in 0..<5 { #expect(rig.push(.pushToStart, rig.start())?.what == .started) }
        #expect(rig.push(.pushToStart, rig.start())?.what == .dropped(.tooManyActivities))
    }

    @Test("the update token may come late, or never until the app is opened")
    func lateTokens() {
        var rig = Rig { $0.updateTokens = .after(milliseconds: 90_000) }
        rig.startCard()
        #expect(rig.token(.activityUpdate) == "none")
        rig.wait(89_000)
        #expect(rig.token(.activityUpdate) != "none")

        rig = Rig { $0.updateTokens = .never }
        rig.startCard()
        rig.wait(Self.hour)
        #expect(rig.token(.activityUpdate) == "none")
        rig.onPhone { $0.bringToForeground(Rig.bundle, at: $1) }
        #expect(rig.token(.activityUpdate) != "none")
    }

    @Test("an app that the person swiped away hands out no token")
    func killed() {
        let rig = Rig { $0.isKilled = true }
        rig.startCard()
        #expect(rig.device.activities.count == 1)
        #expect(rig.token(.activityUpdate) == "none")
    }

    @Test("a token is good for its own events only")
    func eventAndToken() {
        let rig = Rig()
        #expect(rig.push(.pushToStart, rig.change())?.what == .dropped(.eventNotForToken))
        rig.startCard()
        #expect(rig.push(.activityUpdate, rig.start())?.what == .dropped(.eventNotForToken))
    }

    @Test("the app starts one itself, and knows its token at once")
    func locally() {
        let rig = Rig()
        let outcome = rig.onPhone { phone, now in
            phone.startActivity(
                CodingBridge.attributesType, attributes: Array(Rig.attributes.utf8), contentState: Array(Rig.working.utf8),
                of: Rig.bundle, at: now)
        }
        #expect(outcome.what == .started)
        rig.now += 1000
        #expect(rig.push(.activityUpdate, rig.change())?.what == .updated)
    }

    // MARK: - Update

    @Test("only a newer timestamp changes anything; an equal one does not")
    func order() {
        let rig = Rig()
        rig.startCard()
        #expect(rig.push(.activityUpdate, rig.change(state: Self.completed))?.what == .updated)
        #expect(rig.push(.activityUpdate, rig.change())?.what == .dropped(.notNewer))
        #expect(rig.push(.activityUpdate, rig.change(timestamp: rig.seconds - 1))?.what == .dropped(.notNewer))
        #expect(rig.device.activities.values.first?.face.status == "Completed")
        #expect(rig.push(.activityUpdate, rig.change(timestamp: rig.seconds + 1))?.what == .updated)
    }

    static let badUpdates: [(String, DeviceOutcome.Drop)] = [
        ("not JSON", .badJSON),
        (#"{"aps":{},"aps":{}}"#, .badJSON),
        (#"{}"#, .noAPS),
        (#"{"aps":1}"#, .noAPS),
        (#"{"aps":{"event":"Update","timestamp":1795178097}}"#, .badEvent),
        (#"{"aps":{"timestamp":1795178097}}"#, .badEvent),
        (#"{"aps":{"event":"update"}}"#, .badTimestamp),
        (#"{"aps":{"event":"update","timestamp":1795178097.25}}"#, .badTimestamp),
        (#"{"aps":{"event":"update","timestamp":"1795178097"}}"#, .badTimestamp),
        // In milliseconds, which is far in the future.
        (#"{"aps":{"event":"update","timestamp":1795178097000}}"#, .timestampTooFarAhead),
        (#"{"aps":{"event":"update","timestamp":1795178097}}"#, .noContentState),
        (#"{"aps":{"event":"update","timestamp":1795178097,"content-state":[]}}"#, .badField),
        (
            #"{"aps":{"event":"update","timestamp":1795178097,"content-state":{"status":"processing","elapsedSeconds":1,"#
                + #""currentOperation":null}}}"#, .nullInContentState
        ),
        (#"{"aps":{"event":"update","timestamp":1795178097,"content-state":{"status":"processing"}}}"#, .undecodable),
        (
            #"{"aps":{"event":"update","timestamp":1795178097,"content-state":{"status":"done","elapsedSeconds":1}}}"#,
            .undecodable
        ),
        (
            #"{"aps":{"event":"update","timestamp":1795178097,"content-state":{"status":"processing","elapsedSeconds":12.5}}}"#,
            .undecodable
        ),
    ]

    @Test("an update that a device ignores leaves the card as it was", arguments: badUpdates)
    func badUpdate(body: String, drop: DeviceOutcome.Drop) {
        let rig = Rig()
        rig.startCard()
        #expect(rig.push(.activityUpdate, body)?.what == .dropped(drop))
        #expect(rig.lastRequest?.status == 200)
        #expect(rig.device.activities.values.first?.face.status == "Processing")
        #expect(rig.push(.activityUpdate, rig.change())?.what == .updated, "and its timestamp was not spent")
    }

    @Test("eight hours ahead is believed, a second more is not")
    func future() {
        let rig = Rig()
        rig.startCard()
        let ahead = rig.seconds + 8 * 3600
        #expect(rig.push(.activityUpdate, rig.change(timestamp: ahead + 1))?.what == .dropped(.timestampTooFarAhead))
        #expect(rig.push(.activityUpdate, rig.change(timestamp: ahead))?.what == .updated)
    }

    @Test("attributes and state share 4,096 bytes, also where a broadcast may be longer")
    func tooLarge() {
        let rig = Rig()
        let id = BroadcastTests.channel(on: rig)
        _ = rig.push(.pushToStart, rig.start(extra: #","alert":{"title":"t"},"input-push-channel":"\#(id)""#))
        rig.now += 1000
        let room = 4096 - Rig.attributes.utf8.count - Rig.working.utf8.count - #","currentOperation":"""#.utf8.count
        for (count, what) in [(room + 1, DeviceOutcome.What.dropped(.tooLarge)), (room, .updated)] {
            let operation = String(repeating: "x", count: count)
            let state = Rig.working.dropLast() + #","currentOperation":"\#(operation)"}"#
            rig.send(BroadcastTests.publish(id, rig.change(state: String(state))))
            #expect(rig.lastOutcome?.what == what)
        }
    }

    @Test("priority 10 has a budget, more of it where frequent updates are allowed; priority 5 costs nothing")
    func budget() {
        for isFrequent in [false, true] {
            let limits = Device.Limits()
            let budget = isFrequent ? limits.frequentUpdates : limits.updates
            let rig = Rig(limits: limits) { $0.frequentUpdates = isFrequent }
            rig.startCard()
            for _ in 0..<budget.capacity {
                #expect(rig.push(.activityUpdate, rig.change())?.what == .updated)
                rig.now += 1000
            }
            #expect(rig.push(.activityUpdate, rig.change())?.what == .dropped(.overBudget))
            #expect(rig.push(.activityUpdate, priority: "5", rig.change())?.what == .updated)
            rig.wait(budget.refillMilliseconds)
            #expect(rig.push(.activityUpdate, rig.change())?.what == .updated)
        }
    }

    @Test("turning the switch for frequent updates ends every activity of the app")
    func frequentSwitch() {
        let rig = Rig()
        rig.startCard()
        rig.onPhone { $0.setFrequentUpdates(true, of: Rig.bundle, at: $1) }
        #expect(rig.happenings.map(\.what) == [.endedBySystem, .dismissed])
        #expect(rig.device.activities.isEmpty)
    }

    @Test("a held push of priority 5 comes late, and behind a newer one it comes to nothing")
    func holding() {
        var limits = Device.Limits()
        limits.holding = 30_000
        let rig = Rig(limits: limits)
        rig.startCard()
        #expect(rig.push(.activityUpdate, priority: "5", rig.change())?.what == .held)
        rig.wait(30_000)
        #expect(rig.happenings.map(\.what) == [.updated])
        #expect(rig.push(.activityUpdate, priority: "5", rig.change())?.what == .held)
        rig.now += 1000
        #expect(rig.push(.activityUpdate, rig.change(state: Self.completed))?.what == .updated)
        rig.wait(30_000)
        #expect(rig.happenings.last?.what == .dropped(.notNewer))
        #expect(rig.device.activities.values.first?.face.status == "Completed")
    }

    @Test("a new update token takes the place of the old one, which answers 200 and does nothing")
    func rotation() {
        let rig = Rig()
        rig.startCard()
        let old = rig.token(.activityUpdate)
        let id = rig.device.activities.keys.first!
        rig.onPhone { $0.rotateUpdateToken(of: id, at: $1) }
        #expect(rig.token(.activityUpdate) != old)
        rig.send(rig.request(to: old, type: "liveactivity", body: rig.change()))
        #expect(rig.lastRequest?.status == 200)
        #expect(rig.lastOutcome == nil)
        #expect(rig.push(.activityUpdate, rig.change())?.what == .updated)
    }

    // MARK: - Stale, end, dismissal

    @Test("a card is stale from its date on, until the next update says otherwise")
    func stale() {
        let rig = Rig()
        rig.startCard()
        _ = rig.push(.activityUpdate, rig.change(extra: #","stale-date":\#(rig.seconds + 900)"#))
        rig.wait(899_000)
        #expect(rig.card?.isStale == false)
        rig.wait(1000)
        #expect(rig.card?.isStale == true)
        #expect(rig.happenings.map(\.what) == [.stale])
        _ = rig.push(.activityUpdate, rig.change())
        #expect(rig.card?.isStale == false)
        rig.wait(Self.hour)
        #expect(rig.happenings.count == 1, "without a date nothing is ever stale")
    }

    @Test("an end shows its state and stays four hours at most, its date or not")
    func end() {
        for (extra, stay) in [
            ("", 4 * Self.hour), (#","dismissal-date":\#(Rig.moment / 1000 + 900)"#, 899_000),
            (#","dismissal-date":\#(Rig.moment / 1000 + 86_400)"#, 4 * Self.hour),
        ] {
            let rig = Rig()
            rig.startCard()
            #expect(rig.push(.activityUpdate, rig.change("end", state: Self.completed, extra: extra))?.what == .ended)
            #expect(rig.card?.isEnded == true)
            #expect(rig.card?.face.status == "Completed")
            rig.wait(stay - 1)
            #expect(rig.card != nil)
            rig.wait(1)
            #expect(rig.card == nil)
            #expect(rig.happenings.map(\.what) == [.dismissed])
        }
    }

    @Test("a dismissal date that is past takes the card away at once")
    func dismissedAtOnce() {
        let rig = Rig()
        rig.startCard()
        #expect(rig.push(.activityUpdate, rig.change("end", extra: #","dismissal-date":1"#))?.what == .ended)
        #expect(rig.card == nil)
    }

    @Test("an end needs no state, and comes through although it is late")
    func lateEnd() {
        let rig = Rig()
        rig.startCard()
        _ = rig.push(.activityUpdate, rig.change(state: #"{"status":"error","elapsedSeconds":1}"#))
        let late = rig.change("end", timestamp: rig.seconds - 60, state: Self.completed)
        #expect(rig.push(.activityUpdate, late)?.what == .ended)
        #expect(rig.card?.face.status == "Error occurred", "what a late end says of the state is old")

        let other = Rig()
        other.startCard()
        #expect(other.push(.activityUpdate, other.change("end", state: nil))?.what == .ended)
    }

    @Test("an end that cannot be decoded ends nothing")
    func undecodableEnd() {
        let rig = Rig()
        rig.startCard()
        #expect(rig.push(.activityUpdate, rig.change("end", state: "{}"))?.what == .dropped(.undecodable))
        #expect(rig.card?.isEnded == false)
    }

    @Test("after the end nothing more is heard, and the token still answers 200")
    func afterEnd() {
        let rig = Rig()
        rig.startCard()
        _ = rig.push(.activityUpdate, rig.change("end", state: nil))
        rig.now += 1000
        #expect(rig.push(.activityUpdate, rig.change())?.what == .dropped(.alreadyEnded))
        rig.wait(5 * Self.hour)
        #expect(rig.push(.activityUpdate, rig.change())?.what == .dropped(.noSuchActivity))
        #expect(rig.lastRequest?.status == 200)
    }

    @Test("the system ends a card after eight hours and takes it away after four more")
    func twelveHours() {
        let rig = Rig()
        _ = rig.push(.pushToStart, rig.start())
        rig.wait(8 * Self.hour - 1)
        #expect(rig.card?.isEnded == false)
        rig.wait(1)
        #expect(rig.card?.isEnded == true)
        guard case .empty = rig.screen.island else {
            Issue.record("it has left the island")
            return
        }
        #expect(rig.push(.activityUpdate, rig.change())?.what == .dropped(.alreadyEnded))
        rig.wait(4 * Self.hour)
        #expect(rig.card == nil)
        #expect(rig.happenings.map(\.what) == [.endedBySystem, .dismissed])
    }

    @Test("one long wait brings everything in its order")
    func longWait() {
        let rig = Rig()
        _ = rig.push(.pushToStart, rig.start(extra: #","alert":{"title":"t"},"stale-date":\#(rig.seconds + 60)"#))
        rig.wait(100 * Self.hour)
        #expect(rig.happenings.map(\.what) == [.stale, .endedBySystem, .dismissed])
        #expect(rig.journal.map(\.at) == rig.journal.map(\.at).sorted())
    }

    @Test("switched-off Live Activities show nothing")
    func notAllowed() {
        let rig = Rig { $0.allowsActivities = false }
        #expect(rig.push(.pushToStart, rig.start())?.what == .dropped(.notAllowed))
    }
}

extension Rig {
    var screen: Screen { device.screen(at: now) }

    /// The topmost card of the Lock Screen.
    var card: Screen.Card? {
        for case .card(let card) in screen.lockScreen { return card }
        return nil
    }
}
