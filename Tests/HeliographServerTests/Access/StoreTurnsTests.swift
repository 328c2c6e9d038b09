import RelayCore
import RelayProtocol
import Testing

@testable import HeliographServer

@Suite struct StoreTurnsTests {
    private var turns = StoreTurns<String>()

    private func workspace(_ name: String) -> StoreTurns<String>.Caller { .workspace(WorkspaceID(name)!) }

    private mutating func takeAll() -> [String] {
        var taken: [String] = []
        while let next = turns.takeNext() { taken.append(next) }
        return taken
    }

    @Test mutating func `workspaces take turns, each in its own order`() {
        for work in ["a1", "a2", "a3", "a4"] { #expect(turns.add(work, .list, of: workspace("a")) == true) }
        #expect(turns.add("b1", .list, of: workspace("b")) == true)
        #expect(turns.takeNext() == "a1")
        #expect(turns.add("c1", .list, of: workspace("c")) == true)
        #expect(takeAll() == ["b1", "a2", "c1", "a3", "a4"])
        #expect(turns.takeNext() == nil)
    }

    @Test mutating func `a caller has so much waiting of each kind, and others have room beside it`() {
        let max = StoreTurns<String>.perCallerMax
        for number in 1...max { #expect(turns.add("list \(number)", .list, of: workspace("a")) == true) }
        #expect(turns.add("one more", .list, of: workspace("a")) == false)
        #expect(turns.add("revocation", .change, of: workspace("a")) == true, "lists keep nobody from revoking")
        #expect(turns.add("b1", .list, of: workspace("b")) == true)
        #expect(turns.takeNext() == "revocation")
        #expect(turns.takeNext() == "list 1")
        #expect(turns.add("one more", .list, of: workspace("a")) == true)
    }

    @Test mutating func `changes go before lists, and do not keep them out`() {
        #expect(turns.add("list", .list, of: workspace("a")) == true)
        for number in 1...4 { #expect(turns.add("change \(number)", .change, of: workspace("b")) == true) }
        #expect(takeAll() == ["change 1", "change 2", "change 3", "list", "change 4"])
    }

    @Test mutating func `strangers fill neither the place of workspaces nor that of the relay`() {
        let crowd = StoreTurns<String>.strangersMax
        for number in 0..<crowd { #expect(turns.add("x", .change, of: .address("192.0.2.\(number)")) == true) }
        #expect(turns.add("x", .change, of: .address("198.51.100.1")) == false)
        #expect(turns.add("pair", .change, of: workspace("a")) == true)
        #expect(turns.add("reload", .change, of: .relay) == true)
    }

    @Test mutating func `all that waits has a bound`() {
        for number in 0..<StoreTurns<String>.workspacesMax {
            #expect(turns.add("x", .list, of: workspace("w\(number)")) == true)
        }
        #expect(turns.add("x", .list, of: workspace("another")) == false)
        for _ in 0..<StoreTurns<String>.perRelayMax { #expect(turns.add("x", .change, of: .relay) == true) }
        #expect(turns.add("x", .change, of: .relay) == false)
    }
}
