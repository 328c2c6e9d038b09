import RelayProtocol
import Testing

@testable import HostCore

@Suite("What clients see of a terminal")
struct ScreenLooksTests {
    private final class Bench {
        var screen = TerminalScreen(rows: 4, columns: 20)
        var looks = ScreenLooks(name: "t1")
        var now: Int64 = 1_000

        func write(_ text: String) {
            screen.take(text.utf8)
            looks.changed(at: now)
        }

        func look(_ question: Int64 = 1, after: String? = nil) -> Bool {
            looks.asked(.init(connection: 1, question: question), after: after, at: now)
        }

        /// The answers as `question: text`, once the clock has moved on.
        func pass(_ milliseconds: Int64) -> [String] {
            now += milliseconds
            return looks.due(screen, at: now).map { "\($0.asker.question): \(String(decoding: $0.answer, as: UTF8.self))" }
        }
    }

    private static func size(_ rest: String) -> String { #""rows":4,"columns":20,\#(rest)"# }

    @Test("a first look gets all of the screen, with colours and cursor, at once")
    func first() {
        let bench = Bench()
        bench.write("plain\r\n\u{1B}[1;31mred\u{1B}[0m \u{1B}[7mx\u{1B}[0m")
        #expect(bench.look())
        #expect(
            bench.pass(20) == [
                #"1: {"of":"t1.1","whole":true,"#
                    + Self.size(#""cursor":{"row":1,"column":5},"lines":[{"row":0,"runs":[{"text":"plain"}]},"#)
                    + #"{"row":1,"runs":[{"text":"red","style":"1;31"},{"text":" "},{"text":"x","style":"7"}]}]}"#
            ])
    }

    @Test("runs of wide characters are marked, as a page cannot know what takes two columns")
    func wide() {
        let bench = Bench()
        bench.write("a\u{1B}[1m中文 b\u{1B}[0m❤\u{FE0F}")
        _ = bench.look()
        #expect(
            bench.pass(20)[0].hasSuffix(
                #"{"row":0,"runs":[{"text":"a"},{"text":"中文","style":"1","wide":true},{"text":" b","style":"1"},{"text":"❤\#u{FE0F}","wide":true}]}]}"#
            ))
    }

    @Test("the next look waits for a change and gets the rows that changed, at most ten times a second")
    func changes() {
        let bench = Bench()
        bench.write("one\r\ntwo")
        _ = bench.look()
        _ = bench.pass(20)
        #expect(bench.look(2, after: "t1.1"))
        #expect(bench.pass(500) == [])
        bench.write("!")
        #expect(bench.pass(5) == [], "a program that draws writes several pieces")
        bench.write("!")
        let answer = bench.pass(10)
        #expect(
            answer == [
                #"2: {"of":"t1.2","base":"t1.1","#
                    + Self.size(#""cursor":{"row":1,"column":5},"lines":[{"row":1,"runs":[{"text":"two!!"}]}]}"#)
            ])
        #expect(bench.look(3, after: "t1.2"))
        bench.write("?")
        #expect(bench.pass(80) == [])
        #expect(bench.pass(30).count == 1)
    }

    @Test("who is slow to ask again gets what is there then, once, and not what was in between")
    func conflated() {
        let bench = Bench()
        _ = bench.look()
        _ = bench.pass(20)
        for number in 0..<50 {
            bench.write("\r\(number)")
            #expect(bench.pass(200) == [], "nobody looks")
        }
        #expect(bench.look(2, after: "t1.1"))
        let answers = bench.pass(1)
        #expect(answers.count == 1 && answers[0].contains(#"{"text":"49"}"#) && answers[0].contains("t1.2"))
    }

    @Test("nothing is to be done while nobody looks, whatever the program writes")
    func idle() {
        let bench = Bench()
        bench.write("x")
        #expect(bench.looks.nextDeadline == nil)
        _ = bench.look()
        #expect(bench.looks.nextDeadline != nil)
        bench.looks.left(1)
        #expect(bench.looks.nextDeadline == nil && bench.pass(1_000) == [])
    }

