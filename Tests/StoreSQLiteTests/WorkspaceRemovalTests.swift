import Foundation
import RelayCore
import RelayModel
import RelayProtocol
import StoreSQLite
import StoreTestSupport
import Testing

/// Remains of a removed workspace in the data file, and a relay that ends in between.
@Suite(.scratch) struct WorkspaceRemovalTests {
    private let scratch = Scratch.current
    private let key = SessionKey(workspace: .other, session: id("s1"))

    private func fill() throws {
        let store = try scratch.open()
        _ = try store.credentials.bootstrap(workspaceName: "Home")
        try store.credentials.addWorkspace(Named(id: .other, name: "Other"), at: 1_000)
        var writer = Writer(key)
        let approval = writer.approval("a1", seq: 1)
        try store.log.commit(writer.batch(20, approvals: [approval]))
        let token = Token(
            id: "t1", digest: Array(repeating: 1, count: 32), role: .client, subject: "client1", name: "Phone",
            workspace: .other, createdAt: 1_000)
        try store.credentials.addToken(token)
        try store.close()
    }

    @Test func `a relay that ends in between goes on with it, and misses no events`() throws {
        try fill()
        let commandLine = try scratch.openAsCommandLine()
        _ = try commandLine.credentials.removeWorkspace(.other, at: 5_000)
        #expect(try !commandLine.credentials.removeData(of: .other, rowsMax: 7))
        try commandLine.close()
        let epoch = try scratch.openAsCommandLine().log.epoch

        var starts = 0
        var isGone = false
        while !isGone {
            let relay = try scratch.open()
            #expect(relay.log.epoch == epoch, "what is gone by order is not missed")
            #expect(try relay.log.load(resolvedSince: 0).sessions.isEmpty)
            isGone = try relay.credentials.removeData(of: .other, rowsMax: 7)
            try relay.close()
            starts += 1
        }
        #expect(starts > 1)
        #expect(try scratch.open().log.epoch == epoch)
        for table in ["sessions", "events", "approvals", "commands", "push_records", "pictures"] {
            #expect(try scratch.query("SELECT count(*) FROM \(table)") == "0", "\(table)")
        }
    }

    /// Marks that a thief would find in the data file and beside it.
    private func found(_ marks: [String]) throws -> [String] {
        let files = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        let bytes = files.compactMap { FileManager.default.contents(atPath: scratch.path + "/" + $0) }
        return marks.filter { mark in bytes.contains { $0.range(of: Data(mark.utf8)) != nil } }
    }

    @Test func `one that is erased leaves nothing in the file and its log for a thief, and the others' audit logs are whole`()
        throws
    {
        let store = try scratch.open()
        _ = try store.credentials.bootstrap(workspaceName: "Home-mark")
        try store.credentials.addWorkspace(Named(id: .other, name: "Kitchen-mark"), at: 1_000)
        for (tokenID, name, workspace) in [("t1", "Phone-mark", WorkspaceID.other), ("t2", "Laptop", id("default"))] {
            let token = Token(
                id: tokenID, digest: Array(repeating: UInt8(tokenID.utf8.last ?? 0), count: 32), role: .client,
                subject: "client-\(tokenID)",
                name: name, workspace: workspace, createdAt: 1_000)
            try store.credentials.addToken(token)
        }
        func append(_ key: SessionKey, _ mark: String, _ count: Int64) throws {
            var writer = Writer(key)
            var batch = writer.batch(Int(count))
            for index in batch.appends[0].events.indices {
                batch.appends[0].events[index].bytes += Array((mark + String(repeating: ".", count: index * 97 % 9_000)).utf8)
            }
            try store.log.commit(batch)
        }
        try append(key, "event-of-theirs", 300)
        try append(SessionKey(workspace: id("default"), session: id("s1")), "event-of-ours", 300)
        let marks = ["Kitchen-mark", "Phone-mark", "event-of-theirs"]
        #expect(try found(marks) == marks)
        _ = try store.credentials.removeWorkspace(.other, at: 5_000)
        try store.credentials.eraseWorkspace(.other)
        while try !store.credentials.removeData(of: .other, rowsMax: 70) {}
        // With the store open: everything is in the file, and its log is empty.
        #expect(try found(marks) == [])
        #expect(try found(["Home-mark", "event-of-ours"]).count == 2)
        #expect(try store.audit.verify(against: nil, heads: []).faults.isEmpty)
        #expect(try store.auditLines().allSatisfy { !$0.contains(#""workspace":"other""#) })
        // An accident still takes nothing of the others'.
        try store.close()
        #expect(throws: (any Error).self) { try scratch.query("DELETE FROM audit") }
    }

    @Test func `a backup from before loses it again when it is restored`() throws {
        try fill()
        let store = try scratch.open()
        let backup = scratch.path + "/before.sqlite"
        _ = try store.upkeep.backUp(to: backup, replacing: false, with: [:])
        _ = try store.credentials.removeWorkspace(.other, at: 5_000)
        try store.credentials.eraseWorkspace(.other)
        while try !store.credentials.removeData(of: .other, rowsMax: 70) {}
        try store.close()
        _ = try DataDirectory(path: scratch.path).restore(backup, replacing: true)
        let again = try scratch.open()
        #expect(try again.credentials.workspaces().map(\.name) == ["Home"])
        #expect(try again.credentials.workspacesToClear() == [.other])
        #expect(try again.log.load(resolvedSince: 0).sessions.isEmpty)
        while try !again.credentials.removeData(of: .other, rowsMax: 70) {}
        for table in ["sessions", "events", "approvals"] {
            #expect(try scratch.query("SELECT count(*) FROM \(table)") == "0", "\(table)")
        }
        #expect(try again.audit.verify(against: nil, heads: []).faults.isEmpty)
    }

    @Test func `its audit log stays whole, and says who did what last`() throws {
        try fill()
        let store = try scratch.open()
        let before = try store.audit.verify(against: nil, heads: [])
        _ = try store.credentials.renameWorkspace(.other, to: "Another", at: 4_000)
        _ = try store.credentials.removeWorkspace(.other, at: 5_000)
        while try !store.credentials.removeData(of: .other, rowsMax: 7) {}
        let words = try store.auditLines().filter { $0.contains(#""workspace":"other""#) }.compactMap { line in
            line.split(separator: #""what":""#).last?.prefix { $0 != "\"" }
        }
        #expect(
            words == [
                "workspace.added", "approval.requested", "token.created", "workspace.renamed", "token.revoked",
                "workspace.removed",
            ])
        let report = try store.audit.verify(against: nil, heads: before.heads.map(\.hash))
        #expect(report.faults.isEmpty, "\(report.faults)")
        // The rows that counted its records are gone: a cut end is noticed all the same.
        let last = try scratch.query("SELECT max(id) FROM audit")
        try store.close()
        _ = try scratch.query("DROP TRIGGER audit_is_not_cut; DELETE FROM audit WHERE id = \(last)")
        #expect(try scratch.open().audit.verify(against: nil, heads: []).faults.contains { $0.contains("the end was cut off") })
    }
}
