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
                SteeringOffer(
                    actions: [.prompt, .mode, .ruleOff], takesPictures: true, modes: ["plan"], commands: ["/secret", "/other"])),
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
        #expect(bench.steps.last == "k4 refused: \(ConsentRefusal.cannotOpen.sentence)")
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

    @Test("a rule is named in sealed words alone")
    func rules() throws {
        var (bench, reader) = try bench()
        for (text, id) in [("tests", "k1"), (try reader.words("tests", with: "k2"), "k2")] {
            _ = bench.steer(.ruleOff(text), id, signature: bench.signature(.ruleOff(text), id))
        }
        // There are no rules here, so the second command got as far as them.
        #expect(
            bench.steps.suffix(2) == [
                "k1 refused: \(ConsentRefusal.notSealed.sentence)", "k2 refused: its host has no rules",
            ])
    }

    @Test("an agent gets a picture as it was before it was sealed, and none that was not")
    func pictures() throws {
        var (bench, reader) = try bench()
        let png: [UInt8] =
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, 0, 2, 0, 0, 0, 3]
        func give(_ content: [UInt8], _ type: PictureType, _ id: String) throws -> Picture? {
            let digest = PictureDigest(String(repeating: "ab", count: 32))!
            let picture = Picture(digest: digest, type: type, bytes: content.count)
            let action = SteeringAction.prompt(.init(text: try reader.words("look", with: id), pictures: [picture]))
            let before = bench.diary.requests.count
            _ = bench.steer(action, id, signature: bench.signature(action, id))
            let name = SteeringName(client: ClientID("c1")!, command: CommandID(id)!)
            _ = bench.tell(.picturesFetched(name, .all([Base64URL.base64(content)])))
            guard bench.diary.requests.count > before else { return nil }
            bench.tell([.steered(Bench.session, SteeringChange(name, .taken)), .stands(Bench.session, .idle)])
            return bench.diary.requests.last?.action.pictures.first
        }
        let given = try give(reader.picture(png), .sealed, "k1")
        #expect(given?.type == .png && given?.bytes == png.count && given?.content == Base64URL.base64(png))
        // A picture for a start is sealed for the host's own session.
        #expect(try give(reader.picture(png, in: SealedReader.desk), .sealed, "k2")?.type == .png)
        #expect(try give(png, .png, "k3") == nil)
        #expect(bench.steps.last == "k3 refused: \(ConsentRefusal.notSealed.sentence)")
        #expect(try give(reader.picture(png, in: SessionID("another")!), .sealed, "k4") == nil)
        #expect(try give(reader.picture(Array("no picture".utf8)), .sealed, "k5") == nil)
        #expect(bench.steps.last == "k5 refused: \(ConsentRefusal.cannotOpen.sentence)")
    }

    // MARK: Terminals

    @Test("keys are typed as they were before they were sealed, and a screen leaves sealed for the look that asked for it")
    func terminal() throws {
        var (bench, reader) = try bench()
        var offer = SteeringOffer(actions: [.prompt])
        offer.hasScreen = true
        bench.tell([.offer(Bench.session, offer)])
        _ = bench.look("k0", shows: Array(#"{"of":"t1.1"}"#.utf8))
        func press(_ keys: [UInt8], _ id: String) -> String { bench.type(keys, id, signature: bench.keysSignature(keys, id)) }
        #expect(press(Array("ls".utf8), "k1") == ConsentRefusal.notSealed.sentence)
        #expect(press(try reader.keys("ls", with: "other"), "k2") == ConsentRefusal.cannotOpen.sentence)
        #expect(press(try reader.keys("secret", with: "k3"), "k3") == "typed")
        #expect(bench.keys == ["secret"])

        let drawing = Array(#"{"of":"1","rows":1,"columns":6,"lines":[{"row":0,"runs":[{"text":"secret"}]}]}"#.utf8)
        let looked = bench.look("k4", shows: drawing)
        let shown = try #require(looked)
        #expect(!String(decoding: shown, as: UTF8.self).contains("secret"))
        #expect(try reader.screen(shown, to: "k4") == drawing)
        #expect(throws: (any Error).self) { try reader.screen(shown, to: "k5") }
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
