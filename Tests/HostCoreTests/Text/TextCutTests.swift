import RelayProtocol
import Testing

@testable import HostCore

@Suite("Cutting")
struct TextCutTests {
    @Test("a text that fits stays, and one that does not is cut between characters, visibly", arguments: 20...60)
    func fit(_ bytesMax: Int) {
        let text = "Grüße 👩‍👩‍👧‍👦 \"quoted\"\n\u{1}"
        let (cut, isCut) = TextCut.fit(text, bytesMax: bytesMax)
        #expect(JSONWriter.string(cut).count - 2 <= bytesMax)
        #expect(isCut == (cut != text))
        if isCut { #expect(cut.hasSuffix(TextCut.marker) && text.hasPrefix(cut.dropLast(TextCut.marker.count))) }
    }

    @Test("both ends of a long output are kept")
    func middle() {
        let text = "begin " + String(repeating: "é", count: 1_000) + " end"
        let cut = TextCut.middle(text, bytesMax: 200)
        #expect(cut.hasPrefix("begin é") && cut.hasSuffix("é end") && cut.contains(TextCut.marker))
        #expect(JSONWriter.string(cut).count <= 202)
    }

    @Test("a line is the first that says something")
    func line() {
        #expect(TextCut.line(" \n\t\n  two words\u{7}  \r\nmore") == "two words")
        #expect(TextCut.line("") == "" && TextCut.line(" \n ") == "")
        #expect(TextCut.line(String(repeating: "x", count: 5_000), bytesMax: 50).utf8.count <= 50)
        #expect(TextCut.lastLine("one\ntwo\n\n") == "two" && TextCut.lastLine("") == "")
    }

    @Test("before secrets are looked for, no word is cut in two")
    func rough() {
        let text = "some words and secretsecretsecret after it all"
        for bytesMax in 6..<text.utf8.count {
            let head = TextCut.rough(text, bytesMax: bytesMax)
            #expect(head.utf8.count <= bytesMax && text.hasPrefix(head + " "))
            let tail = TextCut.rough(tailOf: text, bytesMax: bytesMax)
            #expect(tail.utf8.count <= bytesMax && text.hasSuffix(tail) && tail.hasPrefix(" "))
        }
    }

    @Test("a JSON value that is too long is still JSON, with its long strings cut")
    func json() throws {
        let long = String(repeating: "word ", count: 10_000)
        let value = #"{"keep":[1,true,null,"short"],"long":"\#(long)"}"#
        let (json, isCut) = JSONCut.fit(Array(value.utf8), bytesMax: 20_000)
        let root = try JSONDocument(parsing: json).root
        #expect(isCut && json.count <= 20_000)
        #expect(try root.string("long").hasSuffix("word" + TextCut.marker) && root.array("keep").count == 4)
        let many = "[" + (0..<9_000).map(String.init).joined(separator: ",") + "]"
        let (text, _) = JSONCut.fit(Array(many.utf8), bytesMax: 2_000)
        #expect(try JSONDocument(parsing: text).root.string("cut").hasPrefix("[0,1,2"))
    }

    /// With quadratic time it would take hours.
    @Test("a list of very many is cut in a time that grows with it", .timeLimit(.minutes(3)))
    func veryMany() throws {
        let many = "[" + repeatElement("0,1.5,null", count: 15_000).joined(separator: ",") + "]"
        let (text, isCut) = JSONCut.fit(Array(many.utf8), bytesMax: 2_000)
        #expect(try isCut && JSONDocument(parsing: text).root.string("cut").hasPrefix("[0,1.5,null"))
        let root = try JSONDocument(parsing: many).root
        #expect(try root.array().allSatisfy { (try? $0.string()) == nil && $0.text("text") == nil })
        #expect(throws: WireError(.wrongType, at: "$[44999]", "this must be a string")) { try root.array().last?.string() }
    }
}
