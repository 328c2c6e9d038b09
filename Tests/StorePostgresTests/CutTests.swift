import Foundation
import RelayCore
import RelayModel
import RelayProtocol
import StorePostgres
import StoreTestSupport
import Testing

/// The way to the database is cut at any byte of a commit, there and back.
@Suite(.scratch, .enabled(if: PostgresServer.isExpected, "PostgreSQL is not installed")) struct CutTests {
    /// HELIOGRAPH_CUTS=1 cuts at every byte, which takes a minute.
    private static let stride = ProcessInfo.processInfo.environment["HELIOGRAPH_CUTS"].flatMap(Int.init)

    @Test(arguments: [(CuttingProxy.Direction.toDatabase, 97), (.fromDatabase, 23)])
    func `a commit is there once, wherever it was cut`(_ direction: CuttingProxy.Direction, _ stride: Int) throws {
        let folder = Scratch.current.path
        let proxy = try CuttingProxy(in: folder, server: Scratch.current.postgresFolder())
        let store = try Scratch.current.openPostgres(by: folder)
        try store.credentials.addWorkspace(Named(id: .home, name: "Home"))
        var (writer, count) = (Writer(.first), 0)
        try store.log.commit(writer.batch(1))
        while true {
            let name = "a\(count)"
            let batch = writer.batch(2, approvals: [writer.approval(name, seq: writer.seq + 1)])
            proxy.cut(direction, after: count * (Self.stride ?? stride))
            try store.log.commit(batch)
            #expect(try store.log.approval(id(name), of: .first)?.seq == writer.seq - 1)
            count += 1
            // The whole commit, with its earlier queries, takes fewer bytes than the limit.
            if proxy.stopCutting() { break }
        }
        #expect(count > 10)
        #expect(try store.log.all(.first) == expected(.first, 1...writer.seq))
        let report = try store.audit.verify(against: nil, heads: [])
        #expect(report.faults.isEmpty && report.recordCount == count, "\(report.faults)")
    }
}
