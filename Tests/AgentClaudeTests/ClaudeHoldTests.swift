import Foundation
import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("Claude Code: sessions that are held")
struct ClaudeHoldTests {
    private static let session = SessionID("claude-s1")!

    private func call(_ tool: String = "Bash", mode: String = "default", event: String = "PreToolUse") -> String {
        #"{"session_id":"s1","hook_event_name":"\#(event)","tool_name":"\#(tool)","tool_use_id":"t1","permission_mode":"\#(mode)","tool_input":{"command":"ls"}}"#
    }

    private func answer(_ bench: inout ClaudeBench, _ payload: String) throws -> String? {
        _ = bench.take()
        try bench.call(payload, isHeard: true)
        return bench.take().last { $0.hasPrefix("hook") }
    }

    @Test("a held session's tools are asked for, and no longer when it is let go")
    func held() throws {
        var bench = ClaudeBench()
        #expect(try answer(&bench, call()) == "hook 1: no decision")
        bench.tell(.held(Holds(sessions: [Self.session])))
        #expect(try answer(&bench, call()) == "hook 2: ask")
        #expect(try answer(&bench, call("Read")) == "hook 3: ask")
        bench.tell(.held(Holds(sessions: [SessionID("claude-s2")!])))
        #expect(try answer(&bench, call()) == "hook 4: no decision")
        bench.tell(.held(Holds(everySession: true)))
        #expect(try answer(&bench, call()) == "hook 5: ask")
        bench.tell(.held(Holds()))
        #expect(try answer(&bench, call()) == "hook 6: no decision")
    }

    @Test("where another hook can answer, a rule that denies denies at once; once it has answered, one that asks does, too")
    func ruledBesideOthers() throws {
        var bench = ClaudeBench()
        func heeded(besideOther: Bool) throws -> [[UInt8]] {
            var hook = ClaudeHook(
                event: "PreToolUse", payload: try JSONDocument(parsing: Array(call().utf8)), process: bench.process)
            (hook.token, hook.hasOtherAnswerer) = (HookToken(rawValue: 99), besideOther)
            return bench.adapter.handle(.own(.hookCalled(hook)), at: bench.now).compactMap {
                if case .heed(_, _, let demand, let denial) = $0 { [demand, denial] } else { nil }
            }
            .flatMap { $0 }
        }
        #expect(try heeded(besideOther: false) == [ClaudeAnswer.askRuled, ClaudeAnswer.askRuled])
        #expect(try heeded(besideOther: true) == [ClaudeAnswer.askRuled, ClaudeAnswer.refuseRuled])
        try bench.call(call(event: "PermissionRequest"))
        try bench.call(call(event: "PostToolUse"))
        #expect(try heeded(besideOther: false) == [ClaudeAnswer.refuseRuled, ClaudeAnswer.refuseRuled])
    }

    @Test("the owner's rules see each call before it runs, as it was written; a held session asks anyway")
    func ruled() throws {
        var bench = ClaudeBench()
        try bench.call(call(), isHeard: true)
        func heeded(_ payload: String, token: UInt64) throws -> UnaskedCall? {
            var hook = ClaudeHook(event: "PreToolUse", payload: try JSONDocument(parsing: Array(payload.utf8)), process: nil)
            hook.token = HookToken(rawValue: token)
            let effects = bench.adapter.handle(.own(.hookCalled(hook)), at: bench.now)
            return effects.lazy.compactMap { effect -> UnaskedCall? in
                guard
                    case .heed(
                        HookToken(rawValue: token), let call, demand: ClaudeAnswer.askRuled, denial: ClaudeAnswer.askRuled) =
                        effect
                else {
                    return nil
                }
                return call
            }.first
        }
        let input = Array(#"{"command":"ls"}"#.utf8)
        #expect(try heeded(call(), token: 7) == UnaskedCall(session: Self.session, tool: "Bash", input: input))
        #expect(
            try heeded(#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#, token: 8)?.session
                == nil)
        #expect(try heeded(call("AskUserQuestion"), token: 9) == nil)
        let moved =
            #"{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Bash","cwd":"/home/me/site/config","tool_input":{}}"#
        #expect(try heeded(moved, token: 11) != nil && bench.adapter.presentFolder(Self.session) == "/home/me/site/config")
        bench.tell(.held(Holds(everySession: true)))
        #expect(try heeded(call(), token: 10) == nil)
    }

    @Test("if a program answers for people, what would be asked about does not run")
    func answeredByProgram() throws {
        var bench = ClaudeBench()
        try bench.call(call(), isHeard: true)
        func effects(_ payload: String) throws -> [AgentEffect<ClaudeOrder>] {
            var hook = ClaudeHook(event: "PreToolUse", payload: try JSONDocument(parsing: Array(payload.utf8)), process: nil)
            (hook.token, hook.isAttended, hook.isAnsweredByProgram) = (HookToken(rawValue: 7), false, true)
            return bench.adapter.handle(.own(.hookCalled(hook)), at: bench.now)
        }
        let isRuled = try effects(call()).contains {
            if case .heed(_, _, ClaudeAnswer.refuseRuled, ClaudeAnswer.refuseRuled) = $0 { true } else { false }
        }
        #expect(isRuled)
        bench.tell(.held(Holds(everySession: true)))
        for payload in [call(), #"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#] {
            let isHeld = try effects(payload).contains {
                if case .restrict(_, ClaudeAnswer.refuseHeld) = $0 { true } else { false }
            }
            #expect(isHeld)
        }
        let started = [
            ["claude", "-p", "--permission-prompt-tool", "stdio"], ["node", "cli.js", "--permission-prompt-tool=mcp__a__b"],
        ]
        #expect(
            started.allSatisfy(ClaudeHook.isAnsweredByProgram) && !ClaudeHook.isAnsweredByProgram(["claude", "-p", "do it"]))
    }

