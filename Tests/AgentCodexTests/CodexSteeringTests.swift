import HostCore
import RelayProtocol
import Testing

@testable import AgentCodex

@Suite("Codex: steering")
struct CodexSteeringTests {
    private static let open = "offers prompt interrupt stop model"
    private static let away = "offers (\(CodexAdapter.noServer))"

    /// A bench at work in the turn `t1`.
    private static func working() -> CodexBench {
        var bench = CodexBench.attached()
        bench.status()
        bench.turnStarts()
        _ = (bench.take(), bench.takeSteering())
        return bench
    }

    // MARK: What can be done, and how it stands

    @Test("what can be done is told with the thread, before how it stands, and no longer when its server is gone")
    func offers() {
        var bench = CodexBench.attached()
        #expect(bench.takeSteering() == [Self.open, "stands idle"])
        bench.tell(.own(.disconnected))
        #expect(bench.takeSteering() == [Self.away])
        bench.tell(.own(.connected))
        #expect(bench.takeSteering() == [Self.open, "stands idle"], "a prompt that waits goes out now")
    }

    @Test("it is idle when the turn is over, and not when Codex says so of the thread, which is before that")
    func standsThroughATurn() {
        var bench = CodexBench.attached()
        _ = bench.takeSteering()
        bench.status()
        bench.turnStarts()
        #expect(bench.takeSteering() == ["stands busy"])
        bench.status("waitingOnApproval")
        bench.askCommand()
        #expect(bench.takeSteering() == ["stands waiting"])
        bench.resolved()
        bench.status()
        #expect(bench.takeSteering() == ["stands busy"])
        bench.rests()
        #expect(bench.takeSteering() == [])
        bench.turnEnds()
        #expect(bench.takeSteering() == ["stands idle"])
    }

    @Test(
        "a dialog that only the terminal shows is waited for like any other",
        arguments: ["waitingOnUserInput", "waitingOnApproval"])
    func standsBeforeADialog(flag: String) {
        var bench = Self.working()
        bench.status(flag)
        #expect(bench.takeSteering() == ["stands waiting"])
        bench.pass(.seconds(2))
        #expect(bench.takeSteering() == [])
        bench.status()
        #expect(bench.takeSteering() == ["stands busy"])
    }

    @Test("a question that only the terminal shows is waited for until Codex says that it is over, whatever else is answered")
    func standsBeforeTwoDialogs() {
        var bench = Self.working()
        bench.status("waitingOnUserInput")
        bench.askCommand()
        #expect(bench.takeSteering() == ["stands waiting"])
        bench.resolved()
        #expect(bench.takeSteering() == [])
        bench.status()
        #expect(bench.takeSteering() == ["stands busy"])
    }

