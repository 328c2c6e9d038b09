/// The change between two texts as people know it from `diff -u`.
enum UnifiedDiff {
    private static let contextLines = 3

    private enum Line {
        case kept(String), removed(String), added(String)

        var isKept: Bool { if case .kept = self { true } else { false } }
    }

    /// Nil stands for a file that is not there. Empty where nothing changes.
    static func text(from old: [UInt8]?, to new: [UInt8]?, path: String) -> String {
        let lines = changes(from: lines(of: old ?? []), to: lines(of: new ?? []))
        guard lines.contains(where: { !$0.isKept }) else { return "" }
        var result = "--- \(old == nil ? "/dev/null" : path)\n+++ \(new == nil ? "/dev/null" : path)\n"
        var (oldLine, newLine) = (1, 1)
        var start = 0
        for hunk in hunks(lines) {
            for line in lines[start..<hunk.lowerBound] where line.isKept { (oldLine, newLine) = (oldLine + 1, newLine + 1) }
            start = hunk.upperBound
            var (oldCount, newCount) = (0, 0)
            var body = ""
            for line in lines[hunk] {
                switch line {
                case .kept(let text): (oldCount, newCount, body) = (oldCount + 1, newCount + 1, body + " " + text)
                case .removed(let text): (oldCount, body) = (oldCount + 1, body + "-" + text)
                case .added(let text): (newCount, body) = (newCount + 1, body + "+" + text)
                }
                if body.utf8.last != 10 { body += "\n\\ No newline at end of file\n" }
            }
            result += "@@ -\(oldCount == 0 ? oldLine - 1 : oldLine),\(oldCount) "
            result += "+\(newCount == 0 ? newLine - 1 : newLine),\(newCount) @@\n" + body
            (oldLine, newLine) = (oldLine + oldCount, newLine + newCount)
        }
        return result
    }

    /// With their line ends, so that a changed line end is a change.
    private static func lines(of bytes: [UInt8]) -> [String] {
        var lines: [String] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 10).map { $0 + 1 } ?? rest.endIndex
            lines.append(String(decoding: rest[..<end], as: UTF8.self))
            rest = rest[end...]
        }
        return lines
    }

    private static func changes(from old: [String], to new: [String]) -> [Line] {
        var (removed, added) = (Set<Int>(), Set<Int>())
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var lines: [Line] = []
        var (oldIndex, newIndex) = (0, 0)
        while oldIndex < old.count || newIndex < new.count {
            if removed.contains(oldIndex) {
                lines.append(.removed(old[oldIndex]))
                oldIndex += 1
            } else if added.contains(newIndex) {
                lines.append(.added(new[newIndex]))
                newIndex += 1
            } else {
                lines.append(.kept(old[oldIndex]))
                (oldIndex, newIndex) = (oldIndex + 1, newIndex + 1)
            }
        }
        return lines
    }

    /// The changed places with their context; those that touch are one.
    private static func hunks(_ lines: [Line]) -> [Range<Int>] {
        var hunks: [Range<Int>] = []
        for index in lines.indices where !lines[index].isKept {
            let range = max(0, index - contextLines)..<min(lines.count, index + contextLines + 1)
            if let last = hunks.last, last.upperBound >= range.lowerBound {
                hunks[hunks.count - 1] = last.lowerBound..<range.upperBound
            } else {
                hunks.append(range)
            }
        }
        return hunks
    }
}
