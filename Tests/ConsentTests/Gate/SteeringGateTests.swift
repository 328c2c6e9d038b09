import Consent
import ConsentKeys
import RelayProtocol
import Testing

@Suite struct SteeringGateTests {
    private let go = SteeringAction.prompt(.init(text: "go"))

    @Test func `a signed prompt is taken once, and its count kept`() {
        let world = GateWorld()
        let prompt = world.request(go, count: 1)
        var taken = prompt
        taken.by.name = "Ada's phone"
        #expect(world.steer(prompt) == .take(taken, by: world.device.id))
        #expect(world.pins[world.device.id]?.count == 1)
        #expect(world.steer(prompt) == .refuse(.oldCount))
        #expect(
            world.steer(world.request(go, count: 1, command: .named("c10"))) == .refuse(.oldCount))
        // Counts of one device are for all that it sends, and may leave some out.
        guard case .take = world.steer(world.request(.mode("plan"), count: 9)) else {
            return #expect(Bool(false), "a higher count is refused")
        }
        #expect(world.steer(world.request(go, count: 8)) == .refuse(.oldCount))
    }

    @Test func `a refused command takes no count`() {
        let world = GateWorld()
        let before = world.pins
        var forged = world.request(go, count: 900)
        forged.action = .prompt(.init(text: "go on"))
        #expect(world.steer(forged) == .refuse(.badSignature))
        forged.signature = nil
        #expect(world.steer(forged) == .refuse(.unsigned))
        #expect(world.steer(world.request(go, count: 5, by: .new())) == .refuse(.notTrusted))
        #expect(world.pins == before)
    }

    @Test func `no part of a prompt can be exchanged`() {
        let changes: [(inout SteeringRequest) -> Void] = [
            { $0.command = .named("c8") }, { $0.session = .named("s2") },
            { $0.action = .prompt(.init(text: "go", whenBusy: .steer)) },
            { $0.action = .prompt(.init(text: "go", isCommand: true)) }, { $0.action = .mode("go") },
            { $0.action = .model("go") },
            { $0.action = .launch(Launch(.start, project: "p", agent: "a", text: "go")) }, { $0.action = .askAll(false) },
            { $0.signature = $0.signature?.replacing(".1.", with: ".2.") },
        ]
        for (index, change) in changes.enumerated() {
            let world = GateWorld()
            var request = world.request(go, count: 1)
            change(&request)
            #expect(world.steer(request) == .refuse(.badSignature), "change \(index)")
        }
    }

    @Test(arguments: [
        SteeringAction.interrupt, .stop, .askAll(true), .launch(Launch(.past, project: "p", agent: "a")),
    ])
    func `what only takes freedom away passes unsigned`(action: SteeringAction) {
        let world = GateWorld()
        let before = world.pins
        var request = world.request(action, count: 1)
        request.signature = nil
        #expect(world.steer(request) == .pass(request) && world.pins == before)
    }

    @Test func `a device that may only prompt changes no mode`() {
        let world = GateWorld(may: [.prompt])
        #expect(world.steer(world.request(.mode("x"), count: 1)) == .refuse(.notTrusted))
        #expect(world.steer(world.request(.askAll(false), count: 1)) == .refuse(.notTrusted))
        let start = SteeringAction.launch(Launch(.start, project: "p", agent: "a", mode: "x"))
        #expect(world.steer(world.request(start, count: 1)) == .refuse(.notTrusted))
        guard case .take = world.steer(world.request(go, count: 1)) else {
            return #expect(Bool(false), "a prompt is refused")
        }
    }
}
