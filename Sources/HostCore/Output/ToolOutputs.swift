package import RelayProtocol

/// Output of running tools: the end of it, sent at intervals, however much there is.
///
/// Only whole lines are sent, and everything kept is searched for secrets each time: half a secret is not recognised, and pieces
/// may be cut anywhere. A key of many lines is left out until its end has come.
///
/// Pure, and the same for every adapter. Never on disk.
package struct ToolOutputs: Sendable {
    private struct Key: Hashable {
        let session: SessionID
        let call: String
    }

    private let limits: ToolOutputLimits
    private let cleaner = Cleaner()
    private var outputs: [Key: Output] = [:]
    private var count = 0
    /// Time before which no update is sent.
    private var freeAt = Int64.min

    package init(_ limits: ToolOutputLimits = ToolOutputLimits()) { self.limits = limits }

    // MARK: Calls

    /// Starts a call: only output after this is sent.
    package mutating func began(_ call: String, of session: SessionID) {
        let key = Key(session: session, call: call)
        outputs[key] = nil
        let ofSession = outputs.keys.count { $0.session == session }
        if ofSession >= limits.callsPerSessionMax { dropOldest { $0 == session } }
        if outputs.count >= limits.callsMax { dropOldest { _ in true } }
        count += 1
        outputs[key] = Output(order: count)
    }

    private mutating func dropOldest(_ isOf: (SessionID) -> Bool) {
        let oldest = outputs.filter { isOf($0.key.session) }.min { $0.value.order < $1.value.order }
        if let oldest { outputs[oldest.key] = nil }
    }

    /// The call has ended; `tool.finished` carries its whole output.
    package mutating func ended(_ call: String, of session: SessionID) { outputs[Key(session: session, call: call)] = nil }

    package mutating func ended(_ session: SessionID) { outputs = outputs.filter { $0.key.session != session } }

    // MARK: What comes

    package mutating func add(_ piece: String, to call: String, of session: SessionID, at now: Int64) {
        change(Key(session: session, call: call), at: now) { $0.kept += piece.utf8 }
    }

    /// Replaces a call's output. `text` is the end of all that it has printed so far, starting at the beginning of a line.
    package mutating func replace(_ text: String, of call: String, of session: SessionID, at now: Int64) {
        change(Key(session: session, call: call), at: now) {
            ($0.kept, $0.isInLongLine, $0.isExcerpt) = (Array(text.utf8), false, true)
        }
    }

    private mutating func change(_ key: Key, at now: Int64, _ body: (inout Output) -> Void) {
        guard var output = outputs.removeValue(forKey: key) else { return }
        body(&output)
        output.trim(to: limits.keptBytes)
        output.isNew = true
        let wait = output.toldCount < limits.oftenMax ? limits.interval : limits.longInterval
        let earliest = output.toldAt.map { $0 + wait.milliseconds } ?? now + limits.firstAfter.milliseconds
        output.due = min(output.due ?? .max, max(now, earliest))
        outputs[key] = output
    }

    // MARK: What is told

    package var nextDeadline: Int64? { outputs.values.compactMap(\.due).min().map { max($0, freeAt) } }

    /// The output that has been due for longest; one at a time, so that nothing else waits for long.
    package mutating func due(at now: Int64) -> ToolOutput? {
        guard let deadline = nextDeadline, deadline <= now else { return nil }
        let next = outputs.filter { $0.value.due != nil }.min { one, other in
            (one.value.due ?? .max, one.value.order) < (other.value.due ?? .max, other.value.order)
        }
        guard case (let key, var output)? = next else { return nil }
        defer { outputs[key] = output }
        freeAt = now + limits.spacing.milliseconds
        output.due = nil
        var isNews = true
        if output.isNew {
            let text = output.shown(cleaner, bytesMax: limits.shownBytes)
            output.isNew = false
            isNews = output.toldAt == nil || text != output.text
            output.text = text
        }
        guard !output.text.isEmpty else { return nil }
        if isNews {
            output.toldAt = now
            output.toldCount += 1
        }
        // An unchanged output is repeated, for clients that come later.
        if output.toldCount < limits.toldMax { output.due = (output.toldAt ?? now) + limits.repeatAfter.milliseconds }
        return isNews ? ToolOutput(session: key.session, call: key.call, text: output.text) : nil
    }
}

extension ToolOutputs {
    /// The output of one call.
    private struct Output {
        let order: Int
        /// The end of the output, starting at the beginning of a line.
        var kept: [UInt8] = []
        /// True if the line before `kept` was too long to keep, and still goes on.
        var isInLongLine = false
        /// True if `kept` may begin within a key.
        var isExcerpt = false
        /// True if there is output that is not in `text`.
        var isNew = false
        /// The text as last sent.
        var text = ""
        var toldCount = 0
        var toldAt: Int64?
        /// Time of the next update; nil while there is nothing to send.
        var due: Int64?

        init(order: Int) { self.order = order }

        /// Drops the beginning, in large steps rather than a line with each piece.
        mutating func trim(to bytes: Int) {
            if isInLongLine, let end = kept.firstIndex(where: Self.isLineEnd) {
                kept.removeFirst(end + 1)
                isInLongLine = false
            }
            guard kept.count > 2 * bytes || isInLongLine else { return }
            isExcerpt = true
            let rest = kept.suffix(bytes)
            if !isInLongLine, let end = rest.firstIndex(where: Self.isLineEnd) {
                kept = Array(rest[(end + 1)...])
            } else {
                kept = []
                isInLongLine = true
            }
        }

        /// The last whole lines.
        func shown(_ cleaner: Cleaner, bytesMax: Int) -> String {
            guard let end = kept.lastIndex(where: Self.isLineEnd) else { return "" }
            let plain = Self.withoutOpenKey(PrintedText.plain(kept[...end]))
            var rest = (isExcerpt ? cleaner.cleanExcerpt(plain) : cleaner.clean(plain))[...]
            while rest.utf8.count > bytesMax {
                guard let end = rest.firstIndex(of: "\n"), rest.index(after: end) < rest.endIndex else {
                    return TextCut.rough(tailOf: String(rest), bytesMax: bytesMax)
                }
                rest = rest[rest.index(after: end)...]
            }
            return String(rest)
        }

        private static func withoutOpenKey(_ text: String) -> String {
            guard let begin = text.ranges(of: "-----BEGIN").last, !text[begin.upperBound...].contains("-----END") else {
                return text
            }
            return String(text[..<begin.lowerBound])
        }

        private static func isLineEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
    }
}