    @Test("an unchanged screen is answered in the end, so that its client knows that it is connected")
    func unchanged() {
        let bench = Bench()
        bench.write("x")
        _ = bench.look()
        _ = bench.pass(20)
        _ = bench.look(2, after: "t1.1")
        #expect(bench.pass(9_900) == [])
        let unchanged = Self.size(#""cursor":{"row":0,"column":1},"lines":[]}"#)
        #expect(bench.pass(200) == [#"2: {"of":"t1.1","base":"t1.1",\#(unchanged)"#])
    }

    @Test(
        "a drawing of another terminal, or one that was never drawn, is none: all of the screen comes",
        arguments: ["t2.1", "t1.9", "t1.0", "t1.-1", "x", ""])
    func foreign(_ after: String) {
        let bench = Bench()
        bench.write("x")
        _ = bench.look()
        _ = bench.pass(20)
        _ = bench.look(2, after: after)
        #expect(bench.pass(1).first?.contains(#""whole":true"#) == true)
    }

    @Test("while a program says that it is drawing its screen is not taken, but not for ever")
    func unfinished() {
        let bench = Bench()
        _ = bench.look()
        bench.write("\u{1B}[?2026hhalf")
        #expect(bench.pass(100) == [])
        bench.write(" done\u{1B}[?2026l")
        #expect(bench.pass(20).first?.contains("half done") == true)
        bench.write("\u{1B}[?2026hstuck")
        _ = bench.look(2, after: "t1.1")
        #expect(bench.pass(100) == [])
        #expect(bench.pass(200) == [])
        #expect(bench.pass(60).count == 1)
    }

    @Test("too many looks at a time are refused")
    func many() {
        let bench = Bench()
        for question in 1...16 { #expect(bench.look(Int64(question))) }
        #expect(!bench.look(17))
    }

    @Test("what looks like a secret is hidden, also where it goes on in the next row, and concealed text is not sent")
    func secrets() {
        let bench = Bench()
        let token = "ghp_" + String(repeating: "A1b2", count: 9)
        bench.screen = TerminalScreen(rows: 6, columns: 30)
        bench.write("\u{1B}[32mok\u{1B}[0m\r\n\u{1B}[31mTOKEN=\(token)\u{1B}[0m\r\nafter\r\n\u{1B}[8mhush\u{1B}[28m!")
        _ = bench.look()
        let answer = bench.pass(20).first ?? ""
        #expect(!answer.contains("A1b2") && answer.contains(Redactor.mark) && !answer.contains("hush"))
        #expect(answer.contains(#"{"text":"ok","style":"32"}"#) && answer.contains(#"{"text":"after"}"#))
    }

    @Test("a screen that is too large for a message loses its colours first, and then rows at its end")
    func large() throws {
        let bench = Bench()
        bench.screen = TerminalScreen(rows: 200, columns: 400)
        for row in 0..<200 {
            bench.write("\u{1B}[\(row + 1);1H")
            for column in 0..<400 { bench.write("\u{1B}[38;2;\(row);\(column % 256);7mx") }
        }
        _ = bench.look()
        bench.now += 20
        let plain = try #require(bench.looks.due(bench.screen, at: bench.now).first).answer
        #expect(plain.count <= WireLimits.screenBytesMax)
        let text = String(decoding: plain, as: UTF8.self)
        #expect(!text.contains("style") && !text.contains(#""cut""#) && text.contains(#""row":199"#))
        bench.screen = TerminalScreen(rows: 200, columns: 1_000)
        bench.looks.changed(at: bench.now)
        for row in 0..<200 { bench.write("\u{1B}[\(row + 1);1H" + String(repeating: "e\u{301}\u{302}", count: 1_000)) }
        _ = bench.look(2)
        bench.now += 200
        let cut = try #require(bench.looks.due(bench.screen, at: bench.now).first).answer
        #expect(cut.count <= WireLimits.screenBytesMax && String(decoding: cut, as: UTF8.self).contains(#""cut":true"#))
    }
}
