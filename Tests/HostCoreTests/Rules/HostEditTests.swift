import HostRules
import RelayProtocol
import Testing

@testable import HostCore

/// Edited calls at the host: its owner's rules hold for them as for calls that an agent asks about.
@Suite struct HostEditTests {
    private static let text = """
        [[rule]]
        name = "no-push"
        answer = "deny"
        for = "Bash(git push:*)"

        [[rule]]
        name = "look"
        answer = "ask"
        for = "Bash(git fetch:*)"

        [[rule]]
        name = "guarded"
        answer = "passkey"
        for = "Bash(git tag:*)"
        """
    private static let session = SessionID("one-s")!

    private func bench(
        _ rules: MemoryRules?, steering: SteeringRights = .everyone, asks command: String = "git status"
    ) throws -> HostBench {
        var bench = try HostBench(steering: steering, rules: rules)
        bench.diary.keepsDecisions = true
        bench.diary.edited = { edit in
            edit == "?" ? nil : UnaskedCall(session: Self.session, tool: "Bash", input: Self.input(edit))
        }
        var request = ApprovalRequest(
            approval: HostBench.approval, kind: .tool, tool: "Bash", title: "Bash", digest: HostBench.digest)
        request.editable = ["command"]
        let event = Event(.approvalRequested(request), at: 1) { $0.raw("input", Self.input(command)) }
        _ = bench.tell(
            "one", [.remember("a1", Array(#"{"session":"one-s"}"#.utf8)), .emit(Self.session, event.bytes, isKept: true)])
        _ = bench.connect()
        return bench
    }

    private static func input(_ command: String) -> [UInt8] { JSONWriter.object { $0.field("command", command) } }

    private func decide(_ bench: inout HostBench, _ edit: String, by client: String = "c1") -> [String] {
        let decision = Decision(
            .allowEdited(edit), client: ClientID(client)!, clientName: "Ada's phone", at: 1, command: CommandID("k1")!)
        return bench.tell(.received(.decision(Self.session, HostBench.approval, HostBench.digest, decision)))
            .filter { $0.hasPrefix("one hears") }
    }

    private static let decided = ["one hears decided one-s a1"]
    private static func refused(_ reason: String) -> [String] { ["one hears refused one-s a1: \(reason)"] }

    @Test(
        arguments: [
            ("git status -s", nil), ("git push --force", "editRuled"), ("true; git push", "editRuled"), ("git fetch", nil),
            ("git tag v1", "passkeyMissing"), ("?", "editMalformed"),
        ] as [(String, String?)])
    func `a rule that denies or wants a passkey holds for the edited call`(edit: String, reason: String?) throws {
        var bench = try bench(MemoryRules(Self.text))
        #expect(decide(&bench, edit) == reason.map(Self.refused) ?? Self.decided)
        #expect(bench.diary.decisions.map(\.decision.verdict) == (reason == nil ? [.allowEdited(edit)] : []))
    }

    @Test func `a request that wants a passkey is not edited into one without it, nor without rules`() throws {
        var bench = try bench(MemoryRules(Self.text), asks: "git tag v1")
        #expect(decide(&bench, "git tag v2") == Self.refused("passkeyMissing"))
        var free = try self.bench(nil)
        #expect(decide(&free, "git push") == Self.decided)
    }

    @Test func `rules that cannot be read may deny anything`() throws {
        let rules = try MemoryRules(Self.text)
        rules.isUnreadable = true
        var bench = try bench(rules)
        #expect(decide(&bench, "ls") == Self.refused("editRuled"))
    }

    @Test(arguments: [SteeringRights.nobody, .only([ClientID("c2")!])])
    func `whom the host lets steer it may edit`(rights: SteeringRights) throws {
        var bench = try bench(nil, steering: rights)
        #expect(decide(&bench, "ls") == Self.refused("editNotOffered"))
        guard rights != .nobody else { return #expect(try offered(bench) == []) }
        #expect(try offered(bench) == ["command"])
        #expect(decide(&bench, "ls", by: "c2") == Self.decided)
    }

    private func offered(_ bench: HostBench) throws -> [String] {
        let batch = try #require(bench.spool.index.batch(Self.session, after: 0, countMax: 256, bytesMax: 4 << 20))
        let bytes = try #require(try bench.spool.read(batch).last)
        let event = try Event(stored: bytes)
        guard case .approvalRequested(let request) = event.head else { return ["nothing was asked"] }
        #expect(event.bodyMembers.map { Array($0.value.bytes) } == [Self.input("git status")])
        return request.editable
    }

    @Test func `an edit for a session of another name is refused`() throws {
        var bench = try bench(nil)
        bench.diary.edited = { UnaskedCall(session: SessionID("one-t")!, tool: "Bash", input: Self.input($0)) }
        #expect(decide(&bench, "ls") == Self.refused("editNotOffered"))
    }
}
