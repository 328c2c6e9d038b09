import RelayProtocol
import Testing

@testable import HostCore

@Suite("Clients at terminals of a host")
struct HostScreenTests {
    private static let session = SessionID("one-s")!

    private static func call(_ wish: ScreenCall.Wish, _ id: String = "k1", by client: String = "c1") -> HostFact {
        .received(
            .screen(
                ScreenCall(
                    command: CommandID(id)!, session: session, by: Named(id: ClientID(client)!, name: "phone"), wish: wish)))
    }

    private func bench(
        _ rights: SteeringRights = .everyone, hasScreen: Bool = true, rules: MemoryRules? = nil
    ) throws -> HostBench {
        var bench = try HostBench(steering: rights, rules: rules)
        _ = bench.connect()
        var offer = SteeringOffer(actions: [.stop])
        offer.hasScreen = hasScreen
        _ = bench.tell("one", [HostBench.works("one-s"), .offer(Self.session, offer)])
        return bench
    }

    private func kinds(_ bench: HostBench) throws -> [String] {
        guard let batch = bench.spool.index.batch(Self.session, after: 0, countMax: 64, bytesMax: 1 << 20) else { return [] }
        return try bench.spool.read(batch).map { bytes in
            let event = try Event(stored: bytes)
            guard case .steeringTyped(let client, let count) = event.head else { return event.head.kind }
            return "\(client.name) typed \(count)"
        }
    }

    @Test("a look goes to the terminal, and its answer to who asked; nothing of either is on disk")
    func looks() throws {
        var bench = try bench()
        let before = try kinds(bench)
        #expect(bench.tell(Self.call(.look(after: nil))).first?.hasPrefix("ask one-s: look") == true)
        let name = SteeringName(client: ClientID("c1")!, command: CommandID("k1")!)
        let answer = bench.tell(.terminalAnswered(name, .screen(Array("{}".utf8))))
        #expect(answer.first?.hasPrefix("send answered k1: screen") == true)
        #expect(try kinds(bench) == before)
    }

    @Test("keys go there too, each message once, and their number is on disk before")
    func keys() throws {
        var bench = try bench()
        #expect(bench.tell(Self.call(.type([1, 2, 3]))).contains { $0.hasPrefix("ask one-s: type") })
        #expect(try kinds(bench).last == "phone typed 3")
        let again = bench.tell(Self.call(.type([1, 2, 3])))
        #expect(!again.contains { $0.hasPrefix("ask") } && again.contains { $0.contains("typed once") })
        _ = bench.tell(Self.call(.type([4]), "k2"))
        #expect(try kinds(bench).last == "phone typed 3", "counted with what follows")
        bench.pass(TypingDesk.countEvery)
        _ = bench.tell(.fired(.agents))
        #expect(try kinds(bench).last == "phone typed 1")
    }

    @Test("a session without a terminal has nothing to see, and an owner's word holds for keys")
    func refused() throws {
        var without = try bench(hasScreen: false)
        #expect(without.tell(Self.call(.look(after: nil))).first?.contains("no terminal") == true)
        var closed = try bench(.nobody)
        #expect(closed.tell(Self.call(.type([1]))).first?.contains("no terminal") == true)
        var chosen = try bench(.only([ClientID("other")!]))
        #expect(chosen.tell(Self.call(.type([1]))).first?.contains("forbidden") == true)
        #expect(chosen.tell(Self.call(.look(after: nil), "k2")).first?.hasPrefix("ask") == true)
        #expect(chosen.tell(Self.call(.type([1]), "k3", by: "other")).contains { $0.hasPrefix("ask") })
    }

    @Test("while a rule wants a passkey no keys from afar answer an agent's own prompt")
    func guarded() throws {
        let text = "[[rule]]\nname = 'r'\nanswer = 'ANSWER'\nfor = 'Bash(make deploy)'\nhours = '00:00-00:01'"
        var plain = try bench(rules: MemoryRules(text.replacing("ANSWER", with: "ask")))
        #expect(plain.tell(Self.call(.type([1]))).contains { $0.hasPrefix("ask") })
        var guarded = try bench(rules: MemoryRules(text.replacing("ANSWER", with: "passkey")))
        let answer = guarded.tell(Self.call(.type([1])))
        #expect(!answer.contains { $0.hasPrefix("ask") } && answer.contains { $0.contains("wants a passkey") })
        #expect(guarded.tell(Self.call(.look(after: nil), "k2")).contains { $0.hasPrefix("ask") })
    }
}
