import PushPlanner
import PushTestSupport
import RelayProtocol
import Testing

@testable import ChannelAPNs

@Suite("Payloads") struct PayloadTests {
    static let session = SessionID(PushSubjects.session)!
    static let words = AlertText(title: "claude needs approval", subtitle: "relay", body: "Run: swift test", isWhole: true)

    static func heliograph() throws -> Profile { try #require(ProfileSet()["heliograph"]) }

    static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    static let swiftclimb = #"{"count":12,"lastUpdated":816870896}"#

    // MARK: - Cards

    @Test("an update says when it is of, what it is, and when it is stale")
    func update() throws {
        let profile = try #require(ProfileSet()["swiftclimb"])
        let subject = PushSubjects.golden("working")
        let plain = APNsPayload.update(
            profile, subject, timestamp: 5, stale: 905, relevance: 50, alert: nil, sound: false, broadcast: false)
        #expect(
            Self.text(plain)
                == #"{"aps":{"timestamp":5,"event":"update","content-state":\#(Self.swiftclimb),"stale-date":905,"relevance-score":50}}"#
        )
        let loud = APNsPayload.update(
            profile, subject, timestamp: 5, stale: nil, relevance: 100, alert: Self.words, sound: true, broadcast: false)
        #expect(
            Self.text(loud)
                == #"{"aps":{"timestamp":5,"event":"update","content-state":\#(Self.swiftclimb),"alert":{"title":"claude needs approval","#
                + #""body":"Run: swift test","sound":"default"},"relevance-score":100}}"#)
    }

    @Test("an end says when the card leaves")
    func end() throws {
        let profile = try #require(ProfileSet()["swiftclimb"])
        let made = APNsPayload.end(
            profile, PushSubjects.golden("working"), timestamp: 5, dismissal: 905, relevance: 10, alert: Self.words,
            sound: false,
            broadcast: false)
        #expect(
            Self.text(made)
                == #"{"aps":{"timestamp":5,"event":"end","content-state":\#(Self.swiftclimb),"alert":{"title":"claude needs approval","#
                + #""body":"Run: swift test"},"dismissal-date":905,"relevance-score":10}}"#)
    }

