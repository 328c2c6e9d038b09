/// The devices that a host trusts, the newest first, for a trusted device that asked.
///
/// domain("roll") ‖ LP(host sign) ‖ LP(SHA-256(body of the ask)) ‖ u64 count of all ‖ for each, as many as a letter takes: LP(id) ‖
/// LP(name) ‖ u64 since ‖ LP(id of the device that brought it; empty: a person at the host's terminal)
package struct Roll: Sendable, Equatable {
    package struct Entry: Sendable, Equatable {
        package let id: KeyID
        package let name: String
        /// Milliseconds since 1970.
        package let since: Int64
        package let by: Pin.Origin

        init(_ pin: Pin) { (id, name, since, by) = (pin.id, pin.name, max(0, pin.since), pin.by) }

        fileprivate init(from reader: inout StatementReader) throws(ConsentError) {
            id = try reader.fixed("id")
            name = try reader.name("name")
            since = try reader.count("since")
            by = try reader.fixedIfAny("by").map { .device($0) } ?? .terminal
        }

        fileprivate var bytes: [UInt8] {
            var writer = StatementWriter()
            writer.part(id)
            writer.part(name)
            writer.number(UInt64(since))
            if case .device(let voucher) = by { writer.part(voucher) } else { writer.part([UInt8]()) }
            return writer.bytes
        }
    }

    /// Leaves room in a letter for its signature and lengths.
    private static let bytesMax = SignedLetter.bytesMax - 256

    package let sign: SigningPoint
    package let letter: ConsentHash
    /// Number of all devices, including those that did not fit into the letter.
    package let count: Int64
    package let entries: [Entry]

    package init(of pins: PinBook, sign: SigningPoint, letter: ConsentHash) {
        (self.sign, self.letter, count) = (sign, letter, Int64(pins.devices.count))
        var (size, taken) = (Self.head(sign, letter, count).bytes.count, [Entry]())
        for pin in pins.devices.reversed() {
            let entry = Entry(pin)
            size += entry.bytes.count
            guard size <= Self.bytesMax else { break }
            taken.append(entry)
        }
        entries = taken
    }

    init(body: [UInt8]) throws(ConsentError) {
        var reader = StatementReader(body, of: "roll")
        try reader.domain("roll")
        sign = try reader.fixed("sign")
        letter = try reader.fixed("letter")
        count = try reader.count("count")
        var entries: [Entry] = []
        while !reader.isAtEnd { entries.append(try Entry(from: &reader)) }
        self.entries = entries
    }

    package var body: [UInt8] { Self.head(sign, letter, count).bytes + entries.flatMap(\.bytes) }

    private static func head(_ sign: SigningPoint, _ letter: ConsentHash, _ count: Int64) -> StatementWriter {
        var writer = StatementWriter(domain: "roll")
        writer.part(sign)
        writer.part(letter)
        writer.number(UInt64(count))
        return writer
    }
}
