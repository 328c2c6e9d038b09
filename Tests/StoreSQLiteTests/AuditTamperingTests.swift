import HeliographCrypto
import Foundation
import RelayCore
import RelayProtocol
import RelayStore
import StoreSQLite
import StoreTestSupport
import Testing

/// Tampering with an audit log, and its detection.
@Suite(.scratch) struct AuditTamperingTests {
    private let scratch = Scratch.current

    /// Six records, of three approvals that were asked for and decided.
    private func fill() throws {
        let store = try scratch.open()
        try store.credentials.addWorkspace(Named(id: .home, name: "Home"))
        var writer = Writer(.first)
        for number in 1...3 as ClosedRange<Int64> {
            let decision = Decision(
                .deny(message: "no"), client: id("c"), clientName: "Ada", at: 1_000 + 2 * number, command: id("c\(number)"))
            let requested = writer.approval("a\(number)", seq: 2 * number - 1)
            let decided = writer.approval("a\(number)", seq: 2 * number, stage: .decided, decision: decision)
            try store.log.commit(writer.batch(2, approvals: [requested, decided]))
        }
        try store.close()
    }

    @Test func `what commands a terminal is spelled out in the bytes that are exported, and they are verified`() throws {
        let store = try scratch.open()
        let name = "a\u{9b}2J\u{85}b\u{2028}c\u{2029}d é \u{201c}e\u{201d} \u{1F4A1}"
        try store.credentials.addWorkspace(Named(id: .home, name: "Home"), at: 1_000)
        try store.credentials.addWorkspace(Named(id: .other, name: name), at: 1_000)
        try store.close()
        let lines = try export()
        let line = try #require(lines.last)
        #expect(line.contains(#"a\u009b2J\u0085b\u2028c\u2029d é \#u{201c}e\#u{201d} \#u{1F4A1}"#), "\(line)")
        #expect(!line.unicodeScalars.contains { (0x80...0x9F).contains($0.value) || [0x2028, 0x2029].contains($0.value) })
        #expect(try JSONDocument(parsing: Array(line.utf8)).root.object().string("name") == name)
        #expect(try faultsOfData() == [])
    }

