import RelayProtocol
import Testing

@testable import HostCore

@Suite("What a notification may say of a request") struct RequestWordsTests {
    private static func request(_ kind: ApprovalKind = .tool, tool: String = "Bash") -> ApprovalRequest {
        ApprovalRequest(
            approval: ApprovalID("a1")!, kind: kind, tool: tool, title: "Run: ls",
            digest: InputDigest(String(repeating: "a", count: 64))!)
    }

    private func words(_ input: String, _ change: (inout ApprovalRequest) -> Void = { _ in }) throws -> RequestWords? {
        var request = Self.request()
        change(&request)
        return RequestWords(request, input: try JSONDocument(parsing: input).root)
    }

    static let inputs: [(input: String, shown: String)] = [
        (#"{"command":"ls","description":"List"}"#, "command: ls\ndescription: List"),
        (#"{"command":"a\nb"}"#, "command:\n│ a\n│ b"),
        (#"{"command":"ok\ntimeout: 5"}"#, "command:\n│ ok\n│ timeout: 5"),
        (#"{"n":5,"list":["a", {"b":null}]}"#, #"n: 5"# + "\n" + #"list: ["a", {"b":null}]"#),
        (#"{"n":9007199254740993,"l":[12345678901234567891,1e400]}"#, "n: 9007199254740993\nl: [12345678901234567891,1e400]"),
        (#"{"a\nb":"c"}"#, "a⏎b: c"),
        (#"{"command":"rm \u202e-rf\u0000"}"#, "command: rm ⟨U+202E⟩-rf⟨U+0000⟩"),
        (#"{"command":"⟨redacted⟩"}"#, "command: ⟨redacted⟩"),
        ("{}", "no input"),
        (#""text""#, "input: text"),
        ("[1,2]", "input: [1,2]"),
        ("null", "input: null"),
    ]

    @Test("every part of the input has its name, and no line of it can pass for another part", arguments: inputs)
    func partsOfInput(input: String, shown: String) throws {
        let words = try #require(try self.words(input))
        #expect(Array(try #require(words.full).unicodeScalars) == Array(shown.unicodeScalars))
        #expect(words.isWhole)
        #expect(VisibleText.exact(shown) == shown, "the relay shows nothing else")
    }

    @Test("who chose summaries reads the command, and nothing else of the input")
    func command() throws {
        #expect(try words(#"{"command":"ls","description":"List"}"#)?.summary == "Run: ls")
        #expect(try words(#"{"command":"a\nb"}"#)?.summary == "Run:\n│ a\n│ b")
        #expect(try words(#"{"command":""}"#)?.summary == nil)
        #expect(try words(#"{"command":5}"#)?.summary == nil)
        #expect(try words(#"{"file_path":"a"}"#)?.summary == nil)
    }

    @Test("with a redacted value it is shown, but is not whole")
    func redacted() throws {
        let words = try words(#"{"command":"curl -H ⟨redacted⟩"}"#) { $0.isRedacted = true }
        #expect(words == RequestWords(full: "command: curl -H ⟨redacted⟩", summary: "Run: curl -H ⟨redacted⟩"))
    }

    @Test("letters that may be read as others are shown, and are not whole", arguments: ["r\u{43C} -rf", "שלום", "\u{605}"])
    func misleading(text: String) throws {
        let words = try #require(try words(#"{"command":"\#(text)"}"#))
        #expect(words.full == "command: " + VisibleText.exact(text) && !words.isWhole)
        #expect(try self.words(#"{"\#(text)":"ls"}"#)?.isWhole == false)
        #expect(try self.words("{}") { $0.tool = text }?.isWhole == false)
    }

    @Test("what was cut has none, and what is longer than a notification only what fits")
    func cut() throws {
        #expect(try words(#"{"command":"ls"}"#) { $0.isCut = true } == nil)
        let long = String(repeating: "x", count: RequestWords.bytesMax)
        #expect(try words(#"{"command":"\#(long)"}"#) == nil)
        #expect(try words(#"{"command":"\#(String(repeating: #"x\n"#, count: 20))"}"#) == nil)
        #expect(try words(#"{"command":"ls","content":"\#(long)"}"#) == RequestWords(summary: "Run: ls"))
        let nineteen = Array(repeating: "x", count: 19).joined(separator: #"\n"#)
        #expect(try words(#"{"command":"\#(nineteen)"}"#)?.isWhole == true)
    }

    @Test("a question stands there with its choices")
    func question() {
        let request = Self.request(.question, tool: "AskUserQuestion")
        let question = ShownQuestion(
            text: "Which branch?", choices: [(label: "main", description: nil), (label: "dev", description: "new")])
        #expect(
            RequestWords(request, questions: [question])
                == RequestWords(full: "Which branch?\n• main\n• dev — new", isWhole: true))
        #expect(RequestWords(request, questions: []) == nil)
    }
}
