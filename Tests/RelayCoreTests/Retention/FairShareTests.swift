import Testing

@testable import RelayCore

@Suite("Fair shares of a bound")
struct FairShareTests {
    @Test("what uses little keeps all of it, what uses much shares the rest")
    func excess() {
        #expect(FairShare.excess(of: ["a": 10, "b": 90], above: 100).isEmpty)
        #expect(FairShare.excess(of: ["a": 10, "b": 91], above: 100) == ["b": 1])
        #expect(FairShare.excess(of: ["a": 10, "b": 60, "c": 100], above: 100) == ["b": 15, "c": 55])
        #expect(FairShare.excess(of: ["a": 101], above: 100) == ["a": 1])
        #expect(FairShare.excess(of: ["a": 7, "b": 7], above: 0) == ["a": 7, "b": 7])
        #expect(FairShare.excess(of: [String: Int64](), above: 0).isEmpty)
    }

    @Test("whatever others use, nobody with an equal share of the bound is above its own", arguments: 1...20)
    func others(_ count: Int) {
        let max: Int64 = 1_000
        var used = ["quiet": max / Int64(count + 1)]
        for number in 0..<count { used["busy\(number)"] = Int64(number + 1) * 700 }
        let excess = FairShare.excess(of: used, above: max)
        #expect(excess["quiet"] == nil)
        let left = used.reduce(Int64(0)) { $0 + $1.value - excess[$1.key, default: 0] }
        #expect(left <= max && (excess.isEmpty || left > max - Int64(count + 1)))
    }
}
