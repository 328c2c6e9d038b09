/// All events of one run: as a hash always, as lines only on request.
package struct Trace: Sendable {
    /// FNV-1a over every line's time, actor, verb and bytes. Two runs of one seed have the same.
    package private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    package private(set) var lines: [String] = []
    package private(set) var count = 0
    let isKept: Bool
    /// True after a violation: the rest of that step is not traced.
    private var isClosed = false

    init(isKept: Bool) { self.isKept = isKept }

    /// `detail` is only evaluated if lines are kept; it must follow from `bytes` and everything noted before.
    mutating func note(
        _ at: Int64, _ actor: String, _ verb: StaticString, bytes: [UInt8] = [], _ detail: @autoclosure () -> String = ""
    ) {
        guard !isClosed else { return }
        count += 1
        add(UInt64(bitPattern: at))
        for byte in actor.utf8 { add(UInt64(byte)) }
        add(UInt64(verb.utf8CodeUnitCount))
        add(UInt64(bytes.count))
        for byte in bytes { add(UInt64(byte)) }
        guard isKept else { return }
        lines.append("\(Self.time(at)) \(Self.padded(actor)) \(verb) \(detail())")
    }

    mutating func close() { isClosed = true }

    private mutating func add(_ word: UInt64) { hash = (hash ^ word) &* 0x0000_0100_0000_01B3 }

    private static func time(_ at: Int64) -> String {
        let text = String(at)
        return String(repeating: " ", count: max(0, 9 - text.count)) + text
    }

    private static func padded(_ actor: String) -> String {
        actor + String(repeating: " ", count: max(0, 9 - actor.count))
    }
}
