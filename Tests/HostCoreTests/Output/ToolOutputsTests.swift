import RelayProtocol
import Testing

@testable import HostCore

@Suite("What running tools print")
struct ToolOutputsTests {
    private let session = SessionID("one-s")!

    /// Outputs with running calls, which wait for nothing but the time.
    private func running(_ calls: String...) -> ToolOutputs {
        var outputs = ToolOutputs()
        for call in calls { outputs.began(call, of: session) }
        return outputs
    }

    /// All reports up to that time, each when it is due.
    private func told(_ outputs: inout ToolOutputs, until now: Int64) -> [String] {
        var told: [String] = []
        while let deadline = outputs.nextDeadline, deadline <= now {
            if let output = outputs.due(at: deadline) { told.append(output.text) }
        }
        return told
    }

    @Test(
        "the end of it is told soon and then each second, whatever comes meanwhile, in whole lines, and again for who comes later"
    )
    func paced() {
        var outputs = running("c1")
        outputs.add("one\ntw", to: "c1", of: session, at: 1_000)
        #expect(outputs.nextDeadline == 1_300 && told(&outputs, until: 1_300) == ["one\n"])
        for piece in ["o\n", "three\n", "fo"] { outputs.add(piece, to: "c1", of: session, at: 1_400) }
        #expect(outputs.nextDeadline == 2_300 && told(&outputs, until: 2_300) == ["one\ntwo\nthree\n"])
        #expect(told(&outputs, until: 12_299) == [])
        #expect(told(&outputs, until: 12_300) == ["one\ntwo\nthree\n"])
        outputs.add("u", to: "c1", of: session, at: 13_000)
        #expect(told(&outputs, until: 22_299) == [], "nothing that could be told is new")
        #expect(told(&outputs, until: 25_000).count == 1)
        outputs.ended("c1", of: session)
        #expect(outputs.nextDeadline == nil && outputs.due(at: 60_000) == nil)
    }

    @Test("of a call that does not run nothing is told")
    func runs() {
        var outputs = running("c1", "c2")
        outputs.add("x\n", to: "other", of: session, at: 0)
        outputs.add("x\n", to: "c2", of: SessionID("one-t")!, at: 0)
        #expect(outputs.nextDeadline == nil)
        for call in ["c1", "c2"] { outputs.add("x\n", to: call, of: session, at: 0) }
        outputs.ended("c1", of: session)
        outputs.add("late\n", to: "c1", of: session, at: 0)
        #expect(told(&outputs, until: 5_000) == ["x\n"])
        outputs.began("c2", of: session)
        #expect(outputs.nextDeadline == nil, "begun anew")
        outputs.add("y\n", to: "c2", of: session, at: 6_000)
        outputs.ended(session)
        #expect(outputs.nextDeadline == nil)
    }

    @Test("a secret that is cut between pieces is never seen, whole or in halves", arguments: 1...47)
    func secrets(_ cut: Int) {
        let line = "token=ghp_0123456789abcdefghijklmnopqrstuvwxyz\n"
        var outputs = running("c1")
        let place = line.index(line.startIndex, offsetBy: cut)
        var shown = ""
        for (index, piece) in [line[..<place], line[place...]].enumerated() {
            outputs.add(String(piece), to: "c1", of: session, at: Int64(index) * 5_000)
            shown += told(&outputs, until: Int64(index) * 5_000 + 2_000).joined()
        }
        #expect(!shown.contains("0123") && !shown.contains("wxyz") && shown.contains("token"))
    }

    @Test("colours do not hide a secret", arguments: ["\u{1B}[32m", "\u{1B}[1;38;5;12m", "\u{1B}]8;;x\u{7}"])
    func colours(_ escape: String) {
        for place in [0, 2, 20] {
            var token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"
            token.insert(contentsOf: escape, at: token.index(token.startIndex, offsetBy: place))
            var outputs = running("c1")
            outputs.add("the token is \(token)\u{1B}[0m.\n", to: "c1", of: session, at: 0)
            #expect(told(&outputs, until: 500) == ["the token is \(Redactor.mark).\n"])
        }
    }