    @Test func `a record from before that was spelled out is exported with it spelled out, and the file is verified`() throws {
        let store = try scratch.open()
        // Text in the name that looks like an escape stays unchanged.
        let name = #"\u0085 a\#u{9b}2J\#u{2028}\\#u{85}"#
        try store.credentials.addWorkspace(Named(id: .home, name: name), at: 1_000)
        try store.close()
        let spelled = try #require(try export().first)
        let raw = ["\u{9b}", "\u{2028}", "\u{85}"].reduce(spelled.replacingOccurrences(of: #""\\u0085 a"#, with: "KEPT")) {
            line, text in
            line.replacingOccurrences(of: AuditTamperingTests.escape(of: text), with: text)
        }
        let old = rehashed(raw.replacingOccurrences(of: "KEPT", with: #""\\u0085 a"#))
        let digits = old.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        try scratch.sql(Self.unlocked + "UPDATE audit SET line = x'\(digits)'")
        #expect(try faultsOfData() == [])
        let exported = try #require(try export().first)
        #expect(exported != old && exported.unicodeScalars.allSatisfy { $0.isASCII })
        #expect(try JSONDocument(parsing: Array(exported.utf8)).root.object().string("name") == name)
        #expect(try faults(of: [exported]) == [])
        #expect(try faults(of: [old]) == [], "as it was exported before")
        for line in [exported, old] {
            try (line + "\n").write(toFile: file, atomically: false, encoding: .utf8)
            #expect(try scratch.openAsCommandLine().audit.verify(against: file, heads: []).faults == [])
        }
        let forged = exported.replacingOccurrences(of: "2J", with: "3J")
        #expect(try faults(of: [forged]) == ["line 1 was changed: its hash is of another line"])
    }

    private static func escape(of text: String) -> String {
        text.unicodeScalars.map {
            #"\u"# + String(repeating: "0", count: 4 - String($0.value, radix: 16).count) + String($0.value, radix: 16)
        }
        .joined()
    }

    private var file: String { scratch.path + "/audit.jsonl" }

    private func export() throws -> [String] { try scratch.openAsCommandLine().auditLines() }

    private func faults(of lines: [String], heads: [String] = []) throws -> [String] {
        try lines.map { $0 + "\n" }.joined().write(toFile: file, atomically: false, encoding: .utf8)
        return try AuditFile.verify(file, heads: heads).faults
    }

    private func faultsOfData(heads: [String] = []) throws -> [String] {
        try scratch.openAsCommandLine().audit.verify(against: nil, heads: heads).faults
    }

    private static let unlocked = "DROP TRIGGER audit_is_not_changed; DROP TRIGGER audit_is_not_cut; "

    // MARK: - An exported file

    @Test func `a file as it was exported is good`() throws {
        try fill()
        let lines = try export()
        #expect(lines.count == 6)
        #expect(try faults(of: lines).isEmpty)
        let report = try AuditFile.verify(file, heads: [])
        #expect(report.recordCount == 6)
        #expect(report.heads.map(\.n) == [6])
        #expect(lines.last?.contains(report.heads[0].hash) == true)
    }

    @Test func `any changed byte is noticed in its line`() throws {
        try fill()
        let lines = try export()
        for index in lines.indices {
            for offset in stride(from: 0, to: lines[index].utf8.count, by: 7) {
                var bytes = Array(lines[index].utf8)
                bytes[offset] ^= 1
                var changed = lines
                changed[index] = String(decoding: bytes, as: UTF8.self)
                let found = try faults(of: changed)
                #expect(found.contains { $0.hasPrefix("line \(index + 1) ") }, "byte \(offset) of line \(index + 1): \(found)")
            }
        }
    }

    @Test func `another spelling of the same is a change`() throws {
        try fill()
        var lines = try export()
        lines[1] = lines[1].replacingOccurrences(of: #","what":"#, with: #", "what":"#)
        #expect(try faults(of: lines) == ["line 2 was changed: its hash is of another line"])
    }

    @Test func `a changed line with a new hash is noticed by the line after it`() throws {
        try fill()
        var lines = try export()
        lines[1] = rehashed(lines[1].replacingOccurrences(of: "Ada", with: "Eve"))
        #expect(try faults(of: lines) == ["line 3 does not follow the record before it: one of the two was replaced"])
    }

    @Test func `a removed line is noticed`() throws {
        try fill()
        for index in 0..<5 {
            var lines = try export()
            lines.remove(at: index)
            #expect(
                try faults(of: lines) == [
                    "line \(index + 1) has record \(index + 2) where record \(index + 1) of workspace home belongs: "
                        + "lines before it were removed"
                ])
        }
    }

    @Test func `an inserted or repeated line is noticed`() throws {
        try fill()
        var lines = try export()
        lines.insert(lines[2], at: 3)
        #expect(try faults(of: lines).first?.hasPrefix("line 4 has record 3 where record 4 of workspace home belongs") == true)
        lines = try export()
        lines.insert("{}", at: 3)
        #expect(try faults(of: lines).first?.hasPrefix("line 4 is no audit record") == true)
        lines[3] = ""
        #expect(try faults(of: lines).first?.hasPrefix("line 4 is no audit record") == true)
    }

    @Test func `moved lines are noticed`() throws {
        try fill()
        var lines = try export()
        lines.swapAt(1, 4)
        let found = try faults(of: lines)
        #expect(found.first?.hasPrefix("line 2 has record 5 where record 2") == true, "\(found)")
    }

    @Test func `a line that was cut is noticed`() throws {
        try fill()
        let text = try export().joined(separator: "\n")
        try String(text.dropLast(20)).write(toFile: file, atomically: false, encoding: .utf8)
        #expect(
            try AuditFile.verify(file, heads: []).faults.first?.hasPrefix("line 6 is no audit record") == true)
        // Without the last line's end, but whole: as editors leave it.
        try text.write(toFile: file, atomically: false, encoding: .utf8)
        #expect(try AuditFile.verify(file, heads: []).faults.isEmpty)
    }

    @Test func `a cut end is noticed by a head that was kept`() throws {
        try fill()
        let lines = try export()
        _ = try faults(of: lines)
        let head = try AuditFile.verify(file, heads: []).heads[0].hash
        #expect(try faults(of: lines, heads: [head]).isEmpty)
        #expect(try faults(of: lines.dropLast()).isEmpty, "the file alone does not show it")
        let found = try faults(of: lines.dropLast(), heads: [head])
        #expect(found == ["no record has the hash \(head): the end was cut off, or the log is another one"])
        #expect(try faults(of: [], heads: [head]).count == 1)
    }

    @Test func `a file that is longer than any record is refused`() throws {
        try String(repeating: "x", count: 3 << 20).write(toFile: file, atomically: false, encoding: .utf8)
        let error = #expect(throws: LogError.self) { try AuditFile.verify(file, heads: []) }
        #expect(error?.code == .damaged(.store))
        let missing = #expect(throws: LogError.self) { try AuditFile.verify(file + ".no", heads: []) }
        #expect(missing?.code == .unreachable(isPassing: false))
    }

    // MARK: - A file and the data

    @Test func `a file is what the data begins with, or it is noticed`() throws {
        try fill()
        let lines = try export()
        let store = try scratch.openAsCommandLine()
        func found(_ lines: some Sequence<String>) throws -> [String] {
            try lines.map { $0 + "\n" }.joined().write(toFile: file, atomically: false, encoding: .utf8)
            return try store.audit.verify(against: file, heads: []).faults
        }
        for count in 0...6 { #expect(try found(lines.prefix(count)).isEmpty) }

        // Rewritten from the second line on, with correct hashes: only an earlier export reveals it.
        var forged = lines
        var previous = hash(of: lines[0])
        for index in 1..<6 {
            let old = hash(of: lines[index - 1])
            forged[index] = rehashed(
                lines[index].replacingOccurrences(of: "Ada", with: "Eve").replacingOccurrences(of: old, with: previous))
            previous = hash(of: forged[index])
        }
        #expect(try faults(of: forged).isEmpty)
        let differing = try found(forged)
        #expect(differing.first == "\(file): line 2 is another than record 2 of workspace home in the data", "\(differing)")

        try scratch.sql(Self.unlocked + "DELETE FROM audit WHERE id & 0xffffffff > 4; UPDATE sessions SET audited = 4")
        let cut = try found(lines)
        #expect(cut.contains("\(file): line 5 has a record that the data does not have: the end of the data was cut off"))
    }

    // MARK: - The data itself

    @Test func `rows are not changed or removed by chance`() throws {
        try fill()
        for statement in ["UPDATE audit SET line = x'7b'", "DELETE FROM audit WHERE id & 0xffffffff = 6"] {
            #expect(throws: Tool.Failure.self) { try scratch.sql(statement) }
        }
        #expect(try faultsOfData().isEmpty)
    }

    @Test(arguments: [
        (
            "UPDATE audit SET line = replace(line, 'Ada', 'Eve') WHERE id & 0xffffffff = 2",
            "row 2 of home was changed: its hash is of another line"
        ),
        (
            "UPDATE audit SET id = id + 3 WHERE id & 0xffffffff = 6",
            "row 9 of home was moved: its line says record 6 of workspace home"
        ),
        (
            "UPDATE audit SET id = (7 << 32) | 1 WHERE id & 0xffffffff = 6",
            "row 1 of no workspace was moved: its line says record 6 of workspace home"
        ),
        (
            "DELETE FROM audit WHERE id & 0xffffffff = 3",
            "row 4 of home has record 4 where record 3 of workspace home belongs: lines before it were removed"
        ),
        ("DELETE FROM audit WHERE id & 0xffffffff > 5", "row 5 of home is the last, but there were 6: the end was cut off"),
        ("DELETE FROM audit", "row 0 of home is the last, but there were 6: the end was cut off"),
        ("UPDATE sessions SET audited = 5", "row 6 of home is the last, but there were 5"),
        (
            "DELETE FROM audit WHERE id & 0xffffffff > 5; UPDATE sessions SET audited = 5",
            "approval home/s1/a3 has a decision that no record has"
        ),
        (
            "UPDATE audit SET id = id + 9 WHERE id & 0xffffffff = 1",
            "row 2 of home has record 2 where record 1 of workspace home belongs: lines before it were removed"
        ),
        (
            "UPDATE approvals SET record = replace(record, 'Ada', 'Eve') WHERE approval = 'a2'",
            "approval home/s1/a2 has a decision that no record has"
        ),
        (
            "UPDATE approvals SET record = replace(record, 'deny', 'allow') WHERE approval = 'a1'",
            "approval home/s1/a1 has a decision that no record has"
        ),
    ])
    func `a row that was touched is noticed`(statement: String, fault: String) throws {
        try fill()
        // `replace` makes text, and the columns are strict.
        let bytes = statement.replacing(/= (replace\([^)]*\))/) { "= CAST(\($0.output.1) AS BLOB)" }
        try scratch.sql(Self.unlocked + bytes)
        let found = try faultsOfData()
        #expect(found.contains { $0.hasPrefix(fault) }, "\(found)")
    }

    @Test func `a cut end of the data is noticed by a head that was kept`() throws {
        try fill()
        let head = try scratch.openAsCommandLine().audit.verify(against: nil, heads: []).heads[0]
        #expect(head.n == 6)
        #expect(try faultsOfData(heads: [head.hash]).isEmpty)
        // All traces removed: the rows, their count, and the approvals that they are about.
        try scratch.sql(
            Self.unlocked + """
                DELETE FROM audit WHERE id & 0xffffffff > 4; UPDATE sessions SET audited = 4; DELETE FROM approvals
                """)
        #expect(try faultsOfData().isEmpty)
        #expect(try faultsOfData(heads: [head.hash]).count == 1)
    }

    @Test func `a cut end stays to be seen, however much is written after it`() throws {
        try fill()
        try scratch.sql(Self.unlocked + "DELETE FROM audit WHERE id & 0xffffffff = 6")
        #expect(try faultsOfData().contains("row 5 of home is the last, but there were 6: the end was cut off"))
        var writer = Writer(.first, seq: 6)
        let store = try scratch.open()
        try store.log.commit(writer.batch(1, approvals: [writer.approval("a8", seq: 7)]))
        try store.close()
        let removed = "row 7 of home has record 7 where record 6 of workspace home belongs: lines before it were removed"
        #expect(try faultsOfData().contains(removed))

        // By another client, and without a session.
        try scratch.sql("DELETE FROM audit WHERE id & 0xffffffff = 7")
        let token = Token(
            id: "t1", digest: Array(repeating: 1, count: 32), role: .host, subject: "h1", name: "Laptop", workspace: .home,
            createdAt: 1)
        try scratch.openAsCommandLine().credentials.addToken(token)
        try scratch.open().log.commit(writer.batch(1, approvals: [writer.approval("a9", seq: 8)]))
        let found = try faultsOfData()
        #expect(
            found.contains("row 8 of home has record 8 where record 6 of workspace home belongs: lines before it were removed"),
            "\(found)")
    }

    @Test func `behind a line whose hash the disk has changed the next is still a record`() throws {
        try fill()
        try scratch.sql(
            Self.unlocked
                + "UPDATE audit SET line = CAST(replace(line, 'hash\":\"', 'hash\":\"\u{fffd}') AS BLOB) WHERE id & 0xffffffff = 6"
        )
        // The last of its digits.
        try scratch.sql(
            "UPDATE audit SET line = CAST(substr(line, 1, length(line) - 3) || x'ff227d' AS BLOB) WHERE id & 0xffffffff = 6")
        var writer = Writer(.first, seq: 6)
        try scratch.open().log.commit(
            writer.batch(2, approvals: [writer.approval("a8", seq: 7), writer.approval("a9", seq: 8)]))
        let found = try faultsOfData()
        #expect(found.contains { $0.hasPrefix("row 6 of home") }, "\(found)")
        #expect(
            !found.contains { $0.hasPrefix("row 8 of home") || $0.contains("row 7 of home is no audit record") }, "\(found)")
    }

