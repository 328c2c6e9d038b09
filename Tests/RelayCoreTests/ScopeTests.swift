import RelayCore
import RelayModel
import RelayProtocol
import Testing

@Suite("What a client may do")
struct ScopeTests {
    typealias T = RelayTranscript

    /// One command for each right, and one that needs none.
    static let commands: [(command: ClientCommand, scope: Scope)] = [
        (.ping, []), (.subscribe(nil, after: nil), .watch), (.budgets, .watch), (.olderSessions, .watch),
        (T.decide(.allow), .decide),
        (.letter(Letter([1])!, to: .host(HostKeyID("AAAAAAAAAAAAAAAAAAAAAA")!)), .decide),
        (.steer(T.session, .prompt(.init(text: "go on"))), .steer), (.steer(T.session, .interrupt), .steer),
        (.pair(.host), .administer),
        (.budget(Budget(scope: .workspace, microUSD: 1)), .administer), (.remove(T.session), .administer),
    ]

    private static func isForbidden(_ command: ClientCommand, to scope: Scope) -> Bool {
        let (t, _, _) = T.withPendingApproval()
        let peer = t.client("tablet", scope: scope)
        _ = t.take(peer)
        t.command(command, id: "c1", by: peer)
        t.commit()
        return t.take(peer).contains { $0.contains(#""code":"forbidden""#) }
    }

    @Test("a command needs its right and no other", arguments: [Scope.watch, .decide, .steer, .administer])
    func rights(held: Scope) {
        for (command, scope) in Self.commands {
            #expect(command.scope == scope)
            #expect(Self.isForbidden(command, to: held) == !held.isSuperset(of: scope), "\(command)")
        }
    }

    @Test("a client may do all but steer, an operator everything, a watcher only watch, and a host nothing of it")
    func roles() {
        for (command, scope) in Self.commands {
            #expect(Self.isForbidden(command, to: Scope(of: .client)) == (scope == .steer))
            #expect(!Self.isForbidden(command, to: Scope(of: .operator)))
            #expect(Self.isForbidden(command, to: Scope(of: .watcher)) == (scope != [] && scope != .watch))
            #expect(scope == [] || Self.isForbidden(command, to: Scope(of: .host)))
        }
    }

    @Test("nobody lets others do what one may not do oneself")
    func escalation() {
        #expect(Self.isForbidden(.pair(.operator), to: Scope(of: .client)))
        #expect(!Self.isForbidden(.pair(.watcher), to: Scope(of: .client)))
        #expect(!Self.isForbidden(.pair(.operator), to: Scope(of: .operator)))
    }

    @Test(
        "a host that may not report is no host: nothing of it is kept, and it takes nobody's place",
        arguments: [
            Scope(), .watch, Scope(of: .client),
        ])
    func hosts(scope: Scope) {
        let t = T()
        let laptop = t.host("laptop")
        let other = t.host("laptop", scope: scope)
        t.send([T.started], first: 1, by: other)
        t.commit()
        let said = t.take(other)
        #expect(said.count == 2 && said.allSatisfy { $0.contains(#""code":"forbidden""#) })
        #expect(t.log.isEmpty && t.closed[laptop] == nil)
    }

    @Test("what is forbidden leaves no trace")
    func noTrace() {
        let (t, host, _) = T.withPendingApproval()
        let peer = t.client("tablet", scope: .watch)
        t.command(T.decide(.deny(message: nil)), id: "c1", by: peer)
        t.commit()
        #expect(t.approvals[ApprovalID("a1")!]?.decision == nil)
        #expect(t.take(host) == [])
    }
}
