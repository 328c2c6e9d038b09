import Testing

@testable import HostCore

@Suite("Line difference")
struct LineDifferenceTests {
    @Test("what is told turns one text into the other, with no more lines than need be")
    func property() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let (old, new) = (Self.text(&generator), Self.text(&generator))
            let difference = LineDifference(from: old, to: new)
            #expect(Self.side(difference, old: true) == old, "\(old) \(new)")
            #expect(Self.side(difference, old: false) == new, "\(old) \(new)")
            let kept = difference.lines.count { $0.isKept }
            #expect(kept == Self.longestCommon(difference.old, difference.new), "\(old) \(new)")
            let hunks = difference.hunks
            #expect(hunks.flatMap(\.lines).count { !$0.isKept } == difference.lines.count - kept)
            for hunk in hunks {
                guard case .kept(let old, let new) = hunk.lines.first else { continue }
                #expect(hunk.old.start == old + 1 && hunk.new.start == new + 1)
            }
        }
    }

    @Test("a change beyond the limit is told whole, and truly")
    func bounded() {
        let old = (0..<(3 * LineDifference.editsMax)).flatMap { Array("a\($0)\n".utf8) }
        let new = (0..<(3 * LineDifference.editsMax)).flatMap { Array("b\($0)\n".utf8) }
        let difference = LineDifference(from: Array("same\n".utf8) + old, to: Array("same\n".utf8) + new)
        #expect(difference.lines.count == 1 + 6 * LineDifference.editsMax)
        #expect(difference.lines.first == .kept(old: 0, new: 0))
        #expect(Self.side(difference, old: false) == Array("same\n".utf8) + new)
    }

    @Test("two spellings of a letter, and two line ends, are two lines")
    func bytes() {
        #expect(LineDifference(from: Array("e\u{301}\n".utf8), to: Array("\u{e9}\n".utf8)).lines == [.removed(0), .added(0)])
        #expect(LineDifference(from: Array("a\r\n".utf8), to: Array("a\n".utf8)).lines == [.removed(0), .added(0)])
        #expect(LineDifference(from: Array("a".utf8), to: Array("a\n".utf8)).lines == [.removed(0), .added(0)])
    }

    private static func text(_ generator: inout SystemRandomNumberGenerator) -> [UInt8] {
        let lines = (0..<Int.random(in: 0...12, using: &generator)).map { _ in "abc".randomElement(using: &generator)! }
        let end = Bool.random(using: &generator) ? "\n" : ""
        return Array((lines.map(String.init).joined(separator: "\n") + (lines.isEmpty ? "" : end)).utf8)
    }

    private static func side(_ difference: LineDifference, old: Bool) -> [UInt8] {
        difference.lines.flatMap { line -> [UInt8] in
            switch line {
            case .kept(let before, let after): Array(old ? difference.old[before] : difference.new[after])
            case .removed(let index): old ? Array(difference.old[index]) : []
            case .added(let index): old ? [] : Array(difference.new[index])
            }
        }
    }

    private static func longestCommon(_ old: [ArraySlice<UInt8>], _ new: [ArraySlice<UInt8>]) -> Int {
        var row = [Int](repeating: 0, count: new.count + 1)
        for line in old {
            let before = row
            for (index, other) in new.enumerated() {
                row[index + 1] = line == other ? before[index] + 1 : max(before[index + 1], row[index])
            }
        }
        return row[new.count]
    }
}
