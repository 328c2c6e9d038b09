import PushPlanner
import PushTestSupport
import RelayProtocol
import Testing

@testable import ChannelAPNs

@Suite("Profiles") struct ProfileTests {
    /// The smallest profile with a card.
    static func text(
        _ state: String, attributes: String = #"{"id":"$session"}"#, dates: String = "reference2001", more: String = ""
    ) -> String {
        #"{"bundle":"com.example.app","attributesType":"AppAttributes","dates":"\#(dates)","attributes":\#(attributes),"#
            + #""contentState":\#(state)\#(more)}"#
    }

    static func profile(_ text: String) throws(ProfileError) -> Profile {
        try Profile(parsing: Array(text.utf8), name: "app")
    }

    static func state(_ state: String, dates: String = "reference2001", of subject: PushSubject) throws -> String {
        let made = try profile(text(state, dates: dates)).contentState(subject, bytesMax: 3_072)
        return String(decoding: made, as: UTF8.self)
    }

    static let plain = PushSubjects.subject(PushSubjects.summary())

    // MARK: - What a profile says

    @Test("what is not said has a default")
    func defaults() throws {
        let profile = try Self.profile(Self.text("{}"))
        #expect(profile.staleAfter == 900_000)
        #expect(profile.maximumAge == 27_000_000)
        #expect(profile.dismissal == PushApp.Dismissal())
        #expect(profile.dismissal.completed == 900_000)
        #expect(profile.dismissal.failed == 14_400_000)
        #expect(profile.dismissal.cancelled == 0)
        #expect(profile.textMax == .full)
        #expect(profile.team == nil)
        #expect(profile.categories == Profile.Categories())
        #expect(profile.relevance(of: .waitingApproval) == 100)
        #expect(profile.relevance(of: .failed) == 90)
    }