    @Test("a start has its type, attributes and words, and asks for a token or a channel only where told")
    func start() throws {
        let profile = try #require(ProfileSet()["opencode"])
        func start(_ channel: String?, _ token: Bool) throws -> JSONValue {
            let made = APNsPayload.start(
                profile, PushSubjects.golden("working"), timestamp: 5, stale: nil, relevance: 50, alert: Self.words,
                sound: true,
                channel: channel, inputPushToken: token)
            return try JSONDocument(parsing: made).root.required("aps")
        }
        let plain = try start(nil, false)
        #expect(
            try plain.members().map(\.key) == [
                "timestamp", "event", "attributes-type", "attributes", "content-state", "alert", "relevance-score",
            ])
        #expect(try plain.string("attributes-type") == "SessionActivityAttributes")
        #expect(try plain.required("attributes").string("sessionType") == "Coding Session")
        #expect(try plain.required("alert").string("sound") == "default")
        #expect(try start("dHN0LXNyY2gtY2hubA==", false).string("input-push-channel") == "dHN0LXNyY2gtY2hubA==")
        #expect(try start(nil, true).integer("input-push-token") == 1)
    }

    @Test("whatever a host sends, a card's payload is JSON within Apple's limit", arguments: 0..<15)
    func cardsFit(seed: UInt64) throws {
        var hostile = Hostile(seed: seed)
        for profile in ProfileSet().all {
            for status in SessionStatus.allCases {
                let subject = hostile.subject(status)
                let long = AlertText(title: hostile.text() + "t", subtitle: nil, body: hostile.text(), isWhole: false)
                let payloads = [
                    APNsPayload.start(
                        profile, subject, timestamp: .max, stale: .max, relevance: 100, alert: long, sound: true,
                        channel: String(repeating: "A", count: APNsPayload.channelBytesMax), inputPushToken: true),
                    APNsPayload.update(
                        profile, subject, timestamp: .max, stale: .max, relevance: 100, alert: long, sound: true,
                        broadcast: false),
                    APNsPayload.end(
                        profile, subject, timestamp: .max, dismissal: .max, relevance: 100, alert: long, sound: true,
                        broadcast: false),
                ]
                for payload in payloads {
                    #expect(payload.count <= 4_096)
                    let aps = try JSONDocument(parsing: payload).root.required("aps")
                    #expect(try aps.required("content-state").isObject)
                }
                let broadcast = APNsPayload.update(
                    profile, subject, timestamp: .max, stale: .max, relevance: 100, alert: long, sound: true, broadcast: true)
                #expect(broadcast.count <= 5_120)
            }
        }
    }

    @Test("attributes and content state together are what a device holds")
    func contentFits() throws {
        var hostile = Hostile(seed: 1)
        for profile in ProfileSet().all {
            for status in SessionStatus.allCases {
                let subject = hostile.subject(status)
                #expect(profile.attributes(subject).count + profile.contentState(subject, bytesMax: 5_120).count <= 4_096)
            }
        }
    }

    // MARK: - Alerts

    @Test("an approval rings through a Focus, with the buttons of its category and its code")
    func approval() throws {
        let made = APNsPayload.alert(
            try Self.heliograph(), kind: .approval, text: Self.words, thread: "sess_7f3a", level: .timeSensitive, expiresAt: 7,
            session: Self.session, approval: ApprovalID("req_91"), code: true, mayAllow: true, sealed: false)
        #expect(
            Self.text(made)
                == #"{"aps":{"alert":{"title":"claude needs approval","subtitle":"relay","body":"Run: swift test"},"sound":"default","#
                + #""category":"HELIOGRAPH_APPROVAL","thread-id":"sess_7f3a","interruption-level":"time-sensitive"},"#
                + #""heliograph":{"session":"sess_7f3a","approval":"req_91","kind":"approval","code":"CODE","expiresAt":7}}"#)
    }

    @Test("what is not whole has no button that allows")
    func withoutAllow() throws {
        var cut = Self.words
        cut.isWhole = false
        let made = APNsPayload.alert(
            try Self.heliograph(), kind: .approval, text: cut, thread: "t", level: .active, expiresAt: nil,
            session: Self.session,
            approval: ApprovalID("req_91"), code: false, mayAllow: true, sealed: false)
        #expect(try JSONDocument(parsing: made).root.required("aps").string("category") == "HELIOGRAPH_APPROVAL_REVIEW")
        // The text is cut at this point only.
        var long = Self.words
        long.body = String(repeating: "x", count: 5_000)
        let short = APNsPayload.alert(
            try Self.heliograph(), kind: .approval, text: long, thread: "t", level: .active, expiresAt: nil,
            session: Self.session,
            approval: ApprovalID("req_91"), code: true, mayAllow: true, sealed: false)
        #expect(short.count <= 4_096 - Payload.codeBytesMax + 4)
        #expect(try JSONDocument(parsing: short).root.required("aps").string("category") == "HELIOGRAPH_APPROVAL_REVIEW")
    }

    @Test("what is settled has no button that decides", arguments: [AlertKind.approval, .question])
    func settled(_ kind: AlertKind) throws {
        let made = APNsPayload.alert(
            try Self.heliograph(), kind: kind, text: Self.words, thread: "s1", level: .passive, expiresAt: nil,
            session: Self.session, approval: nil, code: false, mayAllow: false, sealed: false)
        let payload = try JSONDocument(parsing: made).root
        #expect(try payload.required("aps").string("category") == "HELIOGRAPH_STATUS")
        #expect(try payload.required("heliograph").string("kind") == kind.rawValue)
    }

    @Test("a passive one makes no sound, a profile without categories has no buttons, and a digest is of no session")
    func passive() throws {
        let profile = try #require(ProfileSet()["delivery"])
        let made = APNsPayload.alert(
            profile, kind: .finished, text: Self.words, thread: "digest", level: .passive, expiresAt: nil, session: nil,
            approval: nil,
            code: false, mayAllow: true, sealed: false)
        #expect(
            Self.text(made)
                == #"{"aps":{"alert":{"title":"claude needs approval","subtitle":"relay","body":"Run: swift test"},"thread-id":"digest","#
                + #""interruption-level":"passive"},"heliograph":{"kind":"finished"}}"#)
    }

    @Test("a sealed one lets the app rewrite it, and its code is not for everybody")
    func sealed() throws {
        let made = APNsPayload.alert(
            try Self.heliograph(), kind: .approval, text: Self.words, thread: "t", level: .timeSensitive, expiresAt: nil,
            session: Self.session, approval: nil, code: true, mayAllow: true, sealed: true)
        let root = try JSONDocument(parsing: made).root
        #expect(try root.required("aps").integer("mutable-content") == 1)
        #expect(root.optional("heliograph")?.optional("code") == nil)
    }

    @Test("whatever is composed fits, with room for the code and the ciphertext", arguments: 0..<15)
    func alertsFit(seed: UInt64) throws {
        var hostile = Hostile(seed: seed)
        for profile in ProfileSet().all {
            for kind in AlertKind.allCases {
                let subject = hostile.subject(hostile.pick(SessionStatus.allCases))
                let text = AlertText.compose(
                    kind: kind, subject: subject, textMax: profile.textMax, bytesMax: Payload.alertTextBytesMax)
                let made = APNsPayload.alert(
                    profile, kind: kind, text: text, thread: String(repeating: "t", count: 64), level: .timeSensitive,
                    expiresAt: JSONValue.integerMax, session: subject.summary.session, approval: subject.approval?.id,
                    code: true,
                    mayAllow: true, sealed: false)
                #expect(made.count <= 4_096 - Payload.codeBytesMax + 4)
                let alert = try JSONDocument(parsing: made).root.required("aps").required("alert")
                // A composed text is never cut again, and stays whole.
                #expect(try alert.string("body") == text.body)
                #expect(try alert.string("title") == text.title)
                let sealed = APNsPayload.alert(
                    profile, kind: kind, text: text, thread: String(repeating: "t", count: 64), level: .timeSensitive,
                    expiresAt: JSONValue.integerMax, session: subject.summary.session, approval: subject.approval?.id,
                    code: true,
                    mayAllow: true, sealed: true)
                // base64 of nonce, text and tag, and `,"sealed":""`.
                let added = (12 + Payload.sealedTextBytesMax + 16 + 2) / 3 * 4 + 12
                #expect(sealed.count + added <= 4_096)
            }
        }
    }
}
