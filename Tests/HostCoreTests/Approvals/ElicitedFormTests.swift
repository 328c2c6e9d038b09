import RelayProtocol
import Testing

@testable import HostCore

@Suite("a server's form as questions")
struct ElicitedFormTests {
    private static let whole = #"""
        {"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,"required":["sure","port","name"],
         "properties":{"sure":{"type":"boolean","title":"Sure"},
          "port":{"type":"integer","minimum":1,"maximum":65535,"default":80},
          "name":{"type":"string","description":"of the release","minLength":2,"maxLength":8},
          "mail":{"type":"string","format":"email"},
          "stage":{"type":"string","enum":["p","s"],"enumNames":["Production","Staging"],"default":"s"},
          "regions":{"type":"array","minItems":1,"items":{"anyOf":[{"const":"eu","title":"Europe"},{"const":"us","title":"America"}]}}}}
        """#

    private func form(_ schema: String, message: String = "Ship?") throws -> ElicitedForm? {
        ElicitedForm(message: message, schema: try JSONDocument(parsing: schema).root, clean: { $0 })
    }

    private static func answer(_ id: String, _ choices: String..., text: String? = nil) -> Answer {
        Answer(question: id, choices: choices, text: text)
    }

    private static let answers = [
        answer("q0", "Yes"), answer("q1", text: " 8080 "), answer("q2", text: "v1.2"), answer("q3", "Leave it out"),
        answer("q4", "Production"), answer("q5", "Europe", "America"),
    ]

    @Test("each field is a question that says what it takes")
    func questions() throws {
        let questions = try #require(try form(Self.whole)).questions
        #expect(
            questions.map(\.shownText) == [
                "Ship? · Sure", "port (a whole number, 1 or more, 65535 or less; by default: 80)",
                "name of the release (2 to 8 characters)", "mail (email; may be left out)",
                "stage (by default: Staging; may be left out)", "regions (1 or more of these; may be left out)",
            ])
        #expect(questions[0].choices.map(\.shownLabel) == ["Yes", "No"])
        #expect(questions[4].choices.map(\.shownLabel) == ["Production", "Staging", "Leave it out"])
        #expect(questions.map(\.isMultiple) == [false, false, false, false, false, true])
        #expect(questions.map(\.takesWords) == [false, true, true, true, false, false])
    }

    @Test("it is filled in as the server takes it, and what is left out is not there")
    func filledIn() throws {
        let form = try #require(try form(Self.whole))
        let filledIn = try #require(form.answer(Self.answers))
        #expect(
            String(decoding: filledIn.content, as: UTF8.self)
                == #"{"sure":true,"port":8080,"name":"v1.2","stage":"p","regions":["eu","us"]}"#)
        let again = try JSONDocument(
            parsing: #"{"regions":["eu","us"],"port":8080.0,"name":"v1.2","sure":true,"stage":"\u0070"}"#)
        let said = ElicitedForm.values(of: again.root)
        #expect(said.map(\.question) == filledIn.values.map(\.question) && said.map(\.value) == filledIn.values.map(\.value))
    }

    @Test("of several choices as many are taken as the server wants")
    func counts() throws {
        let form = try #require(
            try form(
                #"{"type":"object","required":["r"],"properties":{"r":{"type":"array","minItems":2,"maxItems":2,"#
                    + #""items":{"enum":["a","b","c"]}}}}"#))
        for (labels, fits) in [(["a"], false), (["a", "b"], true), (["a", "b", "c"], false)] {
            #expect((form.answer([Answer(question: "q0", choices: labels)]) != nil) == fits, "\(labels)")
        }
    }

    @Test(
        "what does not fit a field is no answer",
        arguments: [
            (0, answer("q0", text: "yes")), (1, answer("q1", text: "eighty")), (1, answer("q1", text: "1.5")),
            (1, answer("q1", text: "0")), (2, answer("q2", text: "x")), (3, answer("q3", text: "nobody")),
            (4, answer("q4", text: "Moon")), (5, answer("q5", "Europe", "Leave it out")), (0, answer("q0")),
            (0, answer("q1", "Yes")),
        ])
    func misfit(_ place: Int, _ answer: Answer) throws {
        let form = try #require(try form(Self.whole))
        #expect(!form.takes(answer, at: place))
        var answers = Self.answers
        answers[place] = answer
        #expect(form.answer(answers) == nil)
    }

    @Test("a form without a field asks whether to go on")
    func confirmation() throws {
        let form = try #require(try form(#"{"type":"object","properties":{}}"#))
        #expect(form.questions.map(\.shownText) == ["Ship?"])
        #expect(form.answer([Self.answer("q0", "Accept")]).map { String(decoding: $0.content, as: UTF8.self) } == "{}")
        #expect(form.answer([Self.answer("q0", text: "ok")]) == nil)
    }

    @Test(
        "a form that is not known whole is none",
        arguments: [
            #"{"type":"array"}"#, #"{"type":"object","properties":{},"allOf":[]}"#,
            #"{"type":"object","properties":{"a":{"type":"object"}}}"#,
            #"{"type":"object","properties":{"a":{"type":"string","pattern":"x"}}}"#,
            #"{"type":"object","properties":{"a":{"type":"string","format":"password"}}}"#,
            #"{"type":"object","properties":{"a":{"type":"boolean"}},"required":["b"]}"#,
            #"{"type":"object","properties":{"a":{"type":"string","enum":["x","x"]}}}"#,
            #"{"type":"object","properties":{"a":{"type":"string","enum":["x"],"enumNames":["X","Y"]}}}"#,
            #"{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}"#,
            #"{"type":"object","properties":{"a":{"type":"integer","minimum":3,"maximum":1}}}"#, #"[]"#,
            #"{"type":"object","properties":{"a":{"type":"integer","minimum":"3"}}}"#,
        ])
    func unknown(_ schema: String) throws { #expect(try form(schema) == nil) }

    @Test("numbers that no double holds are shown, compared and sent as they were written")
    func exactNumbers() throws {
        let form = try #require(
            try form(
                #"{"type":"object","required":["n"],"properties":{"n":{"type":"integer","minimum":9007199254740993,"#
                    + #""maximum":12345678901234567891,"default":9007199254740995}}}"#))
        #expect(
            form.questions[0].shownText
                == "Ship? · n (a whole number, 9007199254740993 or more, 12345678901234567891 or less; by default: 9007199254740995)"
        )
        #expect(!form.takes(Self.answer("q0", text: "9007199254740992"), at: 0))
        #expect(!form.takes(Self.answer("q0", text: "12345678901234567892"), at: 0))
        let filledIn = try #require(form.answer([Self.answer("q0", text: "9007199254740997")]))
        #expect(String(decoding: filledIn.content, as: UTF8.self) == #"{"n":9007199254740997}"#)
        let other = ElicitedForm.values(of: try JSONDocument(parsing: #"{"n":9007199254740996}"#).root)
        #expect(other.map(\.value) != filledIn.values.map(\.value), "another number is another answer")
    }

    @Test(
        "what a person types for a number is sent in JSON's spelling, and nothing that is none",
        arguments: [
            ("0.1000000000000000055", "0.1000000000000000055"), (".5", "0.5"), ("+7.", "7"), ("-007.50", "-7.50"),
            ("1e3", "1e3"),
            ("0x1F", nil), ("nan", nil), ("inf", nil), ("1e400", nil), ("1,5", nil), ("", nil), ("-", nil), (".", nil),
            ("٥", nil),
        ] as [(String, String?)])
    func typed(_ text: String, _ sent: String?) throws {
        let form = try #require(try form(#"{"type":"object","required":["n"],"properties":{"n":{"type":"number"}}}"#))
        let content = form.answer([Self.answer("q0", text: text)]).map { String(decoding: $0.content, as: UTF8.self) }
        #expect(content == sent.map { #"{"n":\#($0)}"# })
    }
}