    @Test("streamed words change nothing, and nothing is looked through for them")
    func words() {
        var bench = Self.working()
        bench.notify("item/agentMessage/delta", #""turnId":"t1","itemId":"m","delta":"a\\n""#)
        #expect(bench.adapter.stirred.isEmpty && bench.takeSteering() == [])
    }

    // MARK: Prompts

    @Test("pictures stand before the text, as addresses that hold them")
    func pictures() throws {
        var bench = CodexBench.attached()
        let digest = try #require(PictureDigest(String(repeating: "ab", count: 32)))
        let picture = Picture(digest: digest, type: .jpeg, bytes: 2, content: "aGk=")
        bench.steer(.prompt(.init(text: "look", pictures: [picture])), "k")
        let input =
            #""input":[{"type":"image","url":"data:image/jpeg;base64,aGk="},{"type":"text","text":"look"}]"#
        #expect(bench.asked.last?.params.contains(input) == true)
    }

    @Test("a prompt is one turn, is taken when Codex shows the message under our name for it, and appears once")
    func prompt() {
        var bench = CodexBench.attached()
        bench.prompt("/help me\n!ls")
        #expect(bench.asked.last?.method == "turn/start")
        #expect(
            bench.asked.last?.params
                == #"{"threadId":"\#(CodexBench.thread)","input":[{"type":"text","text":"/help me\n!ls"}],"#
                + #""clientUserMessageId":"heliograph.c1.k"}"#)
        #expect(bench.take() == ["steering: k given"], "that Codex accepted the call is no evidence")
        bench.status()
        bench.turnStarts()
        bench.shows("/help me")
        #expect(bench.take() == ["status.changed running", "steering: k taken", "message user: /help me"])
        bench.turnEnds()
        #expect(bench.take() == ["status.changed idle"])
    }

    @Test("another client's message is no evidence, whatever its text")
    func anothers() {
        var bench = CodexBench.attached()
        bench.prompt("go on")
        _ = bench.take()
        bench.turnStarts()
        bench.shows("go on", client: "heliograph.c1.k2")
        #expect(!bench.take().contains { $0.hasPrefix("steering") })
    }

    @Test("what Codex refuses is refused, in its words")
    func refused() {
        var bench = CodexBench.attached()
        bench.failures["turn/start"] = "thread not found"
        bench.prompt("go on")
        #expect(bench.take() == ["steering: k refused (Codex refused it: thread not found)"])
        bench.failures = [:]
        bench.prompt("go on", .queue, "k2")
        #expect(bench.take() == ["steering: k2 given"])
    }

    @Test("a prompt that comes when a turn has begun, or asks something, is not slipped into it")
    func tooLate() {
        var bench = Self.working()
        bench.prompt("go on")
        #expect(bench.take() == ["steering: k refused (Codex had begun to work when it was its turn)"])
        bench.askCommand()
        _ = bench.take()
        bench.prompt("go on", .steer, "k2")
        #expect(bench.take() == ["steering: k2 refused (Codex had begun to ask something when it was its turn)"])
        #expect(!bench.asked.contains { $0.method.hasPrefix("turn/") })
    }

    @Test("what steers goes to the turn that runs and to no other, and is taken when the model reads it")
    func steered() {
        var bench = Self.working()
        bench.prompt("stop that", .steer)
        #expect(bench.asked.last?.method == "turn/steer")
        #expect(bench.asked.last?.params.contains(#""expectedTurnId":"t1""#) == true)
        bench.shows("stop that")
        #expect(bench.take() == ["steering: k given", "steering: k taken", "message user: stop that"])
    }

    @Test(
        "what a turn had not read when it ended has an end with it; only what was added to an interrupted one is known to be lost",
        arguments: [
            ("interrupted", "refused (the turn was interrupted before Codex had read it)"),
            ("completed", "unknown (the turn has ended, and Codex has not shown that it read it)"),
        ])
    func unread(status: String, end: String) {
        var bench = Self.working()
        bench.prompt("stop that", .steer)
        _ = bench.take()
        bench.turnEnds(status)
        #expect(bench.take().first == "steering: k \(end)")
        bench = CodexBench.attached()
        bench.prompt("go on")
        _ = bench.take()
        bench.turnStarts()
        bench.turnEnds(status)
        #expect(bench.take().contains("steering: k unknown (the turn has ended, and Codex has not shown that it read it)"))
    }

    // MARK: Interrupting

    @Test("interrupted is what ends so; a turn that came to its end by itself was not")
    func interrupted() {
        for (status, end) in [("interrupted", "taken"), ("completed", "refused (the turn had come to its end)")] {
            var bench = Self.working()
            bench.steer(.interrupt)
            #expect(bench.asked.last?.params == #"{"threadId":"\#(CodexBench.thread)","turnId":"t1"}"#)
            #expect(bench.take() == ["steering: k given"])
            bench.rests()
            bench.turnEnds(status)
            #expect(bench.take().contains("steering: k \(end)"))
            #expect(bench.takeSteering() == ["stands idle"])
        }
    }

    @Test("with a question open its card is over as well")
    func interruptedAtAQuestion() {
        var bench = Self.working()
        bench.askCommand()
        _ = (bench.take(), bench.takeSteering())
        bench.steer(.interrupt)
        bench.turnEnds("interrupted")
        bench.resolved()
        #expect(
            bench.take() == [
                "steering: k given", "approval.cancelled turnEnded", "steering: k taken", "status.changed idle: interrupted",
            ])
        #expect(bench.answers.isEmpty)
    }

    @Test("where nothing runs there is nothing to interrupt")
    func nothingRuns() {
        var bench = CodexBench.attached()
        bench.steer(.interrupt)
        #expect(bench.take() == ["steering: k refused (no turn runs that could be interrupted)"])
    }

    // MARK: The end

