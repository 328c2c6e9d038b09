import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("Claude Code: what an edit does to its file")
struct ClaudeChangeTests {
    private static let twenty = (1...20).map { "line \($0)\n" }.joined()

    private func change(_ tool: String, _ input: String, _ file: ClaudeFile) throws -> ClaudeChange {
        let input = try JSONDocument(parsing: input).root
        return try #require(ClaudeChange(tool: tool, input: input, file: file, Redactor()))
    }

    private func file(_ text: String) -> ClaudeFile {
        ClaudeFile(content: .bytes(Array(text.utf8)), size: Int64(text.utf8.count))
    }

    private func written(_ change: ClaudeChange) -> String {
        String(decoding: JSONWriter.object { change.write(to: &$0) }, as: UTF8.self)
    }

    @Test("writing over a file shows what goes, with line numbers and three lines around it")
    func overwrites() throws {
        let content = Self.twenty.replacing("line 10\n", with: "") + "more\n"
        let json = String(decoding: JSONWriter.string(content), as: UTF8.self)
        let change = try change("Write", #"{"file_path":"/f","content":\#(json)}"#, file(Self.twenty))
        #expect(
            change.diff?.lines == [
                "@@ -7,7 +7,6 @@", " line 7", " line 8", " line 9", "-line 10", " line 11", " line 12", " line 13",
                "@@ -18,3 +17,4 @@", " line 18", " line 19", " line 20", "+more",
            ])
        #expect(written(change) == #"{"change":{"file":"overwrites","added":1,"removed":1,"bytes":151}}"#)
    }

    @Test("a new file is one, and the same text again changes nothing")
    func newAndSame() throws {
        let input = #"{"file_path":"/f","content":"a\nb\n"}"#
        let new = try change("Write", input, .absent)
        #expect(new.kind == .new && new.diff?.lines == ["@@ -0,0 +1,2 @@", "+a", "+b"])
        let same = try change("Write", input, file("a\nb\n"))
        #expect(written(same) == #"{"change":{"file":"unchanged","added":0,"removed":0,"bytes":4}}"#)
        #expect(same.diff?.lines == [])
    }

