import AgentTestSupport
import Foundation
import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("Claude Code: events")
struct ClaudeMappingTests {
    private static let session = "d51202b7-a81e-4ef1-afea-cbb962e5b1d5"

    /// A hook call with the fields that every call has.
    private func payload(_ event: String, _ fields: String = "") -> String {
        #"{"session_id":"\#(Self.session)","transcript_path":"/home/dev/.claude/projects/-p/\#(Self.session).jsonl","#
            + #""cwd":"/home/dev/proj","hook_event_name":"\#(event)"\#(fields.isEmpty ? "" : "," + fields)}"#
    }

    private func started() throws -> ClaudeBench {
        var bench = ClaudeBench()
        try bench.call(payload("SessionStart", #""source":"startup","model":"claude-opus-5-5""#))
        _ = bench.take()
        return bench
    }

    // MARK: Sessions

    @Test("a call that ran with another command or path than was shown says so; one that only gained a field does not")
    func changed() throws {
        func ended(_ tool: String, _ input: String, _ ran: String) throws -> String? {
            var bench = ClaudeBench()
            func call(_ event: String, _ input: String) -> String {
                #"{"session_id":"s1","hook_event_name":"\#(event)","tool_name":"\#(tool)","tool_use_id":"t1","cwd":"/srv/p","tool_input":\#(input)}"#
            }
            try bench.call(call("PreToolUse", input))
            try bench.call(call("PostToolUse", ran))
            return bench.take().first { $0.hasPrefix("error") }
        }
        let asked = #"{"command":"echo one","description":"x"}"#
        #expect(
            try ended("Bash", asked, #"{"command":"echo other"}"#)
                == "error Changed before it ran, by a hook or program other than Heliograph. Bash ran: echo other")
        #expect(try ended("Bash", asked, #"{"command":"echo one","timeout":5}"#) == nil)
        #expect(try ended("Write", #"{"file_path":"a.txt"}"#, #"{"file_path":"/srv/p/a.txt"}"#) == nil)
        #expect(try ended("Write", #"{"file_path":"a.txt"}"#, #"{"file_path":"/srv/b.txt"}"#)?.hasSuffix("/srv/b.txt") == true)
    }

    @Test("a line break in the name of a folder is spelled out, not cut at: what is before it is another folder")
    func lineBreak() throws {
        var bench = ClaudeBench()
        try bench.call(
            payload("SessionStart", #""source":"startup""#).replacing("/home/dev/proj", with: #"/home/dev/proj\nrest"#))
        let (_, event) = try #require(bench.events.first)
        guard case .sessionStarted(let facts) = event.head else { return }
        #expect(facts.project != "proj" && facts.project?.hasSuffix("rest") == true)
        #expect(facts.workingDirectory?.hasSuffix("rest") == true && facts.folder?.hasSuffix("rest") == true)
    }

    @Test("a session is named after Claude's, with its project, place, model and run")
    func start() throws {
        var bench = ClaudeBench()
        try bench.call(payload("SessionStart", #""source":"startup","model":"claude-opus-5-5""#))
        let (session, event) = try #require(bench.events.first)
        #expect(session.rawValue == "claude-" + Self.session)
        var facts = SessionFacts(agentName: "claude-code")
        facts.model = "claude-opus-5-5"
        facts.project = "proj"
        facts.workingDirectory = "~/proj"
        facts.folder = "/home/dev/proj"
        facts.run = "4711-99"
        #expect(event.head == .sessionStarted(facts))
    }

    @Test("a name of another spelling is digested", arguments: ["ünï", "a/b", String(repeating: "x", count: 100)])
    func oddName(_ name: String) throws {
        let value = try JSONDocument(parsing: #"{"session_id":"\#(name)"}"#).root
        let id = try #require(ClaudeBench().adapter.sessionID(value))
        #expect(id.rawValue.hasPrefix("claude-x") && id == ClaudeBench().adapter.sessionID(value))
    }

    @Test("a process that goes on with another session has ended the one before, also where no daemon heard it say so")
    func replaced() throws {
        var bench = try started()
        let other = payload("UserPromptSubmit", #""prompt":"go""#).replacingOccurrences(of: Self.session, with: "another")
        try bench.call(other)
        #expect(bench.take().contains("session.ended "))
        #expect(bench.adapter.liveSessions.map(\.id.rawValue) == ["claude-another"])
        bench.process = AgentProcess(id: 4712, startedAt: 99)
        try bench.call(other.replacingOccurrences(of: "another", with: "a-third"))
        #expect(
            bench.adapter.liveSessions.map(\.id.rawValue) == ["claude-a-third", "claude-another"],
            "of two processes each has one")
    }

    @Test("a late hook does not bring back a session that its process has ended, nor end the one it goes on with")
    func late() throws {
        var bench = try started()
        let prompt = payload("UserPromptSubmit", #""prompt":"go""#)
        try bench.call(prompt.replacingOccurrences(of: Self.session, with: "another"))
        _ = bench.take()
        try bench.call(prompt)
        #expect(bench.take() == ["session.renamed go", "message user: go"], "what was said is told")
        #expect(bench.adapter.liveSessions.map(\.id.rawValue) == ["claude-another"])
        bench.pass(ClaudeLimits().hooksLateBy)
        try bench.call(prompt)
        #expect(bench.adapter.liveSessions.map(\.id.rawValue) == ["claude-" + Self.session], "it was gone back to")
        bench.tell(.agentGone(bench.process))
        bench.pass(.seconds(60))
        try bench.call(prompt)
        #expect(bench.adapter.liveSessions.isEmpty, "its process is no more")
        bench.process = AgentProcess(id: 4712, startedAt: 100)
        try bench.call(prompt)
        #expect(bench.adapter.liveSessions.map(\.process) == [bench.process], "another one has resumed it")
    }

    @Test("what the process before still says of a session does not take it from the one that has resumed it")
    func lateOfTheProcessBefore() throws {
        var bench = try started()
        bench.process = AgentProcess(id: 4712, startedAt: 100)
        try bench.call(payload("SessionStart", #""source":"resume""#))
        bench.process = AgentProcess(id: 4711, startedAt: 99)
        try bench.call(payload("Stop"))
        #expect(bench.adapter.liveSessions.map(\.process?.id) == [4712])
        try bench.call(payload("SessionStart", #""source":"resume""#))
        #expect(bench.adapter.liveSessions.map(\.process?.id) == [4711], "it says itself that it goes on")
    }

    @Test("a daemon that is younger than the session makes it known at its first sign of life")
    func lateDaemon() throws {
        var bench = ClaudeBench()
        try bench.call(payload("PreToolUse", #""tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t1""#))
        #expect(bench.take() == ["session.started proj", "tool.started Running: ls"])
    }

    @Test("a session goes on after compacting, and comes back when it is resumed")
    func resumed() throws {
        var bench = try started()
        try bench.call(payload("UserPromptSubmit", #""prompt":"go""#))
        try bench.call(payload("SessionStart", #""source":"compact""#))
        #expect(bench.take().last == "status.changed running", "compacting is told by nothing")
        try bench.call(payload("SessionEnd", #""reason":"other""#))
        _ = bench.take()
        try bench.call(payload("Stop"))
        #expect(bench.take() == [], "a late hook brings nobody back")
        try bench.call(payload("SessionStart", #""source":"resume""#))
        #expect(bench.take() == ["session.started proj again"])
        try bench.call(payload("UserPromptSubmit", #""prompt":"and now""#))
        #expect(bench.take() == ["message user: and now", "status.changed running"], "the title stays")
    }

    @Test("a restarted daemon knows its sessions, and ends those whose agent is gone")
    func restart() throws {
        var bench = try started()
        try bench.call(payload("UserPromptSubmit", #""prompt":"go""#))
        var next = ClaudeBench()
        next.tell(.daemonStarted(notes: bench.notes))
        #expect(next.effects.last == .checkAgents([bench.process]))
        try next.call(payload("UserPromptSubmit", #""prompt":"on""#))
        #expect(next.take() == ["message user: on", "status.changed running"])
        next.tell(.agentGone(bench.process))
        #expect(next.take() == ["session.ended agentGone failed"])
        next.tell(.agentGone(bench.process))
        #expect(next.take() == [])
    }

    @Test("agents are looked after even when nothing is asked")
    func idleCheck() throws {
        var bench = try started()
        bench.pass(.seconds(60))
        #expect(bench.effects.count { $0 == .checkAgents([bench.process]) } == 4)
    }

    @Test("the first line of the first prompt is the title, without secrets and not longer than 80 characters")
    func title() throws {
        var bench = try started()
        let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
        let long = String(repeating: "wide ", count: 30)
        try bench.call(payload("UserPromptSubmit", #""prompt":"\n  use \#(secret) \#(long)\nmore""#))
        guard case .sessionRenamed(let title) = try #require(bench.events.dropFirst().first).event.head else {
            Issue.record("no title")
            return
        }
        #expect(title.hasPrefix("use ⟨redacted⟩ wide") && title.count == 80)
        #expect(!String(decoding: bench.events.flatMap(\.event.bytes), as: UTF8.self).contains(secret))
    }

    @Test("what Claude waits for at the terminal shows as a status")
    func notification() throws {
        var bench = ClaudeBench()
        let call = try ClaudeBench.text("hook-Notification.agent_needs_input.json")
        try bench.call(call)
        try bench.call(call)
        #expect(bench.take() == ["session.started proj", "status.changed waitingAnswer: waits at the terminal"])
    }

    @Test(
        "what a tool's server asks, in a form or by a page, is not carried, and waits at the terminal by name",
        arguments: ["elicitation_dialog", "elicitation_url_dialog"])
    func elicitation(_ type: String) throws {
        var bench = try started()
        try bench.call(payload("UserPromptSubmit", #""prompt":"go""#))
        _ = bench.take()
        try bench.call(payload("Notification", #""notification_type":"\#(type)""#))
        #expect(bench.take() == ["status.changed waitingAnswer: waits at the terminal"])
    }

    @Test("a turn that failed says why")
    func failure() throws {
        var bench = try started()
        let words = #""error":"rate_limit","last_assistant_message":"API Error: Request rejected (429) · try later""#
        try bench.call(payload("StopFailure", words))
        #expect(bench.take() == ["error API Error: Request rejected (429) · try later", "status.changed idle"])
    }

    @Test("nothing of an unknown event, and no decision for a call without a session")
    func unknown() throws {
        var bench = try started()
        try bench.call(payload("FutureEvent"))
        try bench.call(#"{"hook_event_name":"PermissionRequest","tool_name":"Bash"}"#)
        try bench.call(#"{"hook_event_name":"PermissionRequest","session_id":5,"tool_name":"Bash"}"#)
        try bench.call(payload("PermissionRequest"))
        #expect(bench.take() == ["hook 1: no decision", "hook 2: no decision", "hook 3: no decision"])
    }

    // MARK: Messages

    @Test("pieces of a message are streamed in whole lines; the message says all, once")
    func pieces() throws {
        var bench = try started()
        func piece(_ index: Int, _ text: String, final: Bool = false) -> String {
            payload("MessageDisplay", #""message_id":"m1","index":\#(index),"final":\#(final),"delta":"\#(text)""#)
        }
        try bench.call(piece(0, #"One\nTw"#))
        try bench.call(piece(1, #"o\nghp_0123456789abcdef"#))
        try bench.call(piece(2, #"ghijABCDEFGHIJ012345"#))
        #expect(bench.take() == ["stream One\n", "stream Two\n"])
        try bench.call(piece(3, #" end"#, final: true))
        #expect(bench.take() == ["message assistant: One"])
        #expect(try bench.body(.message).string("text") == "One\nTwo\n⟨redacted⟩ end")
        #expect(try bench.head(.message).string("message") == "m1")
    }

    // MARK: Tools

    @Test(
        "a tool says in a few words what it does",
        arguments: [
            ("Bash", #"{"command":"swift test\nmore"}"#, "Running: swift test"),
            ("Read", #"{"file_path":"/home/dev/proj/Sources/APNsClient.swift"}"#, "Reading APNsClient.swift"),
            ("Edit", #"{"file_path":"/home/dev/proj/Sources/APNsClient.swift"}"#, "Editing APNsClient.swift"),
            ("Grep", #"{"pattern":"retry"}"#, "Searching for retry"),
            ("WebFetch", #"{"url":"https://example.com/"}"#, "Fetching https://example.com/"),
            ("mcp__github__create_issue", "{}", "Using create issue (github)"), ("Other", "{}", "Using Other"),
        ])
    func operation(_ tool: String, _ input: String, _ expected: String) throws {
        var bench = try started()
        try bench.call(payload("PreToolUse", #""tool_name":"\#(tool)","tool_input":\#(input),"tool_use_id":"t1""#))
        #expect(bench.take() == ["tool.started \(expected)"])
    }

    @Test("an edit shows the file, its path in the project, and the diff")
    func edit() throws {
        var bench = try started()
        let input = #"{"file_path":"/home/dev/proj/src/a.swift","old_string":"let a = 1","new_string":"let a = 2\nlet b = 3"}"#
        let call = #""tool_name":"Edit","tool_use_id":"t1","tool_input":\#(input)"#
        try bench.call(payload("PreToolUse", call))
        try bench.call(payload("PermissionRequest", #""tool_name":"Edit","tool_input":\#(input)"#))
        #expect(try bench.body(.approvalRequested).string("diff") == "-let a = 1\n+let a = 2\n+let b = 3")
        let patch =
            #"[{"oldStart":1,"oldLines":2,"newStart":1,"newLines":3,"lines":[" //","-let a = 1","+let a = 2","+let b = 3"]}]"#
        try bench.call(payload("PostToolUse", call + #","tool_response":{"structuredPatch":\#(patch)}"#))
        #expect(
            bench.take().suffix(4) == [
                "approval.cancelled allowedLocally", "hook 1: no decision", "tool.finished ok",
                "file.changed src/a.swift +2 -1",
            ])
        #expect(try bench.body(.fileChanged).string("diff").hasPrefix("@@ -1,2 +1,3 @@\n //\n-let a = 1\n"))
        #expect(try bench.head(.fileChanged).string("call") == "t1")
    }

    @Test("a new file counts all of its lines")
    func write() throws {
        var bench = try started()
        let call = #""tool_name":"Write","tool_use_id":"t1","tool_input":{"file_path":"/home/dev/x.md","content":"a\nb\n"}"#
        try bench.call(payload("PreToolUse", call))
        try bench.call(
            payload("PostToolUse", call + #","tool_response":{"type":"create","content":"a\nb\n","structuredPatch":[]}"#))
        #expect(bench.take().last == "file.changed ~/x.md +2 -0")
    }

    @Test("what a program printed is kept at both ends and without secrets; a failure brings its status")
    func output() throws {
        var bench = try started()
        let call = #""tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"make"}"#
        let printed =
            "first\\n" + String(repeating: "middle 😀\\n", count: 5_000)
            + "export TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345\\nlast"
        try bench.call(payload("PreToolUse", call))
        try bench.call(
            payload("PostToolUse", call + #","duration_ms":12,"tool_response":{"stdout":"\#(printed)","stderr":""}"#))
        #expect(bench.take().last == "tool.finished ok: last")
        let output = try bench.body(.toolFinished).string("output")
        #expect(output.hasPrefix("first\n") && output.hasSuffix("last") && output.utf8.count < 17_000)
        #expect(!output.contains("ghp_"))
        let failed = call.replacingOccurrences(of: "t1", with: "t2")
        try bench.call(payload("PreToolUse", failed))
        try bench.call(payload("PostToolUseFailure", failed + #","error":"Exit code 2\nno rule""#))
        #expect(try bench.head(.toolFinished).integer("exit") == 2)
        #expect(bench.take().last == "tool.finished failed: Exit code 2")
    }

    @Test("what was read stays on this machine")
    func read() throws {
        var bench = try started()
        let call = #""tool_name":"Read","tool_use_id":"t1","tool_input":{"file_path":"/home/dev/proj/a"}"#
        try bench.call(payload("PreToolUse", call))
        try bench.call(payload("PostToolUse", call + #","tool_response":{"type":"text","file":{"content":"private matter"}}"#))
        #expect(!String(decoding: bench.events.flatMap(\.event.bytes), as: UTF8.self).contains("private matter"))
    }

    @Test("a call that ended with its batch only has failed, and ends once")
    func batchOnly() throws {
        var bench = try started()
        try bench.call(payload("PreToolUse", #""tool_name":"Bash","tool_input":{},"tool_use_id":"t1""#))
        let batch = payload(
            "PostToolBatch",
            #""tool_calls":[{"tool_name":"Bash","tool_use_id":"t1","tool_response":"<tool_use_error>x</tool_use_error>"}]"#)
        try bench.call(batch)
        try bench.call(batch)
        #expect(bench.take().suffix(1) == ["tool.finished failed: <tool_use_error>x</tool_use_error>"])
    }

    // MARK: Todos

    @Test("the whole list each time, and only when it changed")
    func todos() throws {
        var bench = ClaudeBench()
        let call = try ClaudeBench.text("hook-PostToolUse.TodoWrite.json")
        try bench.call(call)
        try bench.call(call.replacingOccurrences(of: "toolu_cc93317002ca410496dc399f", with: "toolu_again"))
        #expect(
            bench.take() == [
                "session.started proj", "tool.finished ok", "todo.changed 0/2 Creating out.txt", "tool.finished ok",
            ])
        let items = try bench.body(.todoChanged).array("items")
        #expect(try items.map { try $0.string("status") } == ["active", "pending"])
    }

    @Test("a change of one task reads the files beside the transcript")
    func tasks() throws {
        var bench = ClaudeBench()
        try bench.call(ClaudeBench.text("hook-PostToolUse.TaskCreate.json"))
        let name = "9533db1d-43dc-4304-a609-5e0c491874f3"
        #expect(bench.take().last == "read /home/dev/.claude/tasks/\(name)")
        func file(_ id: Int, _ status: String) throws -> JSONDocument {
            try JSONDocument(
                parsing: #"{"id":"\#(id)","subject":"Step \#(id)","activeForm":"Doing \#(id)","status":"\#(status)"}"#)
        }
        let files = try [file(10, "pending"), file(2, "in_progress"), file(1, "completed")]
        bench.tell(.tasksRead(SessionID("claude-" + name)!, files))
        bench.tell(.tasksRead(SessionID("claude-" + name)!, []))
        #expect(bench.take() == ["todo.changed 1/3 Doing 2"])
        #expect(try bench.body(.todoChanged).array("items").map { try $0.string("text") } == ["Step 1", "Step 2", "Step 10"])
        try bench.call(ClaudeBench.text("hook-PostToolUse.TaskList.json"))
        #expect(bench.take() == ["tool.finished ok", "todo.changed 1/2 Verify"])
    }

    @Test(
        "a list is looked for below Claude's own folder only",
        arguments: ["/home/dev/../../etc/projects/x/y.jsonl", "relative/projects/x/y.jsonl", "/home/dev/elsewhere/x/y.jsonl"])
    func tasksElsewhere(_ transcript: String) throws {
        var bench = ClaudeBench()
        try bench.call(
            ClaudeBench.text("hook-PostToolUse.TaskCreate.json").replacingOccurrences(
                of: #""transcript_path": "[^"]*""#, with: #""transcript_path": "\#(transcript)""#, options: .regularExpression))
        #expect(!bench.take().contains { $0.hasPrefix("read") })
    }

    // MARK: Everything

    @Test("whatever a hook call says, what comes of it is an event as the wire has it")
    func hostile() throws {
        var bench = ClaudeBench()
        let long = String(repeating: #"\u0001\\\"😀"#, count: 1_000)
        let huge = String(repeating: #"\u0001\\\"😀"#, count: 19_000)
        for event in [
            "SessionStart", "UserPromptSubmit", "MessageDisplay", "PreToolUse", "PermissionRequest", "PostToolUse",
            "PostToolBatch",
            "Notification", "SubagentStart", "SubagentStop", "Stop", "StopFailure", "SessionEnd",
        ] {
            for field in [#""\#(long)""#, "5", "null", "[[]]", "{}", "true"] {
                let names = [
                    "source", "model", "prompt", "message_id", "delta", "tool_name", "tool_use_id", "agent_id", "agent_type",
                    "error",
                    "notification_type", "reason", "last_assistant_message", "prompt_id", "tool_response", "tool_input",
                ]
                let fields = names.map { #""\#($0)":\#(field)"# }.joined(separator: ",")
                let whole = field.count > 100 ? "\"\(huge)\"" : field
                try bench.call(payload(event, fields + #","final":true,"tool_calls":\#(field)"#))
                try bench.call(
                    payload(
                        event,
                        #""tool_name":"Write","tool_use_id":"t\#(field.count)","final":true,"message_id":"m","agent_id":"a","#
                            + #""tool_input":{"file_path":\#(whole),"content":\#(whole),"questions":\#(whole)},"delta":\#(whole),"#
                            + #""tool_response":{"type":"create","content":\#(whole),"structuredPatch":[{"lines":[\#(whole)]}]}"#
                    ))
            }
        }
        #expect(bench.events.count > 50)
        #expect(!bench.lines.contains { $0.hasPrefix("NOT AN EVENT") || $0.hasPrefix("BAD") })
        #expect(bench.events.allSatisfy { $0.event.bytes.count <= WireLimits.eventBytesMax })
    }
}
