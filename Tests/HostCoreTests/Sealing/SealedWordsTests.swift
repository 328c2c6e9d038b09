import Consent
import ConsentKeys
import RelayProtocol
import Testing

@testable import HostCore

@Suite("Words to a host that seals its content")
struct SealedWordsTests {
    private typealias Bench = ConsentBench

    private func bench() throws -> (Bench, SealedReader) {
        var bench = try Bench.sealed()
        bench.start()
        bench.tell([
            .offer(
                Bench.session,
                SteeringOffer(actions: [.prompt, .mode, .ruleOff], modes: ["plan"], commands: ["/secret", "/other"])),
            .stands(Bench.session, .idle),
        ])
        bench.flush()
        bench.diary.keepsDecisions = true
        return (bench, try SealedReader(bench))
    }

    private func prompted(_ bench: inout Bench, _ text: String, _ id: String, isCommand: Bool = false) -> String? {
        let action = SteeringAction.prompt(.init(text: text, isCommand: isCommand))
        let before = bench.diary.requests.count
        _ = bench.steer(action, id, signature: bench.signature(action, id))
        guard bench.diary.requests.count > before, case .prompt(let prompt)? = bench.diary.requests.last?.action else {
            return nil
        }
        bench.tell([
            .steered(Bench.session, SteeringChange(bench.diary.requests.last!.name, .taken)), .stands(Bench.session, .idle),
        ])
        return prompt.text
    }

    @Test("a prompt is signed as it came, and the agent has what was sealed")
    func prompt() throws {
        var (bench, reader) = try bench()
        #expect(prompted(&bench, try reader.words("delete the secret – grün", with: "k1"), "k1") == "delete the secret – grün")
        // Signatures are over the text on the wire: the words alone were never signed.
        let sealed = try reader.words("go", with: "k2")
        let signature = bench.signature(.prompt(.init(text: "go")), "k2")
        #expect(bench.steer(.prompt(.init(text: sealed)), "k2", signature: signature) == [])
        #expect(bench.steps.last == "k2 refused: \(ConsentRefusal.badSignature.sentence)")
    }

    @Test("text that is not sealed is refused, and so is what was sealed for something else")
    func refused() throws {
        var (bench, reader) = try bench()
        #expect(prompted(&bench, "run it", "k1") == nil)
        #expect(bench.steps.last == "k1 refused: \(ConsentRefusal.notSealed.sentence)")
        let good = try reader.words("run it", with: "k1")
        for (text, id) in [
            (good, "k2"), (try reader.words("run it", with: "k3", in: SealedReader.desk), "k3"),
            (String(good.dropLast(4)), "k1b"),
            ("sealed.", "k4"),
        ] {
            #expect(prompted(&bench, text, id) == nil)
            #expect(bench.steps.last == "\(id) refused: \(ConsentRefusal.cannotOpen.sentence)")
        }
        #expect(prompted(&bench, try reader.words("run it", with: "k5"), "k5") == "run it")
    }

    @Test("what is sealed with a key that a device knows which has gone is refused")
    func oldKey() throws {
        var (bench, old) = try bench()
        let other = try bench.joined(.all)
        #expect(prompted(&bench, try old.words("run it", with: "k1"), "k1") == "run it")
        _ = bench.tell(.consentAsked(.distrust(other.id.text), HookToken(rawValue: 1)))
        bench.flush()
        #expect(prompted(&bench, try old.words("run it", with: "k2"), "k2") == nil)
        #expect(bench.steps.last == "k2 refused: \(ConsentRefusal.cannotOpen.sentence)")
        #expect(prompted(&bench, try SealedReader(bench).words("run it", with: "k3"), "k3") == "run it")
    }

    @Test("a host whose content is open gives its agent nothing that it cannot read")
    func openHost() throws {
        let (_, reader) = try bench()
        var open = try Bench(.signed)
        open.tell([.offer(Bench.session, SteeringOffer(actions: [.prompt])), .stands(Bench.session, .idle)])
        #expect(prompted(&open, try reader.words("run it", with: "k1"), "k1") == nil)
        #expect(open.steps.last == "k1 refused: \(ConsentRefusal.cannotOpen.sentence)")
        #expect(prompted(&open, "sealed.bids are due", "k2") == "sealed.bids are due")
    }