    @Test("replace_all shows every place; one of several is not one")
    func everywhere() throws {
        let edit = { (all: String) in #"{"file_path":"/f","old_string":"x","new_string":"y","replace_all":\#(all)}"# }
        let text = file("x 1\n2\n3\n4\n5\n6\n7\n8\n9\nx 10\n")
        let all = try change("Edit", edit("true"), text)
        #expect(all.places == 2 && all.diff?.added == 2 && all.diff?.removed == 2)
        #expect(all.diff?.lines.filter { $0.hasPrefix("+") } == ["+y 1", "+y 10"])
        let one = try change("Edit", edit("false"), text)
        #expect(written(one) == #"{"change":{"file":"edits","problem":"notUnique","bytes":25,"places":2}}"#)
        #expect(one.diff?.lines == ["-x", "+y"], "without counts and numbers, which nobody knows")
    }

    @Test(
        "an edit becomes what Claude Code made of it when it was watched",
        arguments: [
            // A deletion includes the end of its line.
            ("a\nb\nc\n", "b", "", ["@@ -1,3 +1,2 @@", " a", "-b", " c"]),
            ("one\r\ntwo\r\nthree\r\n", "two\nthree", "2\n3", ["@@ -1,3 +1,3 @@", " one", "-two", "-three", "+2", "+3"]),
            ("a b\n", "b", "c", ["@@ -1,1 +1,1 @@", "-a b", "+a c"]),
        ])
    func asWatched(_ before: String, _ old: String, _ new: String, _ lines: [String]) throws {
        let (old, new) = (
            String(decoding: JSONWriter.string(old), as: UTF8.self), String(decoding: JSONWriter.string(new), as: UTF8.self)
        )
        let change = try change("Edit", #"{"file_path":"/f","old_string":\#(old),"new_string":\#(new)}"#, file(before))
        #expect(change.diff?.lines == lines && change.problem == nil)
    }

    @Test("several edits are made one after the other")
    func several() throws {
        let edits = #"[{"old_string":"a","new_string":"b"},{"old_string":"b","new_string":"c"}]"#
        let change = try change("MultiEdit", #"{"file_path":"/f","edits":\#(edits)}"#, file("a\n"))
        #expect(change.diff?.lines == ["@@ -1,1 +1,1 @@", "-a", "+c"])
    }

    @Test(
        "what could not be compared is said, and claims no counts",
        arguments: [
            ("Write", ClaudeFile(content: .unread(.tooLarge), size: 4_000_000), "overwrites", "tooLarge"),
            ("Write", ClaudeFile(content: .bytes([1, 0, 2]), size: 3), "overwrites", "binary"),
            ("Write", ClaudeFile(content: .bytes([0xFF]), size: 1), "overwrites", "binary"),
            ("Write", ClaudeFile(content: .unread(.notAFile)), "overwrites", "notAFile"),
            ("Write", ClaudeFile(content: .unread(.late)), "unknown", "late"),
            ("Edit", ClaudeFile.absent, "edits", "missing"),
            ("Edit", ClaudeFile(content: .bytes(Array("z".utf8)), size: 1), "edits", "notFound"),
        ])
    func problems(_ tool: String, _ file: ClaudeFile, _ kind: String, _ problem: String) throws {
        let input = #"{"file_path":"/f","content":"a\n","old_string":"a","new_string":"b"}"#
        let change = try change(tool, input, file)
        #expect(change.kind.rawValue == kind && change.problem?.rawValue == problem)
        #expect(!change.isCounted && !written(change).contains("added"))
    }

    @Test("a link says which file is meant")
    func link() throws {
        var file = file("a\n")
        file.target = "/home/dev/.ssh/authorized_keys"
        let change = try change("Write", #"{"file_path":"/f","content":"b\n"}"#, file)
        #expect(written(change).contains(#""target":"/home/dev/.ssh/authorized_keys""#))
    }

    @Test("a private key stays hidden where a change only touches its neighbourhood")
    func keys() throws {
        let key = (1...30).map { _ in "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj" }
        let text = "-----BEGIN PRIVATE KEY-----\n" + key.joined(separator: "\n") + "\n-----END PRIVATE KEY-----\nname = a\n"
        let edit = try change("Edit", #"{"file_path":"/f","old_string":"name = a","new_string":"name = b"}"#, file(text))
        #expect(edit.diff?.lines.contains("-name = a") == true && edit.diff?.isRedacted == true)
        #expect(edit.diff?.text.contains("MII") == false)
        let gone = try change("Write", #"{"file_path":"/f","content":"name = b\n"}"#, file(text))
        #expect(gone.diff?.text.contains("MII") == false && gone.diff?.removed == 33)
    }

    private static let notebook =
        #"{"cells":[{"cell_type":"code","id":"c1","source":["a = 1\n","b = 2"]},{"cell_type":"markdown","id":"c2","source":"hi"}]}"#

    @Test(
        "a notebook's change is against its cell",
        arguments: [
            (#""cell_id":"c1","new_source":"a = 3\nb = 2""#, ["-a = 1", "+a = 3"], #"{"deed":"replace","number":1,"of":2}"#),
            (#""cell_id":"cell-1","new_source":"","edit_mode":"delete""#, ["-hi"], #"{"deed":"delete","number":2,"of":2}"#),
            (#""cell_id":"c1","new_source":"z","edit_mode":"insert""#, ["+z"], #"{"deed":"insert","number":2,"of":2}"#),
        ])
    func notebook(_ input: String, _ lines: [String], _ cell: String) throws {
        let change = try change("NotebookEdit", #"{"notebook_path":"/n.ipynb",\#(input)}"#, file(Self.notebook))
        let changed = change.diff?.lines.filter { $0.hasPrefix("+") || $0.hasPrefix("-") }
        #expect(changed == lines)
        #expect(written(change).contains(cell))
    }

    @Test("a cell that is not there is said to be missing")
    func noCell() throws {
        let input = #"{"notebook_path":"/n.ipynb","cell_id":"c9","new_source":"z"}"#
        #expect(try change("NotebookEdit", input, file(Self.notebook)).problem == .noCell)
        #expect(try change("NotebookEdit", input, file("no notebook")).problem == .noCell)
        for number in [-1, 2, 9_007_199_254_740_991] {
            let far = #"{"notebook_path":"/n.ipynb","cell_number":\#(number),"edit_mode":"insert","new_source":"z"}"#
            #expect(try change("NotebookEdit", far, file(Self.notebook)).problem == .noCell)
        }
    }

    // MARK: Afterwards

    private func done(_ tool: String, _ input: String, _ response: String) throws -> ClaudeChange {
        try #require(
            ClaudeChange(
                tool: tool, input: try JSONDocument(parsing: input).root, response: try JSONDocument(parsing: response).root,
                Redactor()))
    }

    @Test("what is done is told against what Claude says the file held")
    func afterwards() throws {
        let input = #"{"file_path":"/f","content":"a\n"}"#
        let over = try done("Write", input, #"{"type":"update","originalFile":"b\nc\n","structuredPatch":[]}"#)
        #expect(over.kind == .overwrites && over.diff?.added == 1 && over.diff?.removed == 2)
        let same = try done("Write", input, #"{"type":"update","originalFile":"a\n","structuredPatch":[]}"#)
        #expect(same.kind == .unchanged && same.diff?.added == 0)
        let new = try done("Write", input, #"{"type":"create","content":"a\n","originalFile":null,"structuredPatch":[]}"#)
        #expect(new.kind == .new && new.diff?.added == 1)
        let unknown = try done("Write", input, "{}")
        #expect(!unknown.isCounted && unknown.kind == .unknown)
        let quoted = String(decoding: JSONWriter.string(Self.notebook), as: UTF8.self)
        let cell = try done(
            "NotebookEdit", #"{"notebook_path":"/n","cell_id":"c1","new_source":"a = 1"}"#, #"{"original_file":\#(quoted)}"#)
        #expect(cell.diff?.removed == 2 && cell.diff?.added == 1 && cell.cell?.number == 1)
    }
}
