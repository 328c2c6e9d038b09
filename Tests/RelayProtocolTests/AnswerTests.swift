import RelayProtocol
import Testing

@Suite("What was chosen for a question")
struct AnswerTests {
    private func places(_ choices: [String], _ indexes: [Int64]?, in shown: [String]) -> [Int]? {
        Answer(question: "q0", choices: choices, indexes: indexes).places(in: shown)
    }

    @Test("goes by the places in its list, where what the answer says was shown")
    func indexes() {
        #expect(places(["Blue"], [1], in: ["Red", "Blue"]) == [1])
        #expect(places(["Blue", "Red"], [1, 0], in: ["Red", "Blue"]) == [1, 0])
        #expect(places(["key"], [1], in: ["key", "key"]) == [1])
        #expect(places([], nil, in: ["Red"]) == [])
        #expect(places([], [], in: ["Red"]) == [])
    }

    @Test("is none where another label stands there, or nothing, or one place is said twice")
    func misfits() {
        #expect(places(["Blue"], [0], in: ["Red", "Blue"]) == nil)
        #expect(places(["Blue"], [2], in: ["Red", "Blue"]) == nil)
        #expect(places(["Blue"], [], in: ["Red", "Blue"]) == nil)
        #expect(places([], [0], in: ["Red", "Blue"]) == nil)
        #expect(places(["Red", "Red"], [0, 0], in: ["Red", "Blue"]) == nil)
    }

    @Test("goes by labels alone for clients that say no places, unless two are alike")
    func labels() {
        #expect(places(["Blue"], nil, in: ["Red", "Blue"]) == [1])
        #expect(places(["Green"], nil, in: ["Red", "Blue"]) == nil)
        #expect(places(["key"], nil, in: ["key", "key"]) == nil)
    }
}
