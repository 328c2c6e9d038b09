import ChannelAPNs
import PushPlanner
import RelayProtocol
import Testing

/// A profile that could fail in use fails when it is read, and the error names the field.
@Suite("Profiles that are refused") struct ProfileErrorTests {
    struct Refused: CustomTestStringConvertible {
        var text: String
        var path: String
        /// A part of the error's sentence.
        var part: String

        init(_ text: String, _ path: String, _ part: String) {
            self.text = text
            self.path = path
            self.part = part
        }

        var testDescription: String { "\(path): \(part)" }
    }

    private static func state(_ state: String, _ path: String, _ part: String) -> Refused {
        Refused(ProfileTests.text(state), path, part)
    }

    private static func more(_ more: String, _ path: String, _ part: String) -> Refused {
        Refused(ProfileTests.text("{}", more: "," + more), path, part)
    }

    static let files = [
        Refused("{", "byte 1", "the text ends"),
        Refused("[]", "the whole file", "an object"),
        Refused("{}", "bundle", "missing"),
        Refused(#"{"bundle":"com example"}"#, "bundle", "letters, digits"),
        Refused(#"{"bundle":"a","":1}"#, #"the key """#, "there is no such key here"),
        Refused(#"{"bundle":"a","stalAfter":1}"#, "stalAfter", "there is no such key here; there are: bundle"),
        Refused(#"{"bundle":"a","contentState":{}}"#, "contentState", "attributesType"),
        Refused(#"{"bundle":"a","dates":"none"}"#, "dates", "attributesType"),
        Refused(#"{"bundle":"a","attributesType":"A B"}"#, "attributesType", "Swift type"),
        Refused(#"{"bundle":"a","attributesType":"A"}"#, "dates", "missing"),
        Refused(#"{"bundle":"a","attributesType":"A","dates":"none"}"#, "attributes", "missing"),
        Refused(#"{"bundle":"a","attributesType":"A","dates":"none","attributes":{}}"#, "contentState", "missing"),
        Refused(ProfileTests.text("{}", dates: "iso8601"), "dates", "reference2001, unix, none"),
    ]

    static let settings = [
        more(#""team":"abc""#, "team", "10 of A-Z 0-9"),
        more(#""text":"sealed""#, "text", "for the person to choose"),
        more(#""text":"loud""#, "text", "full, summary, generic"),
        more(#""staleAfterSeconds":1"#, "staleAfterSeconds", "between 60 and"),
        more(#""staleAfterSeconds":"900""#, "staleAfterSeconds", "a number"),
        more(#""maximumAgeSeconds":28801"#, "maximumAgeSeconds", "28800"),
        more(#""dismissalSeconds":{"completed":14401}"#, "dismissalSeconds.completed", "14400"),
        more(#""dismissalSeconds":{"done":1}"#, "dismissalSeconds.done", "completed, failed, cancelled"),
        more(#""limits":{"textBytes":4}"#, "limits.textBytes", "between 16"),
        more(#""limits":{"totalBytes":5120}"#, "limits.totalBytes", "4096"),
        more(#""limits":{"bytes":1}"#, "limits.bytes", "textBytes, totalBytes"),
        more(#""categories":{"approve":"a"}"#, "categories.approve", "approvalWithoutAllow"),
        more(#""categories":{"approval":"a b"}"#, "categories.approval", "identifier"),
        more(#""categories":{"approval":"a","approvalWithoutAllow":"a"}"#, "categories.approvalWithoutAllow", "unseen"),
        more(#""categories":{"approval":"a","question":"a"}"#, "categories.question", "unseen"),
        more(#""categories":{"approval":"a","other":"a"}"#, "categories.other", "unseen"),
        more(#""relevance":{"running":101}"#, "relevance.running", "between 0 and 100"),
        more(#""relevance":{"busy":1}"#, "relevance.busy", "waitingApproval"),
        more(#""closingText":1"#, "closingText", "a string"),
        more(#""closingText":{"de":"x"}"#, "closingText.de", "there are: byLanguage"),
        more(#""closingText":{"byLanguage":{"de":"x"}}"#, "closingText.byLanguage.else", "every other language"),
        more(
            #""closingText":{"byLanguage":{"de":"\#(String(repeating: "x", count: 101))","else":"y"}}"#,
            "closingText.byLanguage.de", "at most 100 bytes"),
    ]

    static let states = [
        state(#"{"a":"$titel"}"#, "contentState.a", "there is no $titel; there are: $session"),
        state(#"{"a":null}"#, "contentState.a", "a constant"),
        state(#"{"a":[1]}"#, "contentState.a", "a constant"),
        state(#"{"a":1e999}"#, "contentState.a", "a constant"),
        state(#"{"?":1}"#, "contentState.?", "a field has a name"),
        state(#"{"a??":1}"#, "contentState.a??", "only behind it"),
        state(#"{"a":1,"a?":2}"#, "contentState.a?", "is here already"),
        state(#"{"a":"$title"}"#, "contentState.a", #"write its name as "a?""#),
        state(#"{"a":"$costMicroUSD"}"#, "contentState.a", #"{"first": ["$costMicroUSD", …]}"#),
        state(#"{"a":{"dollars":"$costMicroUSD"}}"#, "contentState.a", "can be absent"),
        state(#"{"a":{"ratio":["$operations","$messages"]}}"#, "contentState.a", "can be absent"),
        state(#"{"a":{"date":"$endedAt"}}"#, "contentState.a", "can be absent"),
        state(#"{"a":{"name":"$session"}}"#, "contentState.a", "can be absent"),
        state(#"{"a":{"object":{"b":"$error"}}}"#, "contentState.a", "can be absent"),
        state(#"{"a":{"first":["$title","$error"]}}"#, "contentState.a", "can be absent"),
        state(#"{"a":{"byStatus":{"running":"$operation","else":"x"}}}"#, "contentState.a", "can be absent"),
        state(#"{"a":{"byStatus":{"running":null,"else":"x"}}}"#, "contentState.a", "can be absent"),
        state(#"{"a":"$now"}"#, "contentState.a", #"write {"date": "$now"}"#),
        state(#"{"a":{"first":["$endedAt","$now"]}}"#, "contentState.a", "a moment is no field yet"),
        state(#"{"a":{"first":[]}}"#, "contentState.a.first", "this is empty"),
        state(#"{"a":{"first":["$title","x","$error"]}}"#, "contentState.a.first[2]", "never reached"),
        state(#"{"a":{"first":["$title",0]}}"#, "contentState.a.first[1]", "both text and whole"),
        state(#"{"a":{"first":"$title"}}"#, "contentState.a.first", "an array"),
        state(#"{"a":{}}"#, "contentState.a", "one operation belongs here: first, object"),
        state(#"{"a":{"first":["x"],"date":"$now"}}"#, "contentState.a", "one operation"),
        state(#"{"a":{"frist":["x"]}}"#, "contentState.a.frist", "there is no such operation"),
        state(#"{"a":{"first":["x"],"plusSeconds":1}}"#, "contentState.a.plusSeconds", "only a date"),
        state(#"{"a":{"date":"$title"}}"#, "contentState.a.date", "a moment, such as"),
        state(#"{"a":{"date":816870896}}"#, "contentState.a.date", "a moment, such as"),
        state(#"{"a":{"date":"$now","plusSeconds":0.5}}"#, "contentState.a.plusSeconds", "a whole number"),
        state(#"{"a":{"dollars":"$title"}}"#, "contentState.a.dollars", "micro-dollars"),
        state(#"{"a":{"dollars":0.5}}"#, "contentState.a.dollars", "micro-dollars"),
        state(#"{"a":{"ratio":["$operations"]}}"#, "contentState.a.ratio", "two whole numbers, [part, whole]"),
        state(#"{"a":{"ratio":["$operations","$now"]}}"#, "contentState.a.ratio[1]", "whole numbers"),
        state(#"{"a":{"seconds":["$startedAt",1]}}"#, "contentState.a.seconds[1]", "moments, [from, to]"),
        state(#"{"a":{"name":"$operations"}}"#, "contentState.a.name", "text, such as"),
        state(#"{"a":{"uuid":1}}"#, "contentState.a.uuid", "text, such as"),
        state(#"{"a":{"byStatus":{"running":"x"}}}"#, "contentState.a.byStatus", "waitingApproval, waitingAnswer, idle"),
        state(#"{"a":{"byStatus":{"busy":"x","else":"y"}}}"#, "contentState.a.byStatus.busy", "there is no such status"),
        state(#"{"a":{"byStatus":{"idle":1,"else":"y"}}}"#, "contentState.a.byStatus.else", "both whole and text"),
        state(#"{"a?":{"byStatus":{"else":null}}}"#, "contentState.a?.byStatus", "every status is null"),
        state(#"{"a":{"byLanguage":{"de":"x"}}}"#, "contentState.a.byLanguage.else", "every other language"),
        state(#"{"a":{"byLanguage":{"de-AT":"x","else":"y"}}}"#, "contentState.a.byLanguage.de-AT", "in small letters"),
        state(#"{"a":{"byLanguage":{"de":1,"else":"y"}}}"#, "contentState.a.byLanguage", "cannot be both"),
        state(#"{"a":{"byLanguage":{"de":"$title","else":"y"}}}"#, "contentState.a", "can be absent"),
        state(#"{"a":{"object":{"b":{"first":["$x"]}}}}"#, "contentState.a.object.b.first[0]", "there is no $x"),
    ]

    @Test("the error names the field and says what to do", arguments: files + settings + states)
    func refused(_ refused: Refused) throws {
        let error = #expect(throws: ProfileError.self) { try ProfileTests.profile(refused.text) }
        #expect(error?.path == refused.path)
        #expect(error?.message.contains(refused.part) == true, "\(error?.description ?? "")")
        #expect(error?.description == "profile app: \(refused.path): \(error?.message ?? "")")
    }

    @Test("each status that is missing is named", arguments: SessionStatus.allCases)
    func partialStatusMap(missing: SessionStatus) throws {
        let words = SessionStatus.allCases.filter { $0 != missing }.map { "\"\($0.rawValue)\":\"x\"" }.joined(separator: ",")
        let error = #expect(throws: ProfileError.self) {
            try ProfileTests.profile(ProfileTests.text(#"{"a":{"byStatus":{\#(words)}}}"#))
        }
        #expect(error?.path == "contentState.a.byStatus")
        #expect(error?.message.contains("for \(missing.rawValue):") == true)
    }

    @Test("an else that no status reaches is refused")
    func uselessElse() throws {
        let words = SessionStatus.allCases.map { "\"\($0.rawValue)\":\"x\"" }.joined(separator: ",")
        let error = #expect(throws: ProfileError.self) {
            try ProfileTests.profile(ProfileTests.text(#"{"a":{"byStatus":{\#(words),"else":"y"}}}"#))
        }
        #expect(error?.path == "contentState.a.byStatus.else")
    }

    @Test("a card without dates has none")
    func datesNone() throws {
        let error = #expect(throws: ProfileError.self) {
            try ProfileTests.profile(ProfileTests.text(#"{"a":{"date":"$now"}}"#, dates: "none"))
        }
        #expect(error?.path == "contentState.a")
        #expect(error?.message.contains("reference2001") == true)
    }

    @Test("constants that leave no room for a push are refused")
    func tooMuch() throws {
        let long = String(repeating: "x", count: 1_100)
        let inState = #expect(throws: ProfileError.self) {
            try ProfileTests.profile(ProfileTests.text(#"{"a":"\#(long)"}"#))
        }
        #expect(inState?.path == "contentState")
        #expect(inState?.message.contains("without any text") == true)
        let inAttributes = #expect(throws: ProfileError.self) {
            try ProfileTests.profile(ProfileTests.text("{}", attributes: #"{"a":"\#(long.prefix(600))"}"#))
        }
        #expect(inAttributes?.path == "attributes")
    }

    @Test("a profile is named as a file can be", arguments: ["", "a b", "ä", "a/b", String(repeating: "a", count: 65)])
    func names(name: String) throws {
        let error = #expect(throws: ProfileError.self) {
            try Profile(parsing: Array(#"{"bundle":"a"}"#.utf8), name: name)
        }
        #expect(error?.path == "name")
    }
}
