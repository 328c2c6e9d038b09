import PushPlanner
import PushTestSupport
import RelayProtocol
import Testing

@testable import ChannelAPNs

@Suite("Content states that had to be cut") struct ContentStateTests {
    /// Every text of a JSON value.
    static func texts(in value: JSONValue) -> [String] {
        if let text = try? value.string() { return [text] }
        return (try? value.members().flatMap { texts(in: $0.value) }) ?? []
    }

    @Test("whatever a host sends, it is one JSON object within the limit", arguments: 0..<20)
    func alwaysFits(seed: UInt64) throws {
        var hostile = Hostile(seed: seed)
        for profile in ProfileSet().all {
            for status in SessionStatus.allCases {
                let subject = hostile.subject(status)
                for bytesMax in [1_024, 1_025, 1_500, 3_072, 5_120] {
                    let made = profile.contentState(subject, bytesMax: bytesMax)
                    #expect(made.count <= min(bytesMax, 3_072))
                    // The strict parser: valid UTF-8, no repeated key, no broken escape.
                    let value = try JSONDocument(parsing: made).root
                    #expect(value.isObject)
                    #expect(!String(decoding: made, as: UTF8.self).contains(":null"))
                    for text in Self.texts(in: value) { #expect(TextFit.bytes(of: text) <= 512) }
                }
                let attributes = profile.attributes(subject)
                #expect(attributes.count <= 1_024)
                #expect(try JSONDocument(parsing: attributes).root.isObject)
            }
        }
    }

    @Test("the longest texts are cut first, to one length, and the others stay")
    func longestFirst() throws {
        let profile = try ProfileTests.profile(
            ProfileTests.text(#"{"a?":"$title","b?":"$operation","c?":"$error"}"#, more: #","limits":{"textBytes":4096}"#))
        let subject = PushSubjects.subject(
            PushSubjects.summary {
                $0.title = String(repeating: "x", count: 4_000)
                $0.operation = "short"
                $0.error = String(repeating: "y", count: 3_000)
            })
        let value = try JSONDocument(parsing: profile.contentState(subject, bytesMax: 1_024)).root
        #expect(value.bytes.count > 1_020)
        #expect(try value.string("b") == "short")
        let (title, error) = (try value.string("a"), try value.string("c"))
        #expect(title == String(repeating: "x", count: title.count - 1) + "…")
        #expect(error == String(repeating: "y", count: error.count - 1) + "…")
        #expect(title.count == error.count)
    }

    @Test("a text has a limit of its own")
    func textLimit() throws {
        let profile = try ProfileTests.profile(
            ProfileTests.text(#"{"a?":"$title"}"#, more: #","limits":{"textBytes":16}"#))
        let subject = PushSubjects.subject(PushSubjects.summary { $0.title = "more than sixteen bytes" })
        #expect(profile.contentState(subject, bytesMax: 3_072) == Array(#"{"a":"more than six…"}"#.utf8))
    }

    @Test("a profile's total is of attributes and content state together")
    func totalLimit() throws {
        let profile = try ProfileTests.profile(
            ProfileTests.text(
                #"{"a?":"$title"}"#, attributes: #"{"b?":"$title"}"#, more: #","limits":{"textBytes":4096,"totalBytes":2048}"#))
        let subject = PushSubjects.subject(PushSubjects.summary { $0.title = String(repeating: "x", count: 4_096) })
        let (state, attributes) = (profile.contentState(subject, bytesMax: 4_000), profile.attributes(subject))
        #expect(state.count == 1_536)
        #expect(attributes.count == 512)
    }

    @Test("what is said to be left without text is the most that is", arguments: 0..<20)
    func bytesWithoutText(seed: UInt64) throws {
        var hostile = Hostile(seed: seed)
        for profile in ProfileSet().all {
            for status in SessionStatus.allCases {
                let subject = hostile.subject(status)
                for fields in [profile.contentFields, profile.attributeFields] {
                    let value = try #require(PushExpression.object(fields, of: subject))
                    #expect(value.bytes(textMax: 0).count <= PushExpression.bytesWithoutText(fields))
                }
            }
        }
    }

    // MARK: - Cutting

    @Test("text is cut between characters, with a mark, as JSON counts its bytes", arguments: 0..<200)
    func cut(seed: UInt64) {
        var hostile = Hostile(seed: seed)
        let text = hostile.text()
        let bytesMax = Int(hostile.next() % 300)
        let cut = TextFit.cut(text, bytesMax: bytesMax)
        #expect(TextFit.bytes(of: cut) <= bytesMax)
        #expect(TextFit.bytes(of: text) == JSONWriter.string(text).count - 2)
        if cut != text {
            #expect(TextFit.bytes(of: text) > bytesMax)
            guard bytesMax >= 3 else { return #expect(cut.isEmpty) }
            // One more character would be too many.
            #expect(cut.last == "…")
            let kept = Array(cut.dropLast())
            #expect(Array(text.prefix(kept.count)) == kept)
            let longer = String(text.prefix(kept.count + 1)) + "…"
            #expect(TextFit.bytes(of: longer) > bytesMax)
        }
    }

    @Test("what JSON escapes is counted as it is written")
    func escaped() {
        #expect(TextFit.cut(#""""""#, bytesMax: 4) == "…")
        #expect(TextFit.cut(#""""""#, bytesMax: 5) == "\"…")
    }

    @Test("a family is there or not, never half of it")
    func families() {
        let family = "👩‍👩‍👧‍👦"
        #expect(TextFit.cut("ab" + family, bytesMax: 2 + family.utf8.count) == "ab" + family)
        #expect(TextFit.cut("ab" + family, bytesMax: 1 + family.utf8.count) == "ab…")
        #expect(TextFit.cut(family, bytesMax: 3) == "…")
        #expect(TextFit.cut(family, bytesMax: 2) == "")
    }
}
