import AgentTestSupport
import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

/// The transcripts are from Claude Code 2.1.329.
@Suite("Claude Code: conversations that are rewound at the terminal")
struct ClaudeRewindTests {
    private static let path = "/home/dev/.claude/projects/-home-dev-proj/one.jsonl"

    private struct Prompt {
        var name: String
        var text: String
        /// The transcript before the prompt's line, and with it.
        var before: String
        var written: String
    }

    private static func lines(_ fixture: String) throws -> [String] {
        try ClaudeBench.text("transcript-\(fixture).jsonl").split(separator: "\n").map { $0 + "\n" }
    }

    private static func prompts(_ fixture: String) throws -> [Prompt] {
        let lines = try lines(fixture)
        return try lines.indices.compactMap { place in
            let line = try JSONDocument(parsing: Array(lines[place].utf8)).root
            guard let name = line.text("promptId"), line.text("promptSource") == "typed" else { return nil }
            let before = lines[..<place].joined()
            let text = try line.required("message").string("content")
            return Prompt(name: name, text: text, before: before, written: before + lines[place])
        }
    }

    private static func transcript(_ text: String) -> ClaudeTranscript {
        ClaudeTranscript(name: "one", bytes: Array(text.utf8), start: 0)
    }

    @Test(
        "the prompt after which a conversation goes on is found; a summary of what was said forgets nothing",
        arguments: [
            ("rewound", ["two": .last, "three": .last, "four": .earlier(prompt: "one")]),
            ("rewound-by-escape", ["two": .last, "slow one": .last, "after": .earlier(prompt: "queued B")]),
            (
                "rewound-after-summaries",
                ["three": .last, "four": .last, "five": .last, "six": .last, "seven": .earlier(prompt: "four")]
            ),
        ] as [(String, [String: ClaudeTranscript.Continuation])])
    func recorded(_ fixture: String, _ expected: [String: ClaudeTranscript.Continuation]) throws {
        let prompts = try Self.prompts(fixture)
        for prompt in prompts {
            guard let continuation = expected[prompt.text] else { continue }
            #expect(Self.transcript(prompt.written).continuation(of: prompt.name) == continuation, "\(prompt.text)")
            #expect(Self.transcript(prompt.before).continuation(of: prompt.name) == nil, "it is not written yet")
            guard prompt.name == prompts.last?.name else { continue }
            let whole = try Self.lines(fixture).joined()
            #expect(Self.transcript(whole).continuation(of: prompt.name) == continuation, "what comes after it changes nothing")
        }
    }

    private static func line(_ number: Int, after parent: Int?, _ text: String) -> String {
        let parent = parent.map { #""u\#($0)""# } ?? "null"
        return
            #"{"parentUuid":\#(parent),"promptId":"p\#(number)","type":"user","message":{"role":"user","content":"\#(text)"},"#
            + #""uuid":"u\#(number)","origin":{"kind":"human"}}"# + "\n"
    }

    @Test("it may go on from its beginning, or from a command; what is further ahead than was read is unknown")
    func places() {
        let command =
            "<command-message>greet</command-message>\\n<command-name>/greet</command-name>\\n<command-args>Ada</command-args>"
        let two = Self.line(1, after: nil, command) + Self.line(2, after: 1, "two")
        #expect(Self.transcript(two + Self.line(3, after: nil, "three")).continuation(of: "p3") == .earlier(prompt: nil))
        #expect(Self.transcript(two + Self.line(3, after: 1, "three")).continuation(of: "p3") == .earlier(prompt: "/greet Ada"))
        #expect(Self.transcript(two + Self.line(3, after: 9, "three")).continuation(of: "p3") == .last)
        #expect(Self.transcript(Self.line(1, after: nil, "one")).continuation(of: "p1") == .last)
        #expect(
            Self.transcript("").continuation(of: "p1") == .last, "a version that does not say who wrote what is not waited for")
    }