    @Test("a thread is ended by putting it away, which ends the session, and stays in Codex's lists")
    func stopped() {
        var bench = CodexBench.attached()
        bench.answersItself = false
        bench.steer(.stop)
        #expect(bench.asked.last?.method == "thread/archive" && bench.take() == [])
        #expect(bench.notes["codex-ended." + CodexBench.thread] != nil)
        bench.notify("thread/status/changed", #""status":{"type":"notLoaded"}"#)
        #expect(bench.take() == ["session.ended "], "its desk tells what that is of the command")
        bench.say(#"{"id":\#(bench.asked.last!.id),"result":{}}"#)
        #expect(bench.asked.last?.method == "thread/unarchive" && bench.take() == [])
        bench.say(#"{"id":\#(bench.asked.last!.id),"result":{}}"#)
        #expect(bench.notes["codex-ended." + CodexBench.thread] == nil)
    }

    @Test("what waits is not given to a thread that is being ended, though its turn ends first")
    func stoppedAtWork() {
        var bench = Self.working()
        bench.answersItself = false
        _ = bench.takeSteering()
        bench.steer(.stop)
        bench.rests()
        bench.turnEnds("interrupted")
        #expect(!bench.takeSteering().contains("stands idle"))
        bench.say(#"{"id":\#(bench.asked.last!.id),"error":{"code":-32600,"message":"no"}}"#)
        #expect(bench.takeSteering().contains("stands idle"), "it goes on")
    }

    @Test("one that Codex does not put away goes on, and what came out of no archive is not looked for again")
    func notStopped() {
        var bench = CodexBench.attached()
        bench.failures["thread/archive"] = "no rollout found"
        bench.steer(.stop)
        #expect(bench.take() == ["steering: k refused (Codex refused it: no rollout found)"])
        #expect(bench.notes["codex-ended." + CodexBench.thread] == nil)
    }

    @Test("a daemon that was killed in between has it come back into the lists")
    func stoppedAndKilled() {
        var bench = CodexBench.attached()
        bench.answersItself = false
        bench.steer(.stop)
        bench.answersItself = true
        bench.failures["thread/unarchive"] = "no archived rollout found"
        bench.loaded = []
        bench.restart()
        bench.tell(.own(.connected))
        #expect(bench.asked.contains { $0.method == "thread/unarchive" && $0.thread == CodexBench.thread })
        #expect(bench.notes["codex-ended." + CodexBench.thread] == nil)
    }

    @Test("the threads of its helpers, which Codex puts away with it, come back too; one that is put away later does not")
    func helpersPutAway() {
        var bench = CodexBench.attached()
        bench.answersItself = false
        bench.steer(.stop)
        let archive = bench.asked.last!.id
        bench.notify("thread/archived", thread: "helper")
        #expect(bench.asked.last.map { "\($0.method) \($0.thread)" } == "thread/unarchive helper")
        let back = bench.asked.last!.id
        bench.notify("thread/archived")
        #expect(bench.asked.last!.id == back, "it is asked for when its own call has ended")
        bench.say(#"{"id":\#(archive),"result":{}}"#)
        #expect(bench.asked.last.map { "\($0.method) \($0.thread)" } == "thread/unarchive \(CodexBench.thread)")
        bench.say(#"{"id":\#(bench.asked.last!.id),"result":{}}"#)
        bench.say(#"{"id":\#(back),"result":{}}"#)
        #expect(bench.notes.isEmpty || !bench.notes.keys.contains { $0.hasPrefix("codex-ended.") })
        let asked = bench.asked.count
        bench.notify("thread/archived", thread: "another")
        #expect(bench.asked.count == asked)
    }

    @Test("a thread that cannot come back now is tried again on the next connection")
    func unarchivedLater() {
        var bench = CodexBench.attached()
        bench.failures["thread/unarchive"] = "disk full"
        bench.steer(.stop)
        #expect(bench.notes["codex-ended." + CodexBench.thread] != nil)
        bench.failures = [:]
        bench.tell(.own(.disconnected))
        bench.tell(.own(.connected))
        #expect(bench.notes["codex-ended." + CodexBench.thread] == nil)
        #expect(bench.asked.filter { $0.method == "thread/unarchive" }.count == 2)
    }

    // MARK: Model and mode

    @Test("a model is changed when Codex says that the thread has it; what is so already is said at once")
    func model() {
        var bench = CodexBench.attached()
        bench.steer(.model("other"))
        #expect(bench.asked.last?.method == "thread/settings/update")
        #expect(bench.asked.last?.params == #"{"threadId":"\#(CodexBench.thread)","model":"other"}"#)
        bench.isSet(model: "third")
        #expect(bench.take() == ["steering: k given"])
        bench.isSet(model: "other")
        bench.steer(.model("other"), "k2")
        #expect(bench.take() == ["steering: k taken", "steering: k2 taken (it was so already)"])
    }

    @Test("of Codex's own provider its models are offered, and the one that is set; of another's any name is taken")
    func models() {
        let listed = [#"{"model":"gpt-6","hidden":false}"#, #"{"model":"gpt-0","hidden":true}"#]
        var bench = CodexBench.attached(more: #","modelProvider":"openai""#, models: listed)
        #expect(bench.takeSteering().contains("\(Self.open) models gpt-5.4/gpt-6"))
        bench = CodexBench.attached(more: #","modelProvider":"mine""#, models: listed)
        #expect(bench.takeSteering() == [Self.open, "stands idle"])
    }

    @Test(
        "the modes are the policies that ask at least as often as the one that was set at the terminal",
        arguments: [
            (#""never""#, "offers prompt interrupt stop mode model mode never of untrusted/on-request/never"),
            (#""on-request""#, "offers prompt interrupt stop mode model mode on-request of untrusted/on-request"),
            (#""untrusted""#, "offers prompt interrupt stop model mode untrusted of "),
            (#"{"granular":{"rules":false}}"#, "offers prompt interrupt stop model"),
        ])
    func modes(policy: String, offer: String) {
        var bench = CodexBench.attached(more: #","approvalPolicy":\#(policy)"#)
        #expect(bench.takeSteering() == [offer, "stands idle"])
    }

    @Test("a mode that was chosen from afar can be taken back from afar on the same connection, and no further")
    func modeAndBack() {
        var bench = CodexBench.attached(more: #","approvalPolicy":"on-request""#)
        _ = bench.takeSteering()
        bench.steer(.mode("untrusted"))
        bench.isSet(policy: #""untrusted""#)
        #expect(bench.take() == ["steering: k given", "steering: k taken"])
        let offer = "offers prompt interrupt stop mode model mode untrusted of untrusted/on-request"
        #expect(bench.takeSteering().first == offer)
        bench.steer(.mode("never"), "k2")
        #expect(bench.take().last == "steering: k2 refused (that mode is not offered)")
        bench.isSet(policy: #""never""#)
        #expect(
            bench.takeSteering().contains("offers prompt interrupt stop mode model mode never of untrusted/on-request/never"),
            "what the terminal sets is its to set")
        bench.isSet(policy: #""untrusted""#)
        #expect(bench.takeSteering().contains("offers prompt interrupt stop model mode untrusted of "))
    }

    @Test(
        "what was chosen from afar is the most that can be chosen once it cannot be known who chose it",
        arguments: ["disconnected", "restarted", "closed"])
    func modeOnAnotherConnection(what: String) {
        var bench = CodexBench.attached(more: #","approvalPolicy":"never""#)
        bench.steer(.mode("on-request"))
        bench.isSet()
        _ = bench.takeSteering()
        bench.resumable[CodexBench.thread] = CodexBench.resumed(CodexBench.thread, more: #","approvalPolicy":"on-request""#)
        switch what {
        case "disconnected": bench.tell(.own(.disconnected))
        case "restarted": bench.restart()
        default: bench.notify("thread/status/changed", #""status":{"type":"notLoaded"}"#)
        }
        if what == "closed" { bench.rests() } else { bench.tell(.own(.connected)) }
        #expect(
            bench.takeSteering().contains("offers prompt interrupt stop mode model mode on-request of untrusted/on-request"))
    }

    @Test("a stricter mode is sent after a freer one that is on its way, not taken for set already")
    func modesThatCross() {
        var bench = CodexBench.attached(more: #","approvalPolicy":"on-request""#)
        bench.steer(.mode("untrusted"))
        bench.isSet(policy: #""untrusted""#)
        bench.steer(.mode("on-request"), "k2")
        bench.steer(.mode("untrusted"), "k3")
        #expect(bench.asked.last?.params.contains("untrusted") == true)
        bench.isSet()
        bench.isSet(policy: #""untrusted""#)
        #expect(
            bench.take().suffix(4) == ["steering: k2 given", "steering: k3 given", "steering: k2 taken", "steering: k3 taken"])
        #expect(
            bench.takeSteering().suffix(2).first
                == "offers prompt interrupt stop mode model mode untrusted of untrusted/on-request")
    }

    @Test("a freer mode than the terminal's last choice is not offered once its sandbox is another")
    func modeInAnotherSandbox() {
        let (safe, free) = (#""sandbox":{"type":"readOnly"}"#, #""sandboxPolicy":{"type":"dangerFullAccess"}"#)
        var bench = CodexBench.attached(more: #","approvalPolicy":"never",\#(safe)"#)
        bench.steer(.mode("untrusted"))
        let asked = #""approvalPolicy":"untrusted","model":"gpt-5.4","#
        bench.notify("thread/settings/updated", #""threadSettings":{\#(asked)"sandboxPolicy":{"type":"readOnly"}}"#)
        #expect(
            bench.takeSteering().contains(
                "offers prompt interrupt stop mode model mode untrusted of untrusted/on-request/never"))
        bench.notify("thread/settings/updated", #""threadSettings":{\#(asked)\#(free)}"#)
        #expect(bench.takeSteering().contains("offers prompt interrupt stop model mode untrusted of "))
    }

    @Test("a mode that was asked for long ago and never came is not what a later choice at the terminal comes from")
    func modeThatNeverCame() {
        var bench = CodexBench.attached(more: #","approvalPolicy":"on-request""#)
        bench.steer(.mode("untrusted"))
        bench.pass(.seconds(31))
        _ = bench.takeSteering()
        bench.isSet(policy: #""untrusted""#)
        #expect(bench.takeSteering().first == "offers prompt interrupt stop model mode untrusted of ")
    }

    // MARK: Connections that break

    @Test(
        "a prompt whose connection broke is taken where the thread has it then, and unknown where it has not",
        arguments: [true, false])
    func broken(isThere: Bool) {
        var bench = CodexBench.attached()
        bench.answersItself = false
        bench.prompt("go on")
        bench.tell(.own(.disconnected))
        bench.answersItself = true
        #expect(bench.take() == [])
        if isThere {
            let item =
                #"{"type":"userMessage","id":"u1","clientId":"heliograph.c1.k","content":[{"type":"text","text":"go on"}]}"#
            bench.turns[CodexBench.thread] = #"{"id":"t1","status":"inProgress","items":[\#(item)]}"#
            bench.resumable[CodexBench.thread] = CodexBench.resumed(
                CodexBench.thread, status: #"{"type":"active","activeFlags":[]}"#)
        }
        bench.tell(.own(.connected))
        #expect(
            bench.take().filter { !$0.hasPrefix("status") }
                == (isThere
                    ? ["steering: k taken", "message user: go on"]
                    : ["steering: k unknown (the connection to Codex broke before it showed that it took it)"]))
    }

    @Test("a turn that ran when the connection broke does not keep the thread busy when it is there again")
    func turnOfBefore() {
        var bench = Self.working()
        bench.tell(.own(.disconnected))
        bench.failures["thread/turns/list"] = "not now"
        bench.tell(.own(.connected))
        #expect(bench.takeSteering().last == "stands idle")
        bench.steer(.interrupt)
        #expect(bench.take().last == "steering: k refused (no turn runs that could be interrupted)")
    }

    @Test("where no server is connected nothing is given, and that is said")
    func noServer() {
        var bench = CodexBench.attached()
        bench.tell(.own(.disconnected))
        bench.prompt("go on")
        #expect(bench.take() == ["steering: k refused (\(CodexAdapter.noServer))"])
    }

    @Test("a thread that rests, and was let go, is watched again for a prompt, which is given then")
    func rests() {
        var bench = CodexBench.attached()
        bench.pass(.seconds(3_600))
        #expect(bench.takeSteering() == [Self.open, "stands idle"], "it can be steered all the time")
        bench.prompt("go on")
        #expect(
            bench.asked.suffix(4).map(\.method) == [
                "thread/resume", "thread/turns/list", "thread/backgroundTerminals/list", "turn/start",
            ])
        #expect(bench.take() == ["steering: k given"])
    }

    @Test("a thread that rested and cannot be watched again takes nothing")
    func restsForGood() {
        var bench = CodexBench.attached()
        bench.pass(.seconds(3_600))
        bench.resumable = [:]
        bench.prompt("go on")
        #expect(bench.take() == ["steering: k refused (Codex does not open this thread again)"])
        #expect(bench.takeSteering().last == "offers (Codex has not let the host in to this thread yet)")
    }

    @Test("what waits for a thread that does not answer is refused in time, and not given when it answers after all")
    func restsTooLong() {
        var bench = CodexBench.attached()
        bench.pass(.seconds(3_600))
        bench.answersItself = false
        bench.prompt("go on")
        bench.pass(.seconds(15))
        #expect(bench.take() == ["steering: k refused (Codex did not open this thread again in time)"])
        bench.say(#"{"id":\#(bench.asked.last?.id ?? 0),"result":\#(CodexBench.resumed(CodexBench.thread))}"#)
        bench.pass(.seconds(6))
        #expect(!bench.asked.contains { $0.method == "turn/start" })
    }

    @Test("after a restart of this daemon nothing is offered until Codex is there")
    func restarted() {
        var bench = CodexBench.attached()
        bench.restart()
        #expect(bench.takeSteering().suffix(1) == [Self.away])
        bench.tell(.own(.connected))
        #expect(bench.takeSteering() == [Self.open, "stands idle"])
    }
}