    @Test(arguments: [
        // Faults that an older version reported are reported in addition.
        ("DELETE FROM audit WHERE number = 3", "has record 4 where record 3"),
        ("DELETE FROM audit WHERE number > 4", "row 4 of home is the last, but there were 6: the end was cut off"),
        ("DELETE FROM audit", "row 0 of home is the last, but there were 6: the end was cut off"),
        // A row without a place has none, and does not prevent a start.
        ("UPDATE audit SET n = n + 0x100000000 WHERE number = 6", "row 6 of no workspace was moved"),
        ("UPDATE audit SET n = 0 WHERE number = 6", "row 6 of no workspace was moved"),
        (
            "PRAGMA foreign_keys = OFF; UPDATE audit SET workspace = 'x' || n, n = 1 WHERE number > 4",
            "row 5 of no workspace was moved"
        ),
    ])
    func `a log that was touched in a file of the version before is taken along as it is`(change: String, fault: String) throws
    {
        try fill()
        try scratch.sql(OlderFile.version4)
        try scratch.sql(
            Self.unlocked + change + """
                ; CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN SELECT raise(ABORT, ''); END;
                CREATE TRIGGER audit_is_not_cut BEFORE DELETE ON audit BEGIN SELECT raise(ABORT, ''); END
                """)
        let store = try scratch.open()
        let found = try store.audit.verify(against: nil, heads: []).faults
        #expect(found.contains { $0.contains(fault) }, "\(found)")
        var writer = Writer(.first, seq: 6)
        try store.log.commit(writer.batch(1, approvals: [writer.approval("a9", seq: 7)]))
        #expect(try !store.audit.verify(against: nil, heads: []).faults.isEmpty)
    }

    @Test func `a relay goes on with a log that was touched, and the fault stays to be seen`() throws {
        try fill()
        try scratch.sql(
            Self.unlocked + "UPDATE audit SET line = CAST(replace(line, 'Ada', 'Eve') AS BLOB) WHERE id & 0xffffffff = 6")
        var writer = Writer(.first, seq: 6)
        try scratch.open().log.commit(writer.batch(1, approvals: [writer.approval("a9", seq: 7)]))
        let found = try faultsOfData()
        #expect(found.contains("row 6 of home was changed: its hash is of another line"), "\(found)")
        #expect(!found.contains { $0.hasPrefix("row 7") }, "\(found)")
    }

    // MARK: - A forger's tools

    private func hash(of line: String) -> String { String(line.dropLast(2).suffix(64)) }

    /// The line with the hash that it should have.
    private func rehashed(_ line: String) -> String {
        let bare = line.prefix(upTo: line.range(of: #","hash":""#)!.lowerBound) + "}"
        let previous = String(bare.dropLast(2).suffix(64))
        return bare.dropLast() + #","hash":"\#(Crypto.hex(Crypto.sha256(previous + bare)))"}"#
    }
}
