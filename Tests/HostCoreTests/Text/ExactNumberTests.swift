import RelayProtocol
import Testing

@testable import HostCore

@Suite("Numbers by their digits")
struct ExactNumberTests {
    private func number(_ text: String) throws -> ExactNumber? { ExactNumber(try JSONDocument(parsing: text).root) }

    @Test(
        "the same number is the same, however it is written, and is spelled in one way",
        arguments: [
            (["5", "5.0", "50e-1", "0.5E+1"], "5"), (["0", "-0", "0.00", "0e9"], "0"), (["-12.50", "-125e-1"], "-12.5"),
            (["1e3", "1000"], "1000"), (["9007199254740993"], "9007199254740993"), (["0.001", "1e-3"], "0.001"),
            (["1e400", "10e399"], "1e400"), (["1e-400"], "1e-400"), (["123.456"], "123.456"),
        ])
    func spellings(_ texts: [String], _ spelled: String) throws {
        for text in texts { #expect(try number(text) == number(texts[0]) && number(text)?.spelled == spelled) }
    }

    @Test("they are in the order of their values")
    func order() throws {
        let ascending = [
            "-1e400", "-12345678901234567892", "-12345678901234567891", "-9.5", "-9.49", "-1e-400", "0", "1e-400", "0.1",
            "0.10000000000000000001", "9", "10", "9007199254740992", "9007199254740993", "1e400",
        ]
        for (place, text) in ascending.enumerated() {
            for (other, larger) in ascending.enumerated() {
                let (left, right) = (try #require(try number(text)), try #require(try number(larger)))
                #expect((left < right) == (place < other), "\(text), \(larger)")
            }
        }
    }

    @Test("what is no number is none", arguments: ["\"5\"", "null", "true", "[]", "1e9999999999"])
    func none(_ text: String) throws { #expect(try number(text) == nil) }
}
