import Foundation
import RelayCore
import RelayProtocol
@testable import StoreSQLite
import StoreTestSupport
import Testing

/// Revocations on a full disk, simulated without one: they are written to the file for waiting ones.
@Suite(.scratch) struct WaitingRevocationsTests {
    private let scratch = Scratch.current
    private var path: String { scratch.path + "/relay.revocations" }
    private var file: WaitingRevocations { WaitingRevocations(path) }

    private func order(_ id: String, alone: Bool = false, by: String? = nil) -> TokenRevocation {
        TokenRevocation(id: id, keepsChildren: alone, by: by, at: 7)
    }

    private func token(_ name: String, by parent: String? = nil) -> Token {
        let digest = Array(Data(name.utf8)) + [UInt8](repeating: 0, count: 32 - name.utf8.count)
        return Token(
            id: name, digest: digest, role: .client, kind: .program, subject: "c_\(name)", name: name,
            workspace: id("default"), parent: parent, createdAt: 1)
    }

    @Test func `its room is its own, and what is in it is as it was put there`() throws {
        #expect(file.make() && file.make(), "once is enough")
        var facts = stat()
        try #require(unsafe stat(path, &facts) == 0)
        #expect(
            Int(facts.st_size) == WaitingRevocations.byteCount && Int(facts.st_blocks) * 512 >= WaitingRevocations.byteCount)
        #expect(facts.st_mode & 0o777 == 0o600)
        #expect(try file.all().isEmpty)
        #expect(try file.add(order("t_1", by: "t_9")) && file.add(order("t_2", alone: true)) && file.add(order("t_1")))
        let all = try file.all()
        #expect(all.map(\.id) == ["t_1", "t_2"] && all.map(\.keepsChildren) == [false, true], "the same order counts once")
        #expect(all.map(\.by) == ["t_9", nil] && all.map(\.at) == [7, 7])
        file.remove([order("t_1")])
        #expect(try file.all().map(\.id) == ["t_2"])
        #expect(try file.add(order("t_3")) && file.all().map(\.id) == ["t_3", "t_2"], "a place that is free again is taken")
    }

    @Test func `without a file, a place or a proper id nothing waits`() throws {
        #expect(try !file.add(order("t_1")) && file.all().isEmpty)
        #expect(!WaitingRevocations("/nowhere/relay.revocations").make())
        #expect(file.make())
        for id in ["", "-", "a b", "a\nb", "t_" + String(repeating: "x", count: 39)] { #expect(try !file.add(order(id))) }
        for number in 0..<WaitingRevocations.countMax { #expect(try file.add(order("t_\(number)"))) }
        #expect(try !file.add(order("t_one_more")) && file.all().count == WaitingRevocations.countMax)
    }

    @Test(arguments: [0, 20, 60, 127]) func `a place that is not as it was written is named, and lets nobody in`(offset: Int)
        throws
    {
        #expect(file.make())
        #expect(try file.add(order("t_1")) && file.add(order("t_2")))
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[offset] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: LogError.self) { try file.all() }
        #expect(error?.message.contains("\(path) is damaged at byte 0") == true)
        let store = try scratch.open()
        defer { _ = try? store.close() }
        #expect(throws: LogError.self) { try store.credentials.tokens() }
    }

    @Test func `they hold, survive, and go into the data file with the next change that finds room`() throws {
        var store = try scratch.open()
        _ = try store.credentials.bootstrap(workspaceName: "Home")
        for one in [token("a"), token("b", by: "a"), token("c")] { try store.credentials.addToken(one) }
        #expect(try file.add(order("a", by: "c")))
        #expect(try store.credentials.tokens().map(\.id) == ["c"])
        #expect(try store.credentials.allTokens().filter { $0.revokedAt == 7 }.map(\.id).sorted() == ["a", "b"])
        #expect(try store.upkeep.waitingRevocations == 1)
        #expect(try store.credentials.revoke(order("a")).isEmpty, "there is nothing left to revoke")
        try store.close()
        #expect(try file.all().isEmpty, "that was a change")

        store = try scratch.open()
        #expect(try store.credentials.tokens().map(\.id) == ["c"])
        var audit: [String] = []
        try store.audit.export(of: nil) {
            audit.append(String(decoding: $0, as: UTF8.self))
            return true
        }
        #expect(
            audit.filter { $0.contains("token.revoked") && $0.contains("\"by\":\"c\"") && $0.contains("\"at\":7") }.count == 2)
        try store.close()
    }

    @Test func `the relay takes them up by itself, and a backup knows of them`() throws {
        let store = try scratch.open()
        defer { _ = try? store.close() }
        _ = try store.credentials.bootstrap(workspaceName: "Home")
        for one in [token("a"), token("b")] { try store.credentials.addToken(one) }
        #expect(try file.add(order("a")))
        _ = try store.upkeep.backUp(to: scratch.path + "/backup.sqlite", replacing: false)
        #expect(try file.all().count == 1)
        let copy = Scratch(path: scratch.path + "/copy")
        try FileManager.default.createDirectory(
            atPath: copy.path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try FileManager.default.copyItem(atPath: scratch.path + "/backup.sqlite", toPath: copy.databasePath)
        let other = try copy.open()
        #expect(try other.credentials.tokens().map(\.id) == ["b"])
        try other.close()
        #expect(store.upkeep.keepRoom())
        #expect(try file.all().isEmpty && store.credentials.tokens().map(\.id) == ["b"])
    }
}
