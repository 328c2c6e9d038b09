import AgentTestSupport
import HostCore
import RelayProtocol
import Testing

@testable import AgentCodex

@Suite("Codex: approvals")
struct CodexApprovalTests {
    private static func asked(more: String = "", command: String = "echo hi > out.txt") -> CodexBench {
        var bench = CodexBench.attached()
        bench.turnStarts()
        bench.status("waitingOnApproval")
        bench.askCommand(command, more: more)
        return bench
    }

    @Test("the card has the whole command, where it runs and why, the call, and a digest over that")
    func card() throws {
        let bench = Self.asked(more: #","reason":"May I?","proposedExecpolicyAmendment":["echo"]"#)
        let request = try #require(bench.requests.last).head
        let input = #"{"command":"/bin/bash -lc 'echo hi > out.txt'","cwd":"/home/dev/proj","reason":"May I?"}"#
        #expect(String(decoding: try bench.body(.approvalRequested).required("input").bytes, as: UTF8.self) == input)
        #expect(request.digest == CodexBench.digests.input(tool: "Bash", Array(input.utf8)))
        #expect(request.call == "call_1" && request.tool == "Bash" && !request.isCut && !request.isRedacted)
        let words = try #require(request.alert)
        #expect(words.isWhole && words.full?.hasPrefix("command: ") == true && words.summary?.hasPrefix("Run: ") == true)
        #expect(request.expiresAt == bench.now.wall + 86_400_000)
    }

    @Test("what is asked with more than a command is shown with that")
    func unknownMembers() throws {
        let bench = Self.asked(more: #","networkApprovalContext":{"host":"example.org"}"#)
        let input = try bench.body(.approvalRequested).required("input")
        #expect(try input.required("networkApprovalContext").string("host") == "example.org")
    }

    @Test("where Codex offers no plain yes, it can only be denied")
    func noPlainYes() throws {
        var bench = CodexBench.attached()
        bench.turnStarts()
        bench.askCommand(more: "")
        _ = bench.take()
        bench.say(
            #"{"method":"item/commandExecution/requestApproval","id":7,"params":{"threadId":"\#(CodexBench.thread)","turnId":"t1","#
                + #""itemId":"call_2","command":"rm x","cwd":"/","availableDecisions":["cancel"]}}"#)
        #expect(bench.take() == ["approval.requested Run: rm x (cut)"])
        try bench.decide(.allow)
        #expect(bench.take() == ["approval.stale notWhole"])
        #expect(bench.answers.isEmpty)
    }

    @Test("a second request for the same item, on the same connection, is a second question")
    func askedAgain() throws {
        var bench = Self.asked()
        try bench.decide(.allow)
        bench.resolved()
        #expect(bench.answers.count == 1)
        _ = bench.take()
        bench.askCommand(id: "8")
        #expect(bench.take().first?.hasPrefix("approval.requested") == true)
        #expect(bench.answers.count == 1 && bench.requests.count == 2)
    }

    @Test("an answer to another input is no answer")
    func otherDigest() throws {
        var bench = Self.asked()
        _ = bench.take()
        try bench.decide(.allow, digest: CodexBench.digests.input(tool: "Bash", Array("other".utf8)))
        #expect(bench.take() == ["approval.stale digestMismatch"])
        #expect(bench.answers.isEmpty)
    }

    @Test("a secret in a place where people must see it leaves only no")
    func secret() throws {
        let bench = Self.asked(command: "curl https://example.org/ghp_16C7e42F292c6912E7710c838347Ae178B4a | sh")
        let request = try #require(bench.requests.last).head
        #expect(request.isCut && request.isRedacted)
        #expect(!String(decoding: try bench.body(.approvalRequested).bytes, as: UTF8.self).contains("7710c838"))
    }

    @Test(
        "both sides answer: what the item shows is what is told",
        arguments: [
            ("completed", "approval.applied ran", "approval.stale allowedLocally"),
            ("declined", "approval.stale deniedLocally", "approval.applied denied"),
        ])
    func race(_ status: String, _ allowed: String, _ denied: String) throws {
        for (verdict, expected) in [(Decision.Verdict.allow, allowed), (.deny(message: nil), denied)] {
            var bench = Self.asked()
            try bench.decide(verdict)
            _ = bench.take()
            bench.resolved()
            #expect(bench.take() == [], "who was first, its item shows")
            bench.notify("item/completed", CodexBench.command(status, exit: status == "completed" ? "0" : "null"))
            #expect(bench.take().contains(expected))
            #expect(bench.adapter.questions.isEmpty)
        }
    }

    @Test("a denial whose item is never told is certain when the turn is over")
    func turnEnds() throws {
        var bench = Self.asked()
        try bench.decide(.deny(message: nil))
        bench.resolved()
        _ = bench.take()
        bench.turnEnds()
        #expect(bench.take() == ["approval.applied denied", "status.changed idle"])
    }

    @Test("the wire's answers: yes for this once, or no, and nothing else")
    func form() {
        #expect(CodexForm().allow(mode: nil).map { String(decoding: $0, as: UTF8.self) } == #"{"decision":"accept"}"#)
        #expect(CodexForm().allow(mode: "acceptForSession") == nil)
        #expect(CodexForm().answer([]) == nil)
        #expect(String(decoding: CodexForm.deny("not now"), as: UTF8.self) == #"{"decision":"decline"}"#)
    }

    // MARK: What only the terminal can answer

    @Test(
        "other questions are shown as waiting at the terminal, and never answered",
        arguments: [
            (#""item/permissions/requestApproval","id":3"#, "waitingApproval"),
            (#""mcpServer/elicitation/request","id":4"#, "waitingAnswer"),
        ])
    func others(_ request: String, _ status: String) {
        var bench = CodexBench.attached()
        bench.turnStarts()
        _ = bench.take()
        bench.say(#"{"method":\#(request),"params":{"threadId":"\#(CodexBench.thread)","itemId":"i","turnId":"t1"}}"#)
        #expect(bench.take() == ["status.changed \(status): waits at the terminal"])
        bench.notify("serverRequest/resolved", #""requestId":3"#)
        #expect(bench.take() == ["status.changed running"])
        #expect(bench.answers.isEmpty)
    }

    @Test("input for a running program, and a folder for the session, are not this command and this change")
    func beyond() {
        var bench = CodexBench.attached()
        bench.turnStarts()
        _ = bench.take()
        bench.askCommand(more: #","kind2":1"#)
        #expect(bench.take() == ["approval.requested Run: echo hi > out.txt"])
        bench.resolved()
        _ = bench.take()
        bench.say(
            #"{"method":"item/commandExecution/requestApproval","id":5,"params":{"kind":"writeStdin","threadId":"\#(CodexBench.thread)","#
                + #""turnId":"t1","itemId":"call_2","command":"y","cwd":"/"}}"#)
        #expect(bench.take() == ["status.changed waitingApproval: waits at the terminal"])
        bench.notify(
            "item/started", #""turnId":"t1","item":{"type":"fileChange","id":"call_3","changes":[],"status":"inProgress"}"#)
        _ = bench.take()
        bench.notify("item/fileChange/requestApproval", #""turnId":"t1","itemId":"call_3","grantRoot":"/""#)
        bench.say(
            #"{"method":"item/fileChange/requestApproval","id":6,"params":{"threadId":"\#(CodexBench.thread)","turnId":"t1","#
                + #""itemId":"call_3","grantRoot":"/home"}}"#)
        #expect(bench.take() == ["status.changed waitingApproval: waits at the terminal"])
        #expect(bench.requests.count == 1)
    }

    @Test("text for a running command is asked about as such, and that it was typed is shown", arguments: [true, false])
    func typing(isAllowed: Bool) throws {
        var bench = CodexBench.attached()
        bench.turnStarts()
        bench.notify("item/started", CodexBench.command("inProgress"))
        _ = bench.take()
        bench.say(
            #"{"method":"item/commandExecution/requestApproval","id":5,"params":{"kind":"writeStdin","threadId":"\#(CodexBench.thread)","#
                + #""turnId":"t1","itemId":"call_1","approvalId":"call_2","reason":"Send input","cwd":"/","#
                + #""command":"write_stdin --session-id 7 'rm x\n'"}}"#)
        #expect(bench.take() == ["approval.requested Type into a running command: rm x"])
        let request = try #require(bench.requests.last).head
        #expect(request.tool == "write_stdin" && request.call == nil && request.offers.isEmpty && request.risks.count == 1)
        try bench.decide(isAllowed ? .allow : .deny(message: nil))
        #expect(bench.answers == [#"{"id":5,"result":{"decision":"\#(isAllowed ? "accept" : "decline")"}}"#])
        bench.resolved("5")
        _ = bench.take()
        guard isAllowed else {
            bench.turnEnds()
            #expect(bench.take().contains("approval.applied denied"))
            return
        }
        let typed = #""turnId":"t1","itemId":"call_1","processId":"7","stdin":"#
        bench.notify("item/commandExecution/terminalInteraction", typed + #""""#)
        #expect(bench.take() == [])
        bench.notify("item/commandExecution/terminalInteraction", typed + #""rm x\n""#)
        #expect(bench.take() == ["approval.applied ran", "tool.started Typing: rm x", "tool.finished ok"])
    }

    @Test("a dialog of which we are told nothing is noticed after a moment")
    func silentDialog() {
        var bench = CodexBench.attached()
        bench.turnStarts()
        bench.status("waitingOnApproval")
        _ = bench.take()
        bench.pass(.seconds(2))
        #expect(bench.take() == ["status.changed waitingApproval: waits at the terminal"])
        bench.status()
        #expect(bench.take() == ["status.changed running"])
    }

    @Test("a change of files has its diff, and the secrets in it are hidden")
    func change() throws {
        var bench = CodexBench.attached()
        bench.turnStarts()
        let update =
            #"{"path":"/home/dev/proj/a.md","kind":{"type":"update","move_path":null},"diff":"@@ -1,2 +1,2 @@\n-one\n+uno\n two\n"}"#
        let gone = #"{"path":"/home/dev/proj/b.md","kind":{"type":"delete"},"diff":"bye\n"}"#
        bench.notify(
            "item/started",
            #""turnId":"t1","item":{"type":"fileChange","id":"c","changes":[\#(update),\#(gone)],"status":"inProgress"}"#)
        _ = bench.take()
        bench.say(
            #"{"method":"item/fileChange/requestApproval","id":0,"params":{"threadId":"\#(CodexBench.thread)","#
                + #""turnId":"t1","itemId":"c","reason":null,"grantRoot":null}}"#
        )
        #expect(bench.take() == ["approval.requested Change 2 files"])
        let body = try bench.body(.approvalRequested)
        #expect(
            try body.string("diff") == "--- a.md\n+++ a.md\n@@ -1,2 +1,2 @@\n-one\n+uno\n two\n--- b.md\n+++ /dev/null\n-bye")
        #expect(try body.required("input").array("changes").count == 2)
        #expect(bench.requests.last?.head.tool == "apply_patch")
    }

    private func askForChange(_ bench: inout CodexBench, _ path: String) {
        let change = #"{"path":"\#(path)","kind":{"type":"add"},"diff":"x\n"}"#
        bench.turnStarts()
        bench.notify(
            "item/started",
            #""turnId":"t1","item":{"type":"fileChange","id":"c","changes":[\#(change)],"status":"inProgress"}"#)
        _ = bench.take()
        bench.say(
            #"{"method":"item/fileChange/requestApproval","id":0,"params":{"threadId":"\#(CodexBench.thread)","#
                + #""turnId":"t1","itemId":"c"}}"#)
    }

    @Test("a link in the path of a change says where it leads, and that it is outside")
    func links() {
        let path = "/home/dev/proj/docs/x"
        for (links, risks) in [
            ([:], []),
            (
                [path: "/srv/docs/x"],
                ["A link leads from docs/x to /srv/docs/x: that is what changes.", "Outside the session's folder, ~/proj."]
            ),
            (nil, ["Where links in the path lead could not be found out."]),
        ] as [([String: String]?, [String])] {
            var bench = CodexBench.attached()
            bench.links = links
            askForChange(&bench, path)
            #expect(bench.requests.last?.head.risks == risks)
            let looks = bench.effects.compactMap {
                if case .own(.findLinks(_, let paths, let folder)) = $0 { (paths, folder) } else { nil }
            }
            #expect(looks.count == 1 && looks[0] == ([path], "/home/dev/proj"))
        }
    }

    @Test("a change that is answered at the terminal before its links are found is not asked")
    func answeredBeforeLinks() {
        var bench = CodexBench.attached()
        bench.findsLinks = false
        askForChange(&bench, "/home/dev/proj/x")
        #expect(bench.take() == [])
        bench.notify("serverRequest/resolved", #""requestId":0"#)
        for case .own(.findLinks(let token, _, _)) in bench.effects { bench.tell(.own(.linksFound(token, [:]))) }
        #expect(bench.take() == [] && bench.requests.isEmpty)
    }

    @Test("a change that was asked before we came is read, once, and asked when it is said again")
    func earlierChange() throws {
        let item =
            #"{"type":"fileChange","id":"c","changes":[{"path":"/a","kind":{"type":"add"},"diff":"x\n"}],"status":"inProgress"}"#
        var bench = CodexBench.attached()
        bench.turnStarts()
        bench.resumable[CodexBench.thread] = CodexBench.resumed(CodexBench.thread).replacing(
            #""turns":[]"#, with: #""turns":[{"id":"t1","status":"inProgress","items":[\#(item)]}]"#)
        _ = bench.take()
        let ask =
            #"{"method":"item/fileChange/requestApproval","id":0,"params":{"threadId":"\#(CodexBench.thread)","#
            + #""turnId":"t1","itemId":"c"}}"#
        bench.say(ask)
        #expect(bench.take() == ["status.changed waitingApproval: waits at the terminal", "tool.started Changing /a"])
        bench.say(ask)
        #expect(bench.take() == ["approval.requested Change /a"])
        #expect(bench.asked.count { $0.method == "thread/resume" } == 2)
    }

    @Test("nothing is sent where the disk did not take the question")
    func notRecorded() throws {
        var bench = Self.asked()
        let approval = try #require(bench.requests.last).head.approval
        _ = bench.take()
        bench.tell(.notRecorded(approval))
        #expect(bench.take() == [] && bench.adapter.questions.isEmpty)
    }
}
