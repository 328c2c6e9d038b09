import HeliographHook
import RelayProtocol
import Testing

@testable import HeliographHost

@Suite("The file of what is held")
struct HoldsFileTests {
    private static let session = SessionID("claude-s1")!

    @Test(
        "what is held is known to the next daemon",
        arguments: [
            Holds(), Holds(everySession: true), Holds(sessions: [session, SessionID("claude-s2")!]),
            Holds(
                sessions: Set(
                    (0..<WireLimits.heldSessionsMax).map { SessionID("claude-\($0)-\(String(repeating: "x", count: 40))")! })),
        ])
    func file(_ holds: Holds) throws {
        let folder = try HookFolder()
        try HoldsFile(folder.path).write(holds)
        #expect(HoldsFile(folder.path).read() == holds)
        #expect(HoldsMark.isThere(in: folder.path) == !holds.isEmpty)
        if !holds.isEmpty { #expect(folder.mode("holds.json").map { $0 & 0o777 } == 0o600) }
        try HoldsFile(folder.path).write(Holds())
        #expect(!HoldsMark.isThere(in: folder.path) && HoldsFile(folder.path).read() == Holds())
    }

    @Test("without a file nothing is held; with one that cannot be read, everything, until the relay says what")
    func damagedFile() throws {
        let folder = try HookFolder()
        #expect(HoldsFile(folder.path).read() == Holds())
        for text in ["", "{", #"{"sessions":["a b"]}"#, #"{"everySession":1}"#] {
            try Files.replace(folder.path + "/holds.json", with: Array(text.utf8))
            #expect(HoldsFile(folder.path).read() == Holds(everySession: true), "\(text)")
        }
    }
}