    @Test("a command of the agent comes by its alias, with what follows it sealed")
    func command() throws {
        var (bench, reader) = try bench()
        guard case .steeringOffered(let offer)? = bench.left().last?.event.head else { return #expect(Bool(false), "no offer") }
        let alias = offer.commands[1]
        #expect(prompted(&bench, alias, "k1", isCommand: true) == "/other")
        let rest = try reader.words("all of it", with: "k2")
        #expect(prompted(&bench, "\(alias) \(rest)", "k2", isCommand: true) == "/other all of it")
        #expect(prompted(&bench, "\(alias) all of it", "k3", isCommand: true) == nil)
        #expect(bench.steps.last == "k3 refused: \(ConsentRefusal.notSealed.sentence)")
        #expect(prompted(&bench, "/other", "k4", isCommand: true) == nil)
        #expect(bench.steps.last == "k4 refused: the agent offers no such command")
    }

    @Test("a start names its project by the alias, and has its first prompt sealed")
    func start() throws {
        var (bench, reader) = try bench()
        guard case .steeringOffered(let offer)? = bench.left(of: SealedReader.desk).last?.event.head else {
            return #expect(Bool(false), "no offer")
        }
        let alias = try #require(offer.projects?.first?.name)
        func start(_ project: String, _ text: String, _ id: String) {
            let action = SteeringAction.launch(Launch(.start, project: project, agent: "one", text: text))
            let signature = bench.signature(action, id, of: SealedReader.desk)
            _ = bench.steer(action, id, signature: signature, of: SealedReader.desk)
            let name = SteeringName(client: ClientID("c1")!, command: CommandID(id)!)
            _ = bench.tell(
                .told(agent: LaunchAdapter.name, LaunchFact.resolved(name, folder: "/home/a/secret-site", reason: "")))
        }
        start("secret-site", try reader.words("begin", with: "k1", in: SealedReader.desk), "k1")
        start(alias, "begin", "k2")
        #expect(bench.diary.launches.isEmpty)
        start(alias, try reader.words("begin", with: "k3", in: SealedReader.desk), "k3")
        #expect(bench.diary.launches.map(\.launch.project) == ["secret-site"])
        #expect(bench.diary.launches.first?.launch.text == "begin")
    }

    @Test("what cannot be sealed is not taken: pictures, and rules by name")
    func notTaken() throws {
        var (bench, reader) = try bench()
        let picture = Picture(digest: PictureDigest(String(repeating: "ab", count: 32))!, type: .png, bytes: 70)
        let action = SteeringAction.prompt(.init(text: try reader.words("look", with: "k1"), pictures: [picture]))
        #expect(bench.steer(action, "k1", signature: bench.signature(action, "k1")) == [])
        #expect(bench.steer(.ruleOff("tests"), "k2", signature: bench.signature(.ruleOff("tests"), "k2")) == [])
        #expect(
            bench.steps.suffix(2) == [
                "k1 refused: this session takes no pictures", "k2 refused: this session does not take ruleOff",
            ])
    }

    // MARK: Decisions

    private func decided(_ bench: inout Bench, _ verdict: Decision.Verdict, _ event: Event) throws -> (
        said: [String], Decision.Verdict?
    ) {
        let before = bench.diary.decisions.count
        let said = bench.decide(verdict, event, signature: try bench.signature(verdict, event))
        return (said, bench.diary.decisions.count > before ? bench.diary.decisions.last?.decision.verdict : nil)
    }

    @Test("a denial's words reach the agent opened; words that do not open are left out, and it is denied all the same")
    func denied() throws {
        var (bench, reader) = try bench()
        let event = try bench.ask()
        let sealed = try reader.words("not on my laptop", with: "a1")
        #expect(try decided(&bench, .deny(message: sealed), event).1 == .deny(message: "not on my laptop"))
        #expect(try decided(&bench, .deny(message: nil), event).1 == .deny(message: nil))
        #expect(try decided(&bench, .deny(message: "as it is"), event).1 == .deny(message: nil))
        #expect(
            try decided(&bench, .denyWith(offer: "o1", message: sealed), event).1
                == .denyWith(offer: "o1", message: "not on my laptop"))
        #expect(try decided(&bench, .allow, event).1 == .allow)
    }

    @Test("answers come as the numbers of the choices, also after a restart, and the agent has the choices")
    func answered() throws {
        var (bench, reader) = try bench()
        let questions = [
            QuestionOffer(id: "q0", choices: ["Secret blue", "Secret red"], isMultiple: false),
            QuestionOffer(id: "q1", choices: ["Same", "Same"], isMultiple: true),
        ]
        let event = try bench.ask("a1", "{}", questions: questions)
        bench.flush()
        guard case .approvalRequested(let outer)? = bench.left().last?.event.head else {
            return #expect(Bool(false), "no request")
        }
        #expect(outer.questions.map(\.choices) == [["1", "2"], ["1", "2"]])
        let text = try reader.words("and more", with: "a1")
        let answers = [
            Answer(question: "q0", choices: ["2"], indexes: [1]), Answer(question: "q1", choices: ["2"], text: text),
        ]
        let opened = Decision.Verdict.answer([
            Answer(question: "q0", choices: ["Secret red"], indexes: [1]),
            Answer(question: "q1", choices: ["Same"], indexes: [1], text: "and more"),
        ])
        #expect(try decided(&bench, .answer(answers), event).1 == opened)
        try bench.restart()
        bench.open()
        #expect(try decided(&bench, .answer(answers), event).1 == opened)
        for bad in [
            Answer(question: "q0", choices: ["Secret red"], indexes: [1]), Answer(question: "q0", choices: ["3"]),
            Answer(question: "q0", choices: ["0"]), Answer(question: "q0", choices: [String(Int.min)]),
            Answer(question: "q0", choices: ["+1"]), Answer(question: "q9", choices: ["1"]),
            Answer(question: "q0", choices: [], text: "red"),
        ] {
            #expect(try decided(&bench, .answer([bad]), event).said == ["refused one-s a1: notSealed"])
        }
        let other = Answer(question: "q0", choices: [], text: try reader.words("red", with: "a2"))
        #expect(try decided(&bench, .answer([other]), event).said == ["refused one-s a1: cannotOpen"])
    }
}
