/// The lines that turn one text into another.
///
/// Lines are compared byte by byte with their ends, so that a changed line end is a change. The work is bounded: if more than
/// `editsMax` lines changed, the whole changed middle is removed and added, which is correct but not the shortest difference.
package struct LineDifference {
    package enum Line: Equatable {
        case kept(old: Int, new: Int), removed(Int), added(Int)

        var isKept: Bool { if case .kept = self { true } else { false } }
    }

    /// Changed places with the lines around them, as in `diff -u`.
    package struct Hunk {
        package var lines: ArraySlice<Line>
        /// First line, counted from 1, and number of lines. If there are none, the line before.
        var old: (start: Int, count: Int)
        var new: (start: Int, count: Int)

        package var header: String { "@@ -\(old.start),\(old.count) +\(new.start),\(new.count) @@" }
    }

    static let contextLines = 3
    /// Most edits that are searched for. The search takes the square of this in memory: 8 MB.
    static let editsMax = 1_000
    /// Most lines of a changed middle that are searched: at worst that takes this times `editsMax` steps.
    static let searchedLinesMax = 20_000

    package let old: [ArraySlice<UInt8>]
    package let new: [ArraySlice<UInt8>]
    package private(set) var lines: [Line] = []

    package init(from before: [UInt8], to after: [UInt8]) {
        (old, new) = (Self.lines(of: before), Self.lines(of: after))
        var head = 0
        while head < min(old.count, new.count), old[head] == new[head] { head += 1 }
        var tail = 0
        while tail < min(old.count, new.count) - head, old[old.count - 1 - tail] == new[new.count - 1 - tail] { tail += 1 }
        lines = (0..<head).map { .kept(old: $0, new: $0) }
        lines += middle(head..<(old.count - tail), head..<(new.count - tail))
        lines += (0..<tail).map { .kept(old: old.count - tail + $0, new: new.count - tail + $0) }
    }

    /// Changes whose context touches share a hunk.
    package var hunks: [Hunk] {
        var ranges: [Range<Int>] = []
        for index in lines.indices where !lines[index].isKept {
            let range = max(0, index - Self.contextLines)..<min(lines.count, index + Self.contextLines + 1)
            if let last = ranges.last, last.upperBound >= range.lowerBound {
                ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
            } else {
                ranges.append(range)
            }
        }
        var (oldBefore, newBefore, start) = (0, 0, 0)
        return ranges.map { range in
            // All lines between hunks are kept ones.
            (oldBefore, newBefore) = (oldBefore + range.lowerBound - start, newBefore + range.lowerBound - start)
            start = range.upperBound
            let inside = lines[range]
            let oldCount = inside.count { if case .added = $0 { false } else { true } }
            let newCount = inside.count { if case .removed = $0 { false } else { true } }
            defer { (oldBefore, newBefore) = (oldBefore + oldCount, newBefore + newCount) }
            return Hunk(
                lines: inside, old: (oldCount == 0 ? oldBefore : oldBefore + 1, oldCount),
                new: (newCount == 0 ? newBefore : newBefore + 1, newCount))
        }
    }

    private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
            lines.append(rest[..<end])
            rest = rest[end...]
        }
        return lines
    }

    // MARK: The search

    private func middle(_ before: Range<Int>, _ after: Range<Int>) -> [Line] {
        let coarse = before.map(Line.removed) + after.map(Line.added)
        guard !before.isEmpty, !after.isEmpty, before.count + after.count <= Self.searchedLinesMax else { return coarse }
        // Equal lines get equal numbers, which are quicker to compare.
        var numbers: [ArraySlice<UInt8>: Int] = [:]
        func number(_ line: ArraySlice<UInt8>) -> Int {
            if let known = numbers[line] { return known }
            numbers[line] = numbers.count
            return numbers.count - 1
        }
        let path = Self.path(from: old[before].map(number), to: new[after].map(number))
        return path.map { path in
            Self.removedFirst(
                path.map { line in
                    switch line {
                    case .kept(let old, let new): .kept(old: before.lowerBound + old, new: after.lowerBound + new)
                    case .removed(let index): .removed(before.lowerBound + index)
                    case .added(let index): .added(after.lowerBound + index)
                    }
                })
        } ?? coarse
    }

    /// The greedy search of Myers, 1986: furthest-reaching paths on the diagonals, one edit more at a time. Nil beyond `editsMax`.
    private static func path(from old: [Int], to new: [Int]) -> [Line]? {
        let most = min(old.count + new.count, editsMax)
        let center = most + 1
        var reached = [Int](repeating: 0, count: 2 * center + 1)
        var trace: [[Int]] = []
        for edits in 0...most {
            trace.append(Array(reached[(center - edits)...(center + edits)]))
            for diagonal in stride(from: -edits, through: edits, by: 2) {
                let isDown = isDown(diagonal, edits) { reached[center + $0] }
                var x = isDown ? reached[center + diagonal + 1] : reached[center + diagonal - 1] + 1
                while x < old.count, x - diagonal < new.count, old[x] == new[x - diagonal] { x += 1 }
                reached[center + diagonal] = x
                if x >= old.count, x - diagonal >= new.count { return path(back: trace, old.count, new.count) }
            }
        }
        return nil
    }

    private static func isDown(_ diagonal: Int, _ edits: Int, _ reached: (Int) -> Int) -> Bool {
        diagonal == -edits || (diagonal != edits && reached(diagonal - 1) < reached(diagonal + 1))
    }

    private static func path(back trace: [[Int]], _ oldCount: Int, _ newCount: Int) -> [Line] {
        var lines: [Line] = []
        var (x, y) = (oldCount, newCount)
        for edits in trace.indices.dropFirst().reversed() {
            let before = { trace[edits][$0 + edits] }
            let isDown = isDown(x - y, edits, before)
            let from = isDown ? x - y + 1 : x - y - 1
            let (oldX, oldY) = (before(from), before(from) - from)
            while x > oldX + (isDown ? 0 : 1), y > oldY + (isDown ? 1 : 0) {
                (x, y) = (x - 1, y - 1)
                lines.append(.kept(old: x, new: y))
            }
            lines.append(isDown ? .added(oldY) : .removed(oldX))
            (x, y) = (oldX, oldY)
        }
        while x > 0, y > 0 {
            (x, y) = (x - 1, y - 1)
            lines.append(.kept(old: x, new: y))
        }
        return lines.reversed()
    }

    /// Within one changed place removed lines come before added ones.
    private static func removedFirst(_ lines: [Line]) -> [Line] {
        var result: [Line] = []
        var added: [Line] = []
        for line in lines {
            switch line {
            case .added: added.append(line)
            case .removed: result.append(line)
            case .kept:
                result += added + [line]
                added = []
            }
        }
        return result + added
    }
}
