import RelayProtocol
import Testing

@testable import HostCore

@Suite struct EditedInputTests {
    private let asked = Array(#"{"command": "rm -rf build", "timeout": 1.50, "é\u0022": null,"description":"Clean"}"#.utf8)

    private func edited(_ edit: String, editable: [String] = ["command"]) throws -> String {
        String(decoding: try EditedInput(edit, of: asked, editable: editable).bytes, as: UTF8.self)
    }

    @Test func `all but the changed text stays as the agent wrote it, byte for byte`() throws {
        #expect(
            try edited(#"{"command":"rm -rf \u0062in\n"}"#)
                == #"{"command":"rm -rf bin\n","timeout":1.50,"é\u0022":null,"description":"Clean"}"#)
    }

    @Test func `the texts are those that could be changed, changed or not`() throws {
        let input = try EditedInput(#"{"description":"Clear"}"#, of: asked, editable: ["command", "description", "timeout"])
        #expect(input.texts.map(\.question) == ["command", "description"])
        #expect(input.texts.map(\.value) == ["rm -rf build", "Clear"])
        let ran = try JSONDocument(parsing: input.bytes).root
        #expect(
            DeskBench.digests.answers(EditedInput.texts(of: ["description", "command"], in: ran))
                == DeskBench.digests.answers(input.texts))
    }

    @Test(
        arguments: [
            "", "null", "[]", #""ls""#, "{}", #"{"command":7}"#, #"{"command":null}"#, #"{"command":{"a":"b"}}"#,
            #"{"command":"rm -rf build"}"#, #"{"description":"x"}"#, #"{"command":"ls","description":"x"}"#,
            #"{"command":"ls","command":"ls"}"#, #"{"command":"ls"} x"#, #"{"other":"x"}"#,
            #"{"tool":"Write","command":"ls"}"#,
            #"{"timeout":"9"}"#, #"{"command":"\ud800"}"#,
        ])
    func `an edit of anything else is refused`(edit: String) {
        #expect(throws: EditError.malformed) { try edited(edit) }
    }

    @Test func `a member that is no text cannot become one`() {
        #expect(throws: EditError.malformed) { try edited(#"{"timeout":"9"}"#, editable: ["command", "timeout"]) }
        #expect(throws: EditError.malformed) { try EditedInput(#"{"command":"ls"}"#, of: [], editable: ["command"]) }
    }
}
