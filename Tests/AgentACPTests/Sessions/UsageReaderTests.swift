import HostCore
import RelayProtocol
import Testing

@testable import AgentACP

@Suite("ACP usage")
struct UsageReaderTests {
    private func answer(_ input: Int, _ output: Int, read: Int = 0, total: Int? = nil) throws -> JSONValue {
        let sum = total.map { #","totalTokens":\#($0)"# } ?? ""
        let text = #"{"inputTokens":\#(input),"outputTokens":\#(output),"cachedReadTokens":\#(read)\#(sum)}"#
        return try JSONDocument(parsing: Array(text.utf8)).root
    }

    private func tokens(_ told: Told?) -> Tokens? {
        guard case .usage(let usage)? = told?.head else { return nil }
        return usage.tokens
    }

    @Test("numbers that only grow are those of all turns")
    func ofAll() throws {
        var reader = UsageReader(run: "r")
        #expect(tokens(reader.take(answer: try answer(100, 10))) == Tokens(input: 100, output: 10))
        #expect(tokens(reader.take(answer: try answer(250, 30))) == Tokens(input: 250, output: 30))
        #expect(reader.take(answer: try answer(250, 30)) == nil)
    }

    @Test("a number that falls shows that each turn is counted anew, from the first turn on")
    func ofEach() throws {
        var reader = UsageReader(run: "r")
        _ = reader.take(answer: try answer(100, 10))
        _ = reader.take(answer: try answer(150, 20))
        #expect(tokens(reader.take(answer: try answer(200, 5))) == Tokens(input: 450, output: 35))
        #expect(tokens(reader.take(answer: try answer(200, 5))) == Tokens(input: 650, output: 40))
    }

    @Test("pydantic-acp counts each turn anew, and cached tokens as input and once more in the sum")
    func pydantic() throws {
        var reader = UsageReader(run: "r")
        reader.agent(is: "Pydantic ACP")
        let first = reader.take(answer: try answer(1200, 80, read: 1000, total: 2280))
        #expect(tokens(first) == Tokens(input: 200, output: 80, cacheRead: 1000))
        let second = reader.take(answer: try answer(1300, 90, read: 1000, total: 2390))
        #expect(tokens(second) == Tokens(input: 500, output: 170, cacheRead: 2000))
    }

    @Test("cached tokens are part of the input if the sum says so, and beside it otherwise")
    func cached() throws {
        var reader = UsageReader(run: "r")
        let within = reader.take(answer: try answer(1200, 80, read: 1000, total: 1280))
        #expect(tokens(within) == Tokens(input: 200, output: 80, cacheRead: 1000))
        var other = UsageReader(run: "r")
        #expect(
            tokens(other.take(answer: try answer(200, 80, read: 1000, total: 1280)))
                == Tokens(input: 200, output: 80, cacheRead: 1000))
    }

    @Test("what Claude Code's agents guess for a model whose price they do not know is an estimate, and no cost")
    func guessed() throws {
        func costs(_ reader: inout UsageReader, _ dollars: String) throws -> [Int64?] {
            let text = #"{"used":1,"cost":{"amount":\#(dollars),"currency":"USD"}}"#
            let told = reader.take(update: try JSONDocument(parsing: Array(text.utf8)).root)
            guard case .usage(let usage)? = told?.head else { return [] }
            return [usage.costMicroUSD, usage.estimateMicroUSD]
        }
        var reader = UsageReader(run: "r")
        reader.agent(is: "Claude Code")
        reader.model = "sonnet[1m]"
        #expect(try costs(&reader, "0.5") == [500_000, nil])
        reader.model = "llama3.3:70b"
        #expect(try costs(&reader, "2.5") == [500_000, 2_000_000])
        reader.model = "claude-opus-4-1"
        #expect(try costs(&reader, "3") == [1_000_000, 2_000_000])
        var other = UsageReader(run: "r")
        other.agent(is: "Other")
        other.model = "llama3.3:70b"
        #expect(try costs(&other, "2") == [2_000_000, nil])
    }

    @Test("a sum stays a number that the wire takes")
    func bounded() throws {
        var reader = UsageReader(run: "r")
        let most = Int(JSONValue.integerMax)
        _ = reader.take(answer: try answer(most, 10))
        #expect(tokens(reader.take(answer: try answer(most, 5))) == Tokens(input: JSONValue.integerMax, output: 15))
    }
}