    @Test("a second rewinding passes over what the first one has taken back")
    func twice() {
        let lines = Self.line(1, after: nil, "one") + Self.line(2, after: 1, "two") + Self.line(3, after: 1, "three")
        #expect(Self.transcript(lines + Self.line(4, after: 3, "four")).continuation(of: "p4") == .last)
        #expect(Self.transcript(lines + Self.line(4, after: 1, "four")).continuation(of: "p4") == .earlier(prompt: "one"))
    }

    // MARK: As hooks report it

    private func prompted(_ bench: inout ClaudeBench, _ prompt: Prompt) throws {
        try bench.call(
            #"{"session_id":"one","transcript_path":"\#(Self.path)","cwd":"/home/dev/proj","prompt_id":"\#(prompt.name)","#
                + #""hook_event_name":"UserPromptSubmit","prompt":"\#(prompt.text)"}"#)
    }

    /// A session whose fourth and last prompt continues from the first, and is not in the transcript yet.
    private func rewound() throws -> (ClaudeBench, Prompt) {
        var bench = ClaudeBench()
        var prompts = try Self.prompts("rewound")
        let last = prompts.removeLast()
        for prompt in prompts {
            bench.transcripts[Self.path] = prompt.written
            try prompted(&bench, prompt)
        }
        let said = bench.take().filter { $0.hasPrefix("message") || $0 == "rewound" }
        #expect(said == ["message user: one", "message user: two", "message user: three"], "each at once")
        bench.transcripts[Self.path] = last.before
        try prompted(&bench, last)
        return (bench, last)
    }

    private static func events(_ bench: inout ClaudeBench) -> [String] { bench.take().filter { !$0.hasPrefix("hook") } }

    @Test("what is forgotten is said before the prompt that goes on from an earlier place")
    func told() throws {
        var (bench, last) = try rewound()
        #expect(Self.events(&bench) == [])
        bench.pass(.milliseconds(300))
        #expect(Self.events(&bench) == [])
        bench.transcripts[Self.path] = last.written
        bench.pass(ClaudeLimits().promptLineCheck)
        #expect(Self.events(&bench) == ["rewound", "message user: four"])
        #expect(try bench.body(.rewound).text("text") == "one")
        bench.pass(.seconds(5))
        #expect(Self.events(&bench) == [])
    }

    @Test("a line that never comes is waited for less than two seconds")
    func neverWritten() throws {
        var (bench, _) = try rewound()
        bench.pass(.milliseconds(1_800))
        #expect(Self.events(&bench) == [])
        bench.pass(.milliseconds(150))
        #expect(Self.events(&bench) == ["message user: four"])
    }

    @Test("a question does not wait, nor does the end of the session")
    func urgent() throws {
        let common = #""session_id":"one","transcript_path":"\#(Self.path)","cwd":"/home/dev/proj""#
        var (bench, last) = try rewound()
        bench.transcripts[Self.path] = last.written
        try bench.call(
            #"{\#(common),"hook_event_name":"PermissionRequest","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"ls"}}"#
        )
        #expect(Self.events(&bench) == ["rewound", "message user: four", "approval.requested Run: ls"])
        (bench, _) = try rewound()
        try bench.call(#"{\#(common),"hook_event_name":"SessionEnd","reason":"other"}"#)
        #expect(Self.events(&bench).filter { !$0.hasPrefix("usage") } == ["message user: four", "session.ended "])
    }

    @Test("a prompt that waits outlives the daemon")
    func restarted() throws {
        let (bench, _) = try rewound()
        var next = ClaudeBench()
        next.tell(.daemonStarted(notes: bench.notes))
        #expect(next.take().contains("message user: four"))
        var third = ClaudeBench()
        third.tell(.daemonStarted(notes: bench.notes.merging(next.notes) { $1 }))
        #expect(!third.take().contains("message user: four"))
    }
}