    @Test(
        "one in which another program answers before anybody can read is said to be held in part",
        arguments: ["hook", "person", "phone"])
    func answersItself(_ who: String) throws {
        var bench = ClaudeBench()
        try bench.call(call(), isHeard: true)
        try bench.call(call(event: "PermissionRequest"))
        if who == "phone" { try bench.decide(.allow) }
        if who == "person" { bench.pass(.seconds(1)) }
        bench.pass(.seconds(3))
        try bench.call(call(event: "PostToolUse").replacing(#""tool_input""#, with: #""duration_ms":2900,"tool_input""#))
        #expect(bench.offered?.hold == (who == "hook" ? .most : nil))
    }

    @Test("one whose hooks do not run is not said to be held")
    func unheard() {
        var bench = ClaudeBench()
        let found = ClaudeUnheard(name: "u1", process: bench.process, folder: "/home/dev/proj")
        let reaches = bench.adapter.handle(.own(.unheardFound(found)), at: bench.now).compactMap { effect -> HoldReach? in
            if case .offer(_, let offer) = effect { offer?.hold } else { nil }
        }
        #expect(Set(reaches) == [.unchanged])
    }

    @Test(
        "what asks a person by itself is not asked for twice, and other hooks have no say",
        arguments: ["AskUserQuestion", "ExitPlanMode"])
    func asking(_ tool: String) throws {
        var bench = ClaudeBench()
        bench.tell(.held(Holds(everySession: true)))
        #expect(try answer(&bench, call(tool)) == "hook 1: no decision")
        #expect(try answer(&bench, call(event: "PostToolUse")) == "hook 2: no decision")
    }

    @Test("a tool that nobody can be asked about was refused, which is said once in a turn")
    func unasked() throws {
        var bench = ClaudeBench()
        bench.tell(.held(Holds(everySession: true)))
        let reason = try JSONDocument(parsing: ClaudeAnswer.ask).root.required("hookSpecificOutput")
            .string("permissionDecisionReason")
        func refuse(_ id: String) throws -> [String] {
            try bench.call(call().replacingOccurrences(of: "t1", with: id), isHeard: true)
            _ = bench.take()
            try bench.call(
                #"{"session_id":"s1","hook_event_name":"PostToolBatch","tool_calls":[{"tool_name":"Bash","tool_use_id":"\#(id)","tool_input":{"command":"ls"},"tool_response":"\#(reason)"}]}"#
            )
            return bench.take()
        }
        let first = try refuse("t1")
        #expect(first.count == 2 && first[0].hasPrefix("error A tool was refused"))
        #expect(first[1] == "tool.finished failed: \(reason)")
        #expect(try refuse("t2") == ["tool.finished failed: \(reason)"])
        try bench.call(#"{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"again"}"#)
        #expect(try refuse("t3").count == 2)
    }

    @Test("a tool that is reported as before: its start is an event, held or not")
    func reported() throws {
        var bench = ClaudeBench()
        bench.tell(.held(Holds(everySession: true)))
        try bench.call(call(), isHeard: true)
        #expect(bench.take().contains { $0.hasPrefix("tool.started") })
    }

    @Test("a call that names no session could be of any: it is asked for while one is held")
    func nameless() throws {
        var bench = ClaudeBench()
        let payload = #"{"hook_event_name":"PreToolUse","tool_name":"Bash"}"#
        #expect(try answer(&bench, payload) == "hook 1: no decision")
        bench.tell(.held(Holds(sessions: [Self.session])))
        #expect(try answer(&bench, payload) == "hook 2: ask")
    }

    @Test("in a mode that asks nobody a held session asks all the same")
    func bypass() throws {
        var bench = ClaudeBench()
        let request = call(mode: "bypassPermissions", event: "PermissionRequest")
        try bench.call(request)
        #expect(bench.take().last == "hook 1: no decision")
        bench.tell(.held(Holds(sessions: [Self.session])))
        try bench.call(request)
        #expect(bench.take().last?.hasPrefix("approval.requested") == true)
    }

    // MARK: As a person wants it

    private func want(_ isOn: Bool, _ id: String, _ bench: inout ClaudeBench) -> [String] {
        _ = bench.take()
        let by = Named<ClientTag>(id: ClientID("c1")!, name: "Ada")
        bench.tell(.steer(SteeringRequest(command: CommandID(id)!, session: Self.session, by: by, action: .askAll(isOn))))
        return bench.take()
    }

    private func offer(_ bench: ClaudeBench) -> SteeringOffer? {
        bench.effects.compactMap { if case .offer(_, let offer?) = $0 { offer } else { nil } }.last
    }

    @Test("asked for everything: kept before it counts as taken, offered as it is, and by the agent's own rules again")
    func askAll() throws {
        var bench = ClaudeBench()
        #expect(try answer(&bench, call()) == "hook 1: no decision")
        #expect(want(true, "k1", &bench) == ["ask for all of claude-s1: on", "steering: k1 taken"])
        #expect(offer(bench)?.asksAll == true && offer(bench)?.actions == [.interrupt, .askAll])
        #expect(try answer(&bench, call(mode: "bypassPermissions")) == "hook 2: ask for all")
        #expect(try answer(&bench, call("AskUserQuestion")) == "hook 3: no decision")
        #expect(want(true, "k2", &bench) == ["steering: k2 taken (it was so already)"])
        #expect(want(false, "k3", &bench) == ["ask for all of claude-s1: off", "steering: k3 taken"])
        #expect(try answer(&bench, call()) == "hook 4: no decision" && offer(bench)?.asksAll == false)
    }

    @Test("in a mode that asks nobody, what a person wants to be asked for is asked")
    func askAllInBypass() throws {
        var bench = ClaudeBench()
        try bench.call(call())
        _ = want(true, "k1", &bench)
        try bench.call(call(mode: "bypassPermissions", event: "PermissionRequest"))
        #expect(bench.take().last?.hasPrefix("approval.requested") == true)
    }

    @Test("a budget that holds goes on asking when a person does not want to be asked any more, and says so")
    func askAllAndHeld() throws {
        var bench = ClaudeBench()
        try bench.call(call())
        _ = want(true, "k1", &bench)
        bench.tell(.held(Holds(everySession: true)))
        #expect(want(false, "k2", &bench).last?.contains("its budget is spent") == true)
        #expect(try answer(&bench, call()) == "hook 1: ask")
    }

    @Test("another life of the daemon asks on, and so does the session when it is cleared, or ended and resumed")
    func askAllStays() throws {
        var before = ClaudeBench()
        try before.call(call())
        _ = want(true, "k1", &before)
        var bench = ClaudeBench()
        bench.tell(.daemonStarted(notes: before.notes.filter { $0.key.hasPrefix("claude-") }))
        #expect(bench.take().contains("ask for all of claude-s1: on"))
        #expect(try answer(&bench, call()) == "hook 1: ask for all")
        try bench.call(#"{"session_id":"s1","hook_event_name":"SessionEnd","reason":"clear"}"#)
        #expect(bench.take().contains("ask for all of claude-s1: off"), "nothing else asks for its sake")
        try bench.call(#"{"session_id":"s2","hook_event_name":"SessionStart","source":"clear"}"#)
        #expect(bench.take().contains("ask for all of claude-s2: on"))
        try bench.call(#"{"session_id":"s1","hook_event_name":"SessionStart","source":"resume"}"#)
        #expect(bench.take().contains("ask for all of claude-s1: on"))
    }

    @Test("it is taken back after a restart of the daemon, before the session says anything again")
    func askAllOffAfterRestart() throws {
        var before = ClaudeBench()
        try before.call(call())
        _ = want(true, "k1", &before)
        var bench = ClaudeBench()
        bench.tell(.daemonStarted(notes: before.notes.filter { $0.key.hasPrefix("claude-") }))
        #expect(offer(bench)?.actions == [.interrupt, .askAll] && offer(bench)?.asksAll == true)
        #expect(want(false, "k2", &bench) == ["ask for all of claude-s1: off", "steering: k2 taken"])
        #expect(offer(bench)?.asksAll == false)
        #expect(try answer(&bench, call()) == "hook 1: no decision")
        bench = ClaudeBench()
        bench.tell(.daemonStarted(notes: before.notes.mapValues { _ in Array(#"{"attended":true,"ended":true}"#.utf8) }))
        #expect(offer(bench) == nil, "it has ended")
    }

    @Test("where nobody can be asked it is not to be had")
    func askAllUnattended() throws {
        var bench = ClaudeBench()
        try bench.call(call(), isAttended: false)
        #expect(offer(bench)?.actions == [])
        #expect(want(true, "k1", &bench).first?.hasPrefix("steering: k1 refused (another program") == true)
    }

    @Test("what the hook prints is what Claude Code takes for a question")
    func output() throws {
        let value = try JSONDocument(parsing: ClaudeAnswer.ask).root.required("hookSpecificOutput")
        #expect(try value.string("hookEventName") == "PreToolUse")
        #expect(try value.string("permissionDecision") == "ask")
    }
}
