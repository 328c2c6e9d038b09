import Testing

@testable import ChannelAPNs

@Suite("The id under which a notification replaces another") struct CollapseIDTests {
    @Test("is the name itself as far as Apple takes it, and of a longer one a digest that others do not have")
    func length() {
        let longest = String(repeating: "a", count: 64)
        #expect(longest.asCollapseID == longest)
        let digests = ["b", "c"].map { (longest + $0).asCollapseID }
        #expect(digests[0] != digests[1] && digests.allSatisfy { (1...64).contains($0.utf8.count) && !$0.hasPrefix("a") })
    }
}
