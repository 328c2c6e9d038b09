@testable import HeliographHost
import RelayProtocol
import Testing

@Suite("Claude Code's settings")
struct ClaudeSettingsTests {
    static let executable = "/opt/heliograph/bin/heliograph"

    static let shapes: [(name: String, text: String)] = [
        ("empty object", "{}"),
        ("empty object and newline", "{}\n"),
        ("space inside", "{ }\n"),
        ("line break inside", "{\n}\n"),
        ("blank line inside", "{\n\n}\n"),
        ("space around", "\n  {}\n\n"),
        ("a byte-order mark", "\u{FEFF}{\n  \"a\": 1,\n  \"hooks\": {}\n}\n"),
        ("a key that occurs twice", #"{"hooks":{"Stop":[]},"a":1,"hooks":{"SessionEnd":[]}}"#),
        ("one member", "{\n  \"model\": \"opus\"\n}\n"),
        ("four spaces", "{\n    \"a\": 1,\n    \"b\": {\n        \"c\": []\n    }\n}\n"),
        ("tabs", "{\n\t\"a\": 1,\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t}\n}\n"),
        ("carriage returns", "{\r\n  \"a\": 1,\r\n  \"hooks\": {}\r\n}\r\n"),
        ("no newline at the end", "{\n  \"a\": 1\n}"),
        ("minified", #"{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]},"b":[]}"#),
        ("minified and empty hooks", #"{"hooks":{},"env":{}}"#),
        ("one line with space", #"{ "a": 1, "hooks": { "Stop": [ ] } }"#),
        ("odd space", "{ \"a\" : 1 ,\n\"b\":2\n\n}  "),
        ("empty hooks", "{\n  \"hooks\": {}\n}\n"),
        ("hooks with a line break inside", "{\n  \"hooks\": {\n  }\n}\n"),
        ("hooks with space inside", "{\n  \"hooks\": { },\n  \"env\": {\n\n  }\n}\n"),
        ("empty event", "{\n  \"hooks\": {\n    \"PreToolUse\": []\n  }\n}\n"),
        (
            "another tool's hooks",
            """
            {
              "permissions": { "allow": ["Bash(ls:*)"], "deny": [] },
              "hooks": {
                "PreToolUse": [
                  {
                    "matcher": "Bash",
                    "hooks": [
                      { "type": "command", "command": "other hook claude PreToolUse" }
                    ]
                  }
                ],
                "Custom": [{"hooks": []}, 1, null],
                "Stop": [{"hooks": [{"type": "command", "command": "/usr/bin/say 'done; $X'"}]}]
              },
              "unknown": {"\\u0061": 1.50e3}
            }

            """
        ),
        ("a status line", #"{"statusLine": {"type": "command", "command": "~/bin/line.sh", "padding": 0}}"#),
        (
            "a status line with every spelling of a quote",
            #"{"statusLine":{"command":"echo 'a' \"b\" \\ \u0027c\u0027 caf\u00e9 \/ '\\'' é","type":"command"}}"#
        ),
        ("a status line that is no command", #"{"statusLine": {"type": "static", "text": "x"}}"#),
        ("an environment", "{\n  \"env\": {\n    \"A\": \"1\"\n  }\n}\n"),
        ("the todo tools switched off", "{\n  \"env\": {\n    \"CLAUDE_CODE_ENABLE_TODO_TOOLS\": \"0\"\n  }\n}\n"),
        ("the todo tools switched on", "{\n  \"env\": {\n    \"CLAUDE_CODE_ENABLE_TODO_TOOLS\": \"1\"\n  }\n}\n"),
        ("a rule that asks", "{\n  \"permissions\": {\n    \"ask\": [\n      \"WebFetch\"\n    ]\n  }\n}\n"),
        ("the very rule, and what is no rule", #"{"permissions":{"ask":["Bash",1,"Bash"],"allow":[]},"x":1}"#),
        ("no rules yet", "{\n  \"permissions\": {\n    \"ask\": []\n  }\n}\n"),
        ("no permissions yet", "{\n  \"permissions\": {}\n}\n"),
    ]
    /// Settings requested besides hooks and status line.
    static let wishes: [(todoTools: Bool, askRules: [String])] = [
        (false, []), (true, []), (false, ["Bash"]), (true, ["Edit", "Bash", "Bash(git push:*)", "Edit"]),
    ]

    // MARK: - There and back

    @Test("Connect and disconnect give back the very bytes", arguments: shapes, wishes)
    func roundTrip(shape: (name: String, text: String), wish: (todoTools: Bool, askRules: [String])) throws {
        let before = Array(shape.text.utf8)
        let connected = try ClaudeSettings.connect(
            before, executable: Self.executable, todoTools: wish.todoTools, askRules: wish.askRules)
        #expect(connected.bytes != before)
        let after = try ClaudeSettings.disconnect(try #require(connected.bytes))
        #expect(after.bytes.map { String(decoding: $0, as: UTF8.self) } == shape.text)
    }

    @Test("A second connect changes nothing", arguments: shapes, wishes)
    func idempotent(shape: (name: String, text: String), wish: (todoTools: Bool, askRules: [String])) throws {
        func connect(_ current: [UInt8]?) throws -> SettingsEdit {
            try ClaudeSettings.connect(
                current, executable: Self.executable, todoTools: wish.todoTools, askRules: wish.askRules)
        }
        let once = try connect(Array(shape.text.utf8))
        let twice = try connect(once.bytes)
        #expect(twice.bytes == once.bytes)
        let without = try ClaudeSettings.connect(once.bytes, executable: Self.executable)
        #expect(without.bytes == once.bytes)
    }

    @Test("An older path is replaced by the present one, and then disconnect is exact too", arguments: shapes)
    func upgrade(shape: (name: String, text: String)) throws {
        let old = try ClaudeSettings.connect(Array(shape.text.utf8), executable: "/home/o'neil/old dir/heliograph")
        let new = try ClaudeSettings.connect(old.bytes, executable: Self.executable)
        let fresh = try ClaudeSettings.connect(Array(shape.text.utf8), executable: Self.executable)
        #expect(new.bytes == fresh.bytes)
        let after = try ClaudeSettings.disconnect(try #require(new.bytes))
        #expect(after.bytes == Array(shape.text.utf8))
    }

    @Test("The small program and the command take each other's places, and both are known for ours", arguments: shapes)
    func hookProgram(shape: (name: String, text: String)) throws {
        let before = Array(shape.text.utf8)
        let command = try ClaudeSettings.connect(before, executable: Self.executable)
        let small = try ClaudeSettings.connect(command.bytes, executable: Self.executable + "-hook")
        #expect(small.bytes == (try ClaudeSettings.connect(before, executable: Self.executable + "-hook")).bytes)
        #expect(String(decoding: small.bytes ?? [], as: UTF8.self).contains("/heliograph-hook' hook claude PreToolUse"))
        #expect(ClaudeCommand.isNamed(in: small.bytes ?? []))
        let back = try ClaudeSettings.connect(small.bytes, executable: Self.executable)
        #expect(back.bytes == command.bytes)
        #expect(try ClaudeSettings.disconnect(try #require(small.bytes)).bytes == before)
    }

    @Test("What connect writes is JSON with every event and what was there before", arguments: shapes)
    func content(shape: (name: String, text: String)) throws {
        let edit = try ClaudeSettings.connect(Array(shape.text.utf8), executable: Self.executable)
        let text = try JSONText(edit.bytes)
        for event in ClaudeSettings.events {
            let entries = try #require(text.value(at: [.key("hooks"), .key(event.name)])).array()
            let ours = entries.filter { String(decoding: $0.bytes, as: UTF8.self).contains("heliograph' hook claude") }
            #expect(ours.count == 1)
            let handler = try ours[0].array("hooks")[0]
            #expect(try handler.string("command") == "'/opt/heliograph/bin/heliograph' hook claude \(event.name)")
            #expect(try handler.integer("timeout") == Int64(event.timeoutSeconds))
            #expect(try ours[0].optionalString("matcher") == (event.takesMatcher ? "*" : nil))
        }
    }

    // MARK: - A file of our own

    @Test("An empty file is none yet", arguments: ["", "\n", "  \r\n"])
    func emptyFile(text: String) throws {
        let edit = try ClaudeSettings.connect(Array(text.utf8), executable: Self.executable)
        #expect(edit.bytes == (try ClaudeSettings.connect(nil, executable: Self.executable)).bytes)
    }

    @Test("A file that connect creates is laid out for people, and disconnect removes it")
    func newFile() throws {
        let edit = try ClaudeSettings.connect(nil, executable: Self.executable, todoTools: true)
        let text = String(decoding: try #require(edit.bytes), as: UTF8.self)
        #expect(
            text.hasPrefix(
                """
                {
                  "hooks": {
                    "SessionStart": [
                      {
                        "hooks": [
                          {
                            "type": "command",
                            "command": "'/opt/heliograph/bin/heliograph' hook claude SessionStart",
                            "timeout": 5
                          }
                        ]
                      }
                    ],

                """))
        #expect(
            text.hasSuffix(
                """
                  "statusLine": {
                    "type": "command",
                    "command": "'/opt/heliograph/bin/heliograph' statusline claude"
                  },
                  "env": {
                    "CLAUDE_CODE_ENABLE_TODO_TOOLS": "1",
                    "HELIOGRAPH_TODO_TOOLS": "1"
                  }
                }

                """))
        #expect(try ClaudeSettings.disconnect(Array(text.utf8)).bytes == nil)
    }

    @Test("A file of ours to which somebody added something stays, with just that")
    func newFileWithAddition() throws {
        let edit = try ClaudeSettings.connect(nil, executable: Self.executable)
        var text = try JSONText(edit.bytes)
        text.append("model", .string("opus"), to: [])
        #expect(
            try ClaudeSettings.disconnect(text.bytes).bytes.map { String(decoding: $0, as: UTF8.self) }
                == "{\n  \"model\": \"opus\"\n}\n")
    }

    // MARK: - Changes by others in between

    @Test("Disconnect after another program wrote the file anew still takes out all of ours")
    func rewritten() throws {
        let edit = try ClaudeSettings.connect(
            Array(#"{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}"#.utf8),
            executable: Self.executable,
            todoTools: true)
        // The layout of JSON.stringify(…, 2).
        let text = try JSONText(edit.bytes)
        let rewritten = Self.tree(of: text.root).bytes(.init(lineBreak: [10], indentation: [32, 32], space: [32]))
        let after = try ClaudeSettings.disconnect(rewritten)
        #expect(
            after.bytes.map { String(decoding: $0, as: UTF8.self) }
                == """
                {
                  "a": 1,
                  "hooks": {
                    "Stop": [
                      {
                        "hooks": [
                          {
                            "type": "command",
                            "command": "x"
                          }
                        ]
                      }
                    ]
                  }
                }
                """)
    }

    @Test("A handler that a person put beside ours stays, a time-out and a matcher they chose too")
    func shared() throws {
        let text = """
            {"hooks":{"PermissionRequest":[{"matcher":"Bash","hooks":[
              {"type":"command","command":"mine"},
              {"type":"command","command":"/old/heliograph hook claude PermissionRequest","timeout":60}]}]}}
            """
        let edit = try ClaudeSettings.connect(Array(text.utf8), executable: Self.executable)
        let connected = String(decoding: try #require(edit.bytes), as: UTF8.self)
        #expect(connected.contains(#"'/opt/heliograph/bin/heliograph' hook claude PermissionRequest","timeout":60}"#))
        #expect(connected.contains(#""matcher":"Bash""#))
        let after = try ClaudeSettings.disconnect(Array(connected.utf8))
        #expect(
            after.bytes.map { String(decoding: $0, as: UTF8.self) }
                == """
                {"hooks":{"PermissionRequest":[{"matcher":"Bash","hooks":[
                  {"type":"command","command":"mine"}]}]}}
                """)
    }

    @Test("Doubled entries and entries of events that are no longer wanted go when connecting again")
    func leftovers() throws {
        let ours = #"{"hooks":[{"type":"command","command":"/a/heliograph hook claude Stop"}]}"#
        let text = #"{"x":1,"hooks":{"Stop":[\#(ours),{"hooks":[]},\#(ours)],"Gone":[\#(ours)]}}"#
        let edit = try ClaudeSettings.connect(Array(text.utf8), executable: Self.executable)
        let connected = String(decoding: try #require(edit.bytes), as: UTF8.self)
        #expect(!connected.contains("Gone"))
        #expect(connected.split(separator: "hook claude Stop\"").count == 2)
        #expect(connected.contains(#",{"hooks":[]}]"#))
    }

    // MARK: - Status line

    @Test("The person's own status line is wrapped and its other keys stay")
    func statusLine() throws {
        let text = #"{"statusLine":{"type":"command","command":"echo 'hi' $HOME","padding":2}}"#
        let edit = try ClaudeSettings.connect(Array(text.utf8), executable: Self.executable)
        let value = try JSONText(edit.bytes).root.required("statusLine")
        #expect(
            try value.string("command")
                == #"'/opt/heliograph/bin/heliograph' statusline claude --wrap 'echo '\''hi'\'' $HOME'"#)
        #expect(try value.integer("padding") == 2)
        #expect(
            ClaudeCommand(try value.string("command"))
                == .statusLine(executable: Self.executable, wrapped: "echo 'hi' $HOME"))
    }

    @Test("A status line that is no command is left alone, and that is said")
    func strangeStatusLine() throws {
        let edit = try ClaudeSettings.connect(
            Array(#"{"statusLine":{"type":"static"}}"#.utf8), executable: Self.executable)
        #expect(edit.notes.count == 1)
    }

    @Test("A project's settings do not hide the status line of the user's")
    func inheritedStatusLine() throws {
        let foreign = try ClaudeSettings.connect(nil, executable: Self.executable, inheritedStatusLine: "line.sh")
        #expect(try JSONText(foreign.bytes).value(at: [.key("statusLine")]) == nil)
        #expect(foreign.notes.count == 1)
        let ours = try ClaudeSettings.connect(
            nil, executable: Self.executable, inheritedStatusLine: "'/a/heliograph' statusline claude")
        #expect(try JSONText(ours.bytes).value(at: [.key("statusLine")]) == nil)
        #expect(ours.notes.isEmpty)
    }

    @Test("A wrapping that somebody spelled differently is taken off too")
    func respelledWrapping() throws {
        let text = #"{"statusLine":{"type":"command","command":"/a/heliograph statusline claude --wrap \"echo 'x'\""}}"#
        let after = try ClaudeSettings.disconnect(Array(text.utf8))
        #expect(
            after.bytes.map { String(decoding: $0, as: UTF8.self) }
                == #"{"statusLine":{"type":"command","command":"echo 'x'"}}"#)
    }

    // MARK: - Todo tools

    @Test("A value that was there before is not ours, and one that was changed since is not ours any more")
    func todoTools() throws {
        let set = Array(#"{"env":{"CLAUDE_CODE_ENABLE_TODO_TOOLS":"1"}}"#.utf8)
        #expect(try ClaudeSettings.disconnect(set).bytes == set)
        let changed = #"{"env":{"CLAUDE_CODE_ENABLE_TODO_TOOLS":"0","HELIOGRAPH_TODO_TOOLS":"1"}}"#
        #expect(
            try ClaudeSettings.disconnect(Array(changed.utf8)).bytes.map { String(decoding: $0, as: UTF8.self) }
                == #"{"env":{"CLAUDE_CODE_ENABLE_TODO_TOOLS":"0"}}"#)
    }

    // MARK: - Rules that ask

    private func disconnected(_ text: String) throws -> String? {
        try ClaudeSettings.disconnect(Array(text.utf8)).bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("A rule that asks is added beside a person's own and named as ours; further ones follow")
    func askRules() throws {
        let own = #"{"hooks":{},"statusLine":{"type":"static"},"permissions":{"ask":["WebFetch"]}}"#
        func rules(_ bytes: [UInt8]?) throws -> [String] {
            try JSONText(bytes).root.required("permissions").array("ask").map { try $0.string() }
        }
        let once = try ClaudeSettings.connect(Array(own.utf8), executable: Self.executable, askRules: ["Bash"])
        #expect(try rules(once.bytes) == ["WebFetch", "Bash"])
        let twice = try ClaudeSettings.connect(
            once.bytes, executable: Self.executable, askRules: ["WebFetch", "Edit(src/**)", "mcp__x__y"])
        #expect(try rules(twice.bytes) == ["WebFetch", "Bash", "Edit(src/**)", "mcp__x__y"])
        let mark = try JSONText(twice.bytes).root.required("env").string("HELIOGRAPH_ASK_RULES")
        #expect(mark == "Bash\nEdit(src/**)\nmcp__x__y", "WebFetch is not ours")
        let after = try ClaudeSettings.disconnect(try #require(twice.bytes))
        #expect(after.bytes.map { String(decoding: $0, as: UTF8.self) } == own)
    }

    @Test("A rule of ours that a person took out stays out, and one that they wrote too stays in")
    func askRulesChanged() throws {
        let gone = #"{"permissions":{"ask":["WebFetch"]},"env":{"A":"1","HELIOGRAPH_ASK_RULES":"Bash"}}"#
        #expect(try disconnected(gone) == #"{"permissions":{"ask":["WebFetch"]},"env":{"A":"1"}}"#)
        let doubled = #"{"permissions":{"ask":["Bash","Bash"]},"env":{"A":"1","HELIOGRAPH_ASK_RULES":"Bash"}}"#
        #expect(try disconnected(doubled) == #"{"permissions":{"ask":["Bash"]},"env":{"A":"1"}}"#)
        let strange = #"{"permissions":[],"env":{"A":"1","HELIOGRAPH_ASK_RULES":7}}"#
        #expect(try disconnected(strange) == #"{"permissions":[],"env":{"A":"1"}}"#)
    }

    @Test(
        "What is no rule is refused: the agent might refuse the whole file for it",
        arguments: ["", "(x)", "Bash(", "Bash()", "Bash x", "Bash(a\nb)", "*", "Bash(a) b", "1", "Bäsh"])
    func unfitRules(rule: String) {
        let error = #expect(throws: ConnectError.self) {
            try ClaudeSettings.connect(nil, executable: Self.executable, askRules: [rule])
        }
        #expect(error?.code == .unfitRule)
    }

    @Test(
        "Whether settings have the agent ask",
        arguments: [
            ("{}", false), ("nonsense", false), (#"{"permissions":{"ask":[]}}"#, false),
            (#"{"permissions":{"defaultMode":"auto"}}"#, false), (#"{"permissions":{"ask":["Bash"]}}"#, true),
            (#"{"permissions":{"defaultMode":"default"}}"#, true),
            (#"{"permissions":{"defaultMode":"manual","ask":[]}}"#, true),
        ])
    func asks(text: String, isSo: Bool) {
        #expect(ClaudeSettings.asks(Array(text.utf8)) == isSo)
    }

    // MARK: - Refusals

    @Test(
        "A file that is not what settings look like is refused with its place",
        arguments: [
            ("{\n  \"a\": 1,\n}", ConnectError.Code.badJSON, "line 3, column 1"),
            ("{\"a\": 1} // no", .badJSON, "line 1, column 10"),
            ("[]", .unexpectedShape, "the top level"),
            ("{\"hooks\": null}", .unexpectedShape, "$.hooks"),
            ("{\"hooks\": {\"Stop\": {}}}", .unexpectedShape, "$.hooks.Stop"),
            ("{\"statusLine\": \"x\"}", .unexpectedShape, "$.statusLine"),
            ("{\"env\": 1}", .unexpectedShape, "$.env"),
            ("{\"permissions\": []}", .unexpectedShape, "$.permissions"),
            ("{\"permissions\": {\"ask\": {}}}", .unexpectedShape, "$.permissions.ask"),
        ])
    func refusals(text: String, code: ConnectError.Code, place: String) throws {
        let error = #expect(throws: ConnectError.self) {
            try ClaudeSettings.connect(
                Array(text.utf8), executable: Self.executable, todoTools: true, askRules: ["Bash"])
        }
        #expect(error?.code == code)
        #expect(error?.place == place)
    }

    @Test(
        "An executable that could not be found again is refused",
        arguments: ["heliograph", "/usr/bin/other", "/usr/bin/helio\ngraph/heliograph\n", "", "/"])
    func executables(path: String) {
        #expect(throws: ConnectError.self) { try ClaudeSettings.connect(nil, executable: path) }
    }

    private static func tree(of value: JSONValue) -> JSONTree {
        if let members = try? value.members() { return .object(members.map { ($0.key, tree(of: $0.value)) }) }
        if let elements = try? value.array() { return .array(elements.map(tree)) }
        if let text = try? value.string() { return .string(text) }
        return .number(Int((try? value.integer()) ?? 0))
    }
}
