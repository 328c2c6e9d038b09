import Consent
import ConsentKeys
import RelayProtocol
import Testing

@Suite struct SteeringStatementTests {
    private let vectors = Vectors.all

    private func statement(_ action: SteeringAction, count: Int64 = 41) throws -> any Statement {
        action.statement(
            host: try vectors.fixed("hostID"), session: .named("claude-0001"), command: .named("c9"), count: count,
            device: try vectors.fixed("deviceID"), crypto)
    }

    private func picture(_ digit: Character, _ type: PictureType = .png) -> Picture {
        Picture(digest: PictureDigest(String(repeating: digit, count: 64))!, type: type, bytes: 10)
    }

    @Test func `a plain prompt is the bytes of the vector, and its signature verifies`() throws {
        let plain = try statement(.prompt(.init(text: vectors.text("prompt.text"))), count: vectors.number("prompt.count"))
        #expect(try plain.bytes == vectors.bytes("prompt.statement"))
        let point: SigningPoint = try vectors.fixed("keys.deviceSign.public")
        let signature = try vectors.bytes("prompt.signature")
        #expect(crypto.verify(signature, plain.bytes, point.bytes))
        for index in plain.bytes.indices {
            #expect(!crypto.verify(signature, plain.bytes.changed(at: index), point.bytes), "byte \(index) of the statement")
        }
        for index in signature.indices {
            #expect(!crypto.verify(signature.changed(at: index), plain.bytes, point.bytes), "byte \(index) of the signature")
        }
        #expect(try !crypto.verify(signature, plain.bytes, vectors.bytes("keys.hostSign.public")))
    }

    @Test func `each command that differs in effect has another statement`() throws {
        func launch(_ change: (inout Launch) -> Void, _ purpose: Launch.Purpose = .start) -> SteeringAction {
            var launch = Launch(purpose, project: "site", agent: "claude")
            change(&launch)
            return .launch(launch)
        }
        let actions: [SteeringAction] = [
            .prompt(.init(text: "go")), .prompt(.init(text: "go ")), .prompt(.init(text: "go", whenBusy: .steer)),
            .prompt(.init(text: "go", whenBusy: .refuse)), .prompt(.init(text: "go", isCommand: true)),
            .prompt(.init(text: "go", pictures: [picture("a")])), .prompt(.init(text: "go", pictures: [picture("b")])),
            .prompt(.init(text: "go", pictures: [picture("a", .jpeg)])),
            .prompt(.init(text: "go", pictures: [picture("a"), picture("b")])),
            .prompt(.init(text: "go", pictures: [picture("b"), picture("a")])),
            .interrupt, .stop, .mode("plan"), .model("plan"), .ruleOff("plan"), .ruleOff("go"), .ruleAdd("plan"),
            .ruleAdd("go"), .ruleChange("plan", to: "go"), .ruleChange("go", to: "plan"), .ruleTry("plan"), .mode("go"),
            .askAll(true),
            .askAll(false),
            launch { _ in }, launch { $0.project = "sit" }, launch { $0.agent = "eclaude" }, launch { $0.mode = "x" },
            launch { $0.model = "x" }, launch { $0.text = "x" }, launch { $0.text = "" },
            launch { $0.pictures = [picture("a")] }, launch({ _ in }, .resume("x")), launch({ _ in }, .resume("y")),
            launch({ _ in }, .past),
        ]
        let statements = try actions.map { try statement($0).bytes }
        #expect(Set(statements).count == actions.count)
        // The count and every name belong to it, too.
        #expect(try statement(.mode("plan"), count: 42).bytes != statement(.mode("plan")).bytes)
    }

    @Test func `no text of a prompt is the content of another kind of prompt`() throws {
        // The bytes that a prompt with a command would hash if no byte that is invalid in UTF-8 preceded them.
        let confused = "\u{0}\u{0}\u{0}\u{2}go\u{1}\u{0}\u{0}\u{0}\u{5}queue\u{0}\u{0}\u{0}\u{0}"
        #expect(
            try statement(.prompt(.init(text: confused))).bytes != statement(.prompt(.init(text: "go", isCommand: true))).bytes)
    }

    @Test(arguments: SteeringAction.Kind.allCases)
    func `whatever may give the agent more freedom needs a signature and a right`(kind: SteeringAction.Kind) {
        let launch = Launch(kind == .resume ? .resume("x") : kind == .past ? .past : .start, project: "p", agent: "a")
        let action: SteeringAction =
            switch kind {
            case .prompt: .prompt(.init(text: "go"))
            case .interrupt: .interrupt
            case .stop: .stop
            case .mode: .mode("x")
            case .model: .model("x")
            case .askAll: .askAll(false)
            case .start, .resume, .past: .launch(launch)
            case .ruleOff: .ruleOff("x")
            case .ruleAdd: .ruleAdd("x")
            case .ruleChange: .ruleChange("x", to: "y")
            case .ruleTry: .ruleTry("x")
            }
        let isHarmless = [.interrupt, .stop, .past, .ruleTry].contains(kind)
        #expect(action.needsSignature == !isHarmless)
        // Taking a rule back needs no right; it is signed so that a relay cannot do it.
        #expect(action.rights.isEmpty == (isHarmless || kind == .ruleOff))
        #expect(!SteeringAction.askAll(true).needsSignature)
    }
}
