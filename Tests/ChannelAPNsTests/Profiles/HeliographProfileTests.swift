import ChannelAPNs
import PushPlanner
import PushTestSupport
import RelayProtocol
import Testing

/// Output of our own app's profile, field by field: `LiveActivityKit` declares the types that decode it.
@Suite("The profile heliograph") struct HeliographProfileTests {
    let profile = ProfileSet()["heliograph"]!

    private func state(_ subject: PushSubject) -> String {
        String(decoding: profile.contentState(subject, bytesMax: 3_072), as: UTF8.self)
    }

    @Test("a working session")
    func working() {
        #expect(
            state(PushSubjects.golden("working"))
                == #"{"status":"running","operation":"Editing APNsClient.swift","progress":{"completed":3,"total":7,"current":"#
                + #""Fix token refresh race"},"approvals":0,"questions":0,"costMicroUSD":413200,"operations":12,"messages":18,"#
                + #""startedAt":816869666,"updatedAt":816870896}"#)
        #expect(
            String(decoding: profile.attributes(PushSubjects.golden("working")), as: UTF8.self)
                == #"{"session":"sess_7f3a","title":"Fix APNs client","project":"relay","agent":"claude","host":"build-server"}"#
        )
    }

    @Test("a card of several sessions is of none of them, and says whose the approval is")
    func aggregate() {
        var subject = PushSubjects.golden("approval")
        subject.isOfAll = true
        subject.sessions = 3
        subject.budgetLevel = 80
        #expect(state(subject).contains(#""isQuestion":false,"session":"sess_7f3a"}"#))
        #expect(state(subject).contains(#""budgetLevel":80"#))
        #expect(state(subject).contains(#""sessions":3"#))
        #expect(!String(decoding: profile.attributes(subject), as: UTF8.self).contains("session"))
    }

    @Test("an approval is shown by its summary, which may not be allowed from there")
    func approval() {
        #expect(
            state(PushSubjects.golden("approval")).contains(
                #""approval":{"id":"req_91","tool":"Bash","summary":"Run: swift test","isQuestion":false},"#))
        #expect(
            state(PushSubjects.golden("question")).contains(
                #""approval":{"id":"req_92","tool":"AskUserQuestion","summary":"Which branch?","isQuestion":true},"#))
    }

    @Test("its own words are in the device's language, whatever the region")
    func german() {
        var subject = PushSubjects.golden("approval")
        subject.text = .generic
        subject.language = PushLanguage(tag: "de-AT")
        #expect(state(subject).contains(#""tool":"Ein Werkzeug","summary":"Ein Agent braucht eine Freigabe""#))
        subject.language = PushLanguage(tag: "fr")
        #expect(state(subject).contains(#""tool":"A tool","summary":"An agent needs approval""#))
    }

    private func asked(_ approval: Approval, text: PushText = .full) -> String {
        var subject = PushSubjects.golden("approval")
        subject.approval = approval
        subject.text = text
        return state(subject)
    }

    @Test("with full text a short one stands there whole")
    func whole() {
        #expect(
            asked(PushSubjects.approval()).contains(
                #""approval":{"id":"req_91","tool":"Bash","summary":"command: swift test","isQuestion":false,"isWhole":true},"#)
        )
    }

    static let dangerous: [Approval] = [
        PushSubjects.approval(isCut: true), PushSubjects.approval(isRedacted: true), PushSubjects.approval(alert: nil),
        PushSubjects.approval(tool: "Bаsh"), PushSubjects.approval(risks: ["Deletes files."]),
        PushSubjects.approval(tool: String(repeating: "t", count: 65)),
        PushSubjects.approval(alert: .command(String(repeating: "x", count: 152))),
        PushSubjects.approval(alert: .command("\n│ a\n│ b\n│ c\n│ d")),
        PushSubjects.approval(alert: .command("r\u{43c} -rf")),
        PushSubjects.approval(alert: .command("ls\u{202e}")),
        PushSubjects.approval(alert: RequestWords(full: "command: ls", isWhole: false)),
    ]

    @Test("one that is long, was cut or misleads does not", arguments: dangerous)
    func notWhole(approval: Approval) {
        #expect(!asked(approval).contains("isWhole"))
        #expect(asked(approval).contains("Run: swift test"))
    }

    @Test("nor does any with less than full text", arguments: [PushText.summary, .generic, .sealed])
    func lessText(text: PushText) {
        #expect(!asked(PushSubjects.approval(), text: text).contains("isWhole"))
    }

    @Test("what is said to be whole is never cut, however little room there is", arguments: 0..<40)
    func neverCut(seed: UInt64) throws {
        var hostile = Hostile(seed: seed)
        for status in SessionStatus.allCases {
            var subject = hostile.subject(status)
            subject.text = .full
            let input = "c: " + String(repeating: "\"", count: 75) + "x"
            subject.approval = PushSubjects.approval(
                tool: String(repeating: "t", count: 64), alert: RequestWords(full: input, isWhole: true))
            let made = try JSONDocument(parsing: profile.contentState(subject, bytesMax: 1_024)).root
            let approval = try made.required("approval")
            #expect(try approval.string("summary") == input)
            #expect(try approval.string("tool") == String(repeating: "t", count: 64))
        }
    }

    @Test("with generic text an approval is still one")
    func generic() {
        var subject = PushSubjects.golden("approval")
        subject.text = .generic
        #expect(
            state(subject).contains(
                #""approval":{"id":"req_91","tool":"A tool","summary":"An agent needs approval","isQuestion":false},"#))
    }

    @Test("its categories are those that the app registers")
    func categories() {
        #expect(profile.category(for: .approval, mayAllow: true) == "HELIOGRAPH_APPROVAL")
        #expect(profile.category(for: .approval, mayAllow: false) == "HELIOGRAPH_APPROVAL_REVIEW")
        #expect(profile.category(for: .question, mayAllow: false) == "HELIOGRAPH_QUESTION")
        #expect(profile.category(for: .finished, mayAllow: false) == "HELIOGRAPH_STATUS")
    }
}