    @Test("a card's last words are in the device's language")
    func closing() throws {
        let texts = try Self.profile(
            Self.text("{}", more: #","closingText":{"byLanguage":{"de":"Läuft noch","else":"Still running"}}"#)
        ).closingText
        #expect(
            ["de", "de-CH", "en", "fr", nil].map { texts?[PushLanguage(tag: $0)] } == [
                "Läuft noch", "Läuft noch", "Still running", "Still running", "Still running",
            ])
        let text = try Self.profile(Self.text("{}", more: #","closingText":"Still running""#)).closingText
        #expect(text?[PushLanguage(tag: "de")] == "Still running")
    }

    @Test("what is said holds, in milliseconds")
    func settings() throws {
        let profile = try Self.profile(
            Self.text(
                "{}",
                more: #","team":"ABCDE12345","text":"generic","staleAfterSeconds":60,"maximumAgeSeconds":3600,"#
                    + #""dismissalSeconds":{"failed":1,"cancelled":2},"relevance":{"running":7},"#
                    + #""categories":{"approval":"A","approvalWithoutAllow":"B","question":"C","other":"D"}"#))
        #expect(profile.team == "ABCDE12345")
        #expect(profile.textMax == .generic)
        #expect(profile.staleAfter == 60_000)
        #expect(profile.maximumAge == 3_600_000)
        #expect(profile.dismissal.completed == 900_000)
        #expect(profile.dismissal.failed == 1_000)
        #expect(profile.dismissal.cancelled == 2_000)
        #expect(profile.relevance(of: .running) == 7)
        #expect(profile.relevance(of: .failed) == 90)
        #expect(profile.category(for: .approval, mayAllow: true) == "A")
        #expect(profile.category(for: .approval, mayAllow: false) == "B")
        #expect(profile.category(for: .question, mayAllow: true) == "C")
        for kind in [AlertKind.error, .finished, .budget] {
            #expect(profile.category(for: kind, mayAllow: true) == "D")
        }
    }

    @Test("what may not be allowed never gets the category that allows")
    func categoryWithoutAllow() throws {
        let profile = try Self.profile(Self.text("{}", more: #","categories":{"approval":"A"}"#))
        #expect(profile.category(for: .approval, mayAllow: false) == nil)
    }

    @Test("an app without a card needs a bundle only")
    func alertsOnly() throws {
        let profile = try Self.profile(#"{"bundle":"com.example.app"}"#)
        #expect(profile.attributesType == nil)
    }

    // MARK: - Expressions

    static let expressions: [(String, String)] = [
        (#"{"a":"$operations"}"#, #"{"a":12}"#),
        (#"{"a":"$session","b":"$status"}"#, #"{"a":"sess_7f3a","b":"running"}"#),
        (#"{"a":"operations","b":"$$now"}"#, #"{"a":"operations","b":"$now"}"#),
        (#"{"a":true,"b":-1,"c":0.5,"d":""}"#, #"{"a":true,"b":-1,"c":0.5,"d":""}"#),
        (#"{"a?":"$operation"}"#, "{}"),
        (#"{"a":{"first":["$operation","$title","x"]}}"#, #"{"a":"Fix APNs client"}"#),
        (#"{"a":{"first":["$operation","x"]}}"#, #"{"a":"x"}"#),
        (#"{"a":{"object":{"b":1,"c?":"$error"}}}"#, #"{"a":{"b":1}}"#),
        (#"{"a?":{"object":{"b":1,"c":"$error"}}}"#, "{}"),
        (#"{"a":{"byStatus":{"running":"r","else":"x"}}}"#, #"{"a":"r"}"#),
        (#"{"a":{"byStatus":{"idle":"r","else":"x"}}}"#, #"{"a":"x"}"#),
        (#"{"a?":{"byStatus":{"running":null,"else":"x"}}}"#, "{}"),
        (#"{"a?":{"byStatus":{"idle":"r","else":null}}}"#, "{}"),
        (#"{"a":{"byStatus":{"running":"$operations","else":0}}}"#, #"{"a":12}"#),
        (#"{"a?":{"ratio":["$todo.completed","$todo.total"]}}"#, #"{"a":0.4286}"#),
        (#"{"a":{"first":[{"ratio":["$operations",0]},1]}}"#, #"{"a":1}"#),
        (#"{"a":{"first":[{"ratio":["$operations",3]},0]}}"#, #"{"a":1}"#),
        (#"{"a":{"first":[{"ratio":[-1,3]},9]}}"#, #"{"a":0}"#),
        (#"{"a?":{"dollars":"$costMicroUSD"}}"#, #"{"a":0.4132}"#),
        (#"{"a":{"dollars":3000000}}"#, #"{"a":3}"#),
        (#"{"a":{"dollars":1}}"#, #"{"a":0.000001}"#),
        (#"{"a":{"dollars":-1}}"#, #"{"a":0}"#),
        (#"{"a":{"dollars":9223372036854775807}}"#, #"{"a":9223372036854.775807}"#),
        (#"{"a":{"seconds":["$startedAt","$now"]}}"#, #"{"a":1230}"#),
        (#"{"a":{"seconds":["$now","$startedAt"]}}"#, #"{"a":0}"#),
        (#"{"a":{"seconds":["$startedAt",{"first":["$endedAt","$now"]}]}}"#, #"{"a":1230}"#),
        (#"{"a":{"date":"$now"}}"#, #"{"a":816870896}"#),
        (#"{"a":{"date":"$now","plusSeconds":-896}}"#, #"{"a":816870000}"#),
        (#"{"a?":{"date":"$endedAt"}}"#, "{}"),
        (#"{"a?":{"name":"$cwd"}}"#, #"{"a":"relay"}"#),
        (#"{"a?":"$sessions","b?":"$budgetLevel"}"#, "{}"),
        (#"{"a?":{"uuid":"$title"}}"#, #"{"a":"\#(UUIDText.of("Fix APNs client"))"}"#),
    ]

    @Test("a guess of the agent is a source of its own, and what is all a guess has no cost", arguments: [0, 410_000])
    func guess(cost: Int64) throws {
        var subject = Self.plain
        (subject.summary.costMicroUSD, subject.summary.estimateMicroUSD) = (cost, 2_000_000)
        let declared = #"{"a?":"$costMicroUSD","b?":"$estimateMicroUSD","c":{"first":[{"dollars":"$costMicroUSD"},0]}}"#
        let made = cost > 0 ? #"{"a":410000,"b":2000000,"c":0.41}"# : #"{"b":2000000,"c":0}"#
        #expect(try Self.state(declared, of: subject) == made)
        subject.hideCost()
        #expect(try Self.state(declared, of: subject) == #"{"c":0}"#)
    }

    @Test("none of our profiles shows a guess as a cost")
    func ownProfiles() {
        var subject = PushSubjects.golden("working")
        (subject.summary.costMicroUSD, subject.summary.estimateMicroUSD) = (0, 2_000_000)
        for profile in ProfileSet().all where profile.attributesType != nil {
            let state = String(decoding: profile.contentState(subject, bytesMax: 3_072), as: UTF8.self)
            #expect(!state.contains(#""costMicroUSD""#), "\(profile.name): \(state)")
            #expect(!state.replacing(#""estimateMicroUSD":2000000"#, with: "").contains("2000000"), "\(profile.name): \(state)")
            #expect(!state.contains(":2,") && !state.contains(":2}"), "\(profile.name): \(state)")
        }
    }

    @Test("an expression makes one field", arguments: expressions)
    func expression(declared: String, made: String) throws {
        #expect(try Self.state(declared, of: Self.plain) == made)
    }

    @Test("unix dates are seconds since 1970")
    func unixDates() throws {
        #expect(try Self.state(#"{"a":{"date":"$now"}}"#, dates: "unix", of: Self.plain) == #"{"a":1795178096}"#)
    }

    @Test("a card of several sessions and a crossed budget say so")
    func counts() throws {
        var subject = Self.plain
        subject.sessions = 3
        subject.budgetLevel = 80
        #expect(try Self.state(#"{"a?":"$sessions","b?":"$budgetLevel"}"#, of: subject) == #"{"a":3,"b":80}"#)
    }

    @Test("an approval and a question have sources of their own")
    func requests() throws {
        let declared = #"{"a?":"$approval.id","b?":"$question.id","c?":"$approval.summary","d?":"$question.summary"}"#
        let approval = PushSubjects.golden("approval")
        #expect(try Self.state(declared, of: approval) == #"{"a":"req_91","c":"Run: swift test"}"#)
        let question = PushSubjects.golden("question")
        #expect(try Self.state(declared, of: question) == #"{"b":"req_92","d":"Which branch?"}"#)
        #expect(try Self.state(declared, of: Self.plain) == "{}")
    }

    @Test("a UUID stays one, and anything else becomes one of its own")
    func uuids() {
        #expect(UUIDText.of("6f9619ff-8b86-d011-b42d-00cf4fc964ff") == "6F9619FF-8B86-D011-B42D-00CF4FC964FF")
        let made = (0..<1_000).map { UUIDText.of("session_\($0)") }
        #expect(Set(made).count == 1_000)
        for text in made {
            #expect(text == UUIDText.of(text))
            #expect(text.dropFirst(14).first == "8")
            #expect("89AB".contains(text.dropFirst(19).first ?? "?"))
        }
    }

    @Test("with generic and sealed no text of anybody's is there, and never null", arguments: [PushText.generic, .sealed])
    func withheld(text: PushText) throws {
        for profile in ProfileSet().all {
            for state in ProfileGoldenTests.states {
                var subject = PushSubjects.golden(state)
                subject.text = text
                let made = profile.attributes(subject) + profile.contentState(subject, bytesMax: 3_072)
                let shown = String(decoding: made, as: UTF8.self)
                for word in ["relay", "APNs", "claude", "build-server", "swift test", "branch", "tasks done", "Bash", "null"] {
                    #expect(!shown.contains(word), "\(profile.name) \(state): \(shown)")
                }
            }
        }
    }

    @Test("a profile that says less is heard, whatever the person chose")
    func redaction() throws {
        let profile = try Self.profile(Self.text(#"{"a?":"$title"}"#, more: #","text":"generic""#))
        #expect(profile.contentState(Self.plain, bytesMax: 3_072) == Array("{}".utf8))
    }

    @Test("what would hide or turn text around is spelled out")
    func visible() throws {
        let subject = PushSubjects.subject(PushSubjects.summary { $0.title = "a\u{202E}b\nc\u{7}" })
        #expect(try Self.state(#"{"a?":"$title"}"#, of: subject) == #"{"a":"a⟨U+202E⟩b⏎c⟨U+0007⟩"}"#)
    }

    // MARK: - Sets

    @Test("every shipped profile can be read, under its own name")
    func shipped() throws {
        let names = try Profile.shipped().map(\.name)
        #expect(names.sorted() == ["codingbridge", "delivery", "epic", "heliograph", "opencode", "swiftclimb"])
        let bridge = try #require(ProfileSet()["codingbridge"])
        #expect(bridge.maximumAge == 3_600_000)
    }

    @Test("a file takes the place of ours, and only of ours")
    func files() throws {
        let own = Array(#"{"bundle":"org.mine"}"#.utf8)
        let set = try ProfileSet(files: [("epic", own), ("mine", Array(#"{"bundle":"org.other"}"#.utf8))])
        #expect(set["epic"]?.bundle == "org.mine")
        #expect(set.all.count == 7)
        #expect(set["nobody"] == nil)
        let twice = #expect(throws: ProfileError.self) { try ProfileSet(files: [("mine", own), ("mine", own)]) }
        #expect(twice?.profile == "mine")
    }

    @Test("one bundle and attributes type has one profile; the operator's is named")
    func duplicates() throws {
        let epic = Array(
            #"{"bundle":"com.example.agents","attributesType":"SessionActivityAttributes","dates":"none","attributes":{},"contentState":{}}"#
                .utf8)
        let error = #expect(throws: ProfileError.self) { try ProfileSet(files: [("alike", epic)]) }
        #expect(error?.profile == "alike")
        #expect(error?.path == "attributesType")
        #expect(error?.message.contains("epic") == true)
        // Another type of the same app is another profile.
        let other = String(decoding: epic, as: UTF8.self).replacing("SessionActivity", with: "OtherActivity")
        #expect(try ProfileSet(files: [("other", Array(other.utf8))]).all.count == 7)
    }
}