    @Test("of a key of many lines nothing is seen before its end has come, nor when its beginning has gone")
    func keys() {
        var outputs = running("c1", "c2")
        let body = (10..<30).map { "MIIEv\($0)QIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7/+aB9x0\n" }.joined()
        outputs.add("before\n-----BEGIN PRIVATE KEY-----\n" + body, to: "c1", of: session, at: 0)
        #expect(told(&outputs, until: 500) == ["before\n"])
        outputs.add("-----END PRIVATE KEY-----\nafter\n", to: "c1", of: session, at: 2_000)
        let shown = told(&outputs, until: 2_500).joined()
        #expect(!shown.contains("MIIEv") && shown.hasSuffix("after\n"))
        outputs.replace(body + "-----END PRIVATE KEY-----\nafter\n", of: "c2", of: session, at: 4_000)
        let rest = told(&outputs, until: 4_500).joined()
        #expect(!rest.contains("MIIEv") && rest.hasSuffix("after\n"))
    }

    @Test("much is as little as a phone shows; a line without an end is left out, and what comes after it is not")
    func bounded() {
        var outputs = running("c1", "c2")
        for number in 0..<5_000 { outputs.add("line \(number)\n", to: "c1", of: session, at: 0) }
        let shown = told(&outputs, until: 1_000).joined()
        #expect(shown.utf8.count <= 2_048 && shown.hasPrefix("line ") && shown.hasSuffix("line 4999\n"))
        for _ in 0..<2_000 { outputs.add(String(repeating: "x", count: 100), to: "c2", of: session, at: 2_000) }
        outputs.add("end of it\nnext\n", to: "c2", of: session, at: 2_000)
        #expect(told(&outputs, until: 2_500) == ["next\n"])
    }

    @Test("only so many calls are told of, the newest, and only so often")
    func calls() {
        var outputs = ToolOutputs()
        for call in 0..<20 { outputs.began("c\(call)", of: session) }
        for call in 0..<20 { outputs.add("\(call)\n", to: "c\(call)", of: session, at: 0) }
        #expect(told(&outputs, until: 1_000) == (4..<12).map { "\($0)\n" }, "ten in a second")
        #expect(told(&outputs, until: 2_000) == (12..<20).map { "\($0)\n" })
        for other in 0..<10 {
            for call in 0..<10 {
                outputs.began("c\(call)", of: SessionID("one-\(other)")!)
                outputs.add("x\n", to: "c\(call)", of: SessionID("one-\(other)")!, at: 20_000)
            }
        }
        #expect(told(&outputs, until: 20_300 + 9_999).count <= 100)
    }

    @Test("what goes on for long is told less often")
    func longer() {
        var outputs = running("c1")
        var count = 0
        for second in 1...1_000 {
            outputs.add("\(second)\n", to: "c1", of: session, at: Int64(second) * 1_000)
            count += told(&outputs, until: Int64(second) * 1_000).count
        }
        #expect((200...220).contains(count))
    }

    @Test(
        "what was printed is as a terminal leaves it",
        arguments: [
            ("10 %\r20 %\r30 %\r\ndone\r\n", "30 %\ndone\n"),
            ("\u{1B}[1;31mred\u{1B}[0m\tand\u{1B}(B plain\n", "red\tand plain\n"),
            ("\u{1B}]0;a title\u{7}a\u{1B}]8;;http://x\u{1B}\\b\n", "ab\n"),
            ("\u{1B}]never ended\nnext\u{8}\u{0}\n", "\nnext\n"), ("größer ✓\n", "größer ✓\n"), ("a\r\r\nb\r", "a\nb"),
        ])
    func plain(_ printed: String, _ plain: String) {
        #expect(PrintedText.plain(printed.utf8) == plain)
    }
}
