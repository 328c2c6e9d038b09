import Consent
import ConsentKeys
import RelayProtocol
import Testing

@Suite struct PinBookTests {
    @Test func `a book is the same after it was written and read`() throws {
        var pins = PinBook.trusting(.new(), .new(), may: [.answer])
        let voucher = try #require(pins.devices.first?.id)
        try pins.trust(.of(.new(), name: "a \"quoted\" name", by: .device(voucher), may: [.allow, .prompt]))
        pins.distrust(try #require(pins.devices.last?.id))
        let isOurs = pins.begin(keyFile: .random(), fresh: .random())
        #expect(!isOurs)
        let read = try PinBook(parsing: pins.bytes, crypto)
        #expect(read == pins && read.bytes == pins.bytes)
        #expect(read.devices.count == 2 && read.devices.allSatisfy { $0.isSuspended && !$0.may(.answer) })
    }

    @Test func `a fault in the file is named by its place`() throws {
        let good = String(decoding: PinBook.trusting(.new()).bytes, as: UTF8.self)
        let (id, other) = (try #require(PinBook(parsing: Array(good.utf8), crypto).devices.first?.id.text), KeyID.random().text)
        let faults: [(String, String, String)] = [
            ("\"version\":1", "\"version\":2", "$.version"), (id, other, "$.devices[0].id"),
            ("\"count\":0", "\"count\":-1", "$.devices[0].count"), ("\"allow\"", "\"everything\"", "$.devices[0].may[0]"),
            ("\"terminal\"", "\"relay\"", "$.devices[0].by"), ("Ada's phone", "", "$.devices[0].name"),
            ("\"generation\":\"", "\"generation\":\"A", "$.generation"), ("\"used\":[]", "\"used\":[{}]", "$.used[0].secret"),
            ("\"distrusted\":[]", "\"distrusted\":[{\"id\":\"\(id)\",\"count\":1}]", "$.distrusted[0]"),
        ]
        for (from, to, place) in faults {
            let bad = good.replacing(from, with: to)
            #expect(bad != good, "\(from)")
            let error = #expect(throws: ConsentError.self, "\(to)") { try PinBook(parsing: Array(bad.utf8), crypto) }
            #expect(error?.path == place, "\(to)")
        }
        #expect(throws: ConsentError.self) { try PinBook(parsing: Array(good.utf8).dropLast() + [], crypto) }
        #expect(throws: ConsentError.self) {
            try PinBook(parsing: Array(good.utf8) + [UInt8](repeating: 32, count: PinBook.fileBytesMax), crypto)
        }
    }

    @Test func `a host trusts sixty-four devices and refuses one more`() throws {
        var pins = PinBook.empty()
        for _ in 0..<PinBook.devicesMax { try pins.trust(.of(.new(), name: String(repeating: "\"", count: 256))) }
        let error = #expect(throws: ConsentError.self) { try pins.trust(.of(.new())) }
        #expect(error?.code == .full && pins.devices.count == PinBook.devicesMax)
        // Trusting the same device again needs no more room.
        let known = try #require(pins.devices.first)
        try pins.trust(known)
        #expect(try pins.bytes.count <= PinBook.fileBytesMax && PinBook(parsing: pins.bytes, crypto) == pins)
    }

    @Test func `a full memory of distrusted keys keeps strangers out, and its file can be read`() throws {
        var pins = PinBook.empty()
        var keys: [KeyID] = []
        for _ in 0..<PinBook.keysMax {
            let pin = Pin.of(.new())
            try pins.trust(pin)
            pins.distrust(pin.id)
            keys.append(pin.id)
        }
        #expect(throws: ConsentError.self) { try pins.trust(.of(.new())) }
        #expect(try pins.bytes.count <= PinBook.fileBytesMax && PinBook(parsing: pins.bytes, crypto) == pins)
        // At the terminal there is room, and whoever comes says its count: it may be the one that was forgotten.
        #expect(try pins.trust(.of(.new()), forgetting: true).isSuspended)
        #expect(!pins.wasDistrusted(keys[0]) && pins.wasDistrusted(keys[1]))
        #expect(try PinBook(parsing: pins.bytes, crypto) == pins)
    }

    @Test func `a device that comes back goes on with its count`() throws {
        let device = ConsentIdentity.new()
        var pins = PinBook.trusting(device)
        var again = try #require(pins[device.id])
        again.count = 17
        try pins.trust(again)
        try pins.trust(.of(device))
        #expect(pins[device.id]?.count == 17)
        pins.distrust(device.id)
        #expect(pins[device.id] == nil && pins.wasDistrusted(device.id))
        try pins.trust(.of(device))
        #expect(pins[device.id]?.count == 17 && !pins.wasDistrusted(device.id))
    }

    @Test func `the key of a device that is distrusted is kept, and the file of before it was is read`() throws {
        let device = ConsentIdentity.new()
        var pins = PinBook.trusting(device)
        pins.distrust(device.id)
        let written = String(decoding: pins.bytes, as: UTF8.self)
        let sign = ",\"sign\":\"\(device.sign.text)\""
        #expect(written.contains(sign))
        let older = Array(written.replacing(sign, with: "").utf8)
        #expect(try PinBook(parsing: older, crypto).wasDistrusted(device.id))
        let other = Array(written.replacing(device.sign.text, with: ConsentIdentity.new().sign.text).utf8)
        let error = #expect(throws: ConsentError.self) { try PinBook(parsing: other, crypto) }
        #expect(error?.path == "$.distrusted[0].id")
    }

    // MARK: Restored files

    /// Starts a host, with the generation in its key file at that time.
    private func start(_ pins: inout PinBook, keyFile: Generation) throws -> (isOurs: Bool, keyFile: Generation) {
        let isOurs = pins.begin(keyFile: keyFile, fresh: .random())
        let next = try #require(pins.nextGeneration)
        pins.began()
        return (isOurs, next)
    }

    @Test func `files that belong together are taken at every start, also after a crash between their writes`() throws {
        var pins = PinBook.trusting(.new())
        var keyFile = pins.generation
        for _ in 0..<3 {
            let start = try start(&pins, keyFile: keyFile)
            #expect(start.isOurs)
            keyFile = start.keyFile
        }
        // Killed after the first write, and after the second.
        var first = pins
        _ = first.begin(keyFile: keyFile, fresh: .random())
        let next = try #require(first.nextGeneration)
        var afterFirst = try PinBook(parsing: first.bytes, crypto)
        var afterSecond = afterFirst
        let areOurs = [
            afterFirst.begin(keyFile: keyFile, fresh: .random()), afterSecond.begin(keyFile: next, fresh: .random()),
        ]
        #expect(areOurs == [true, true])
        #expect(afterFirst.devices.allSatisfy { $0.may(.prompt) } && afterSecond.devices.allSatisfy { $0.may(.prompt) })
    }

    @Test func `a note older than a renewed trust ends nothing, and an older file brings nobody back`() throws {
        let device = ConsentIdentity.new()
        var pins = PinBook.trusting(device)
        let earlier = pins
        let gone = pins.distrust(device.id)
        let note = PinNote(PinNote.distrusted(since: gone?.since).bytes)
        pins = try PinBook(parsing: pins.bytes, crypto)
        var pin = Pin.of(device)
        pin.since = -1_000  // The host's clock was set back.
        try pins.trust(pin)
        #expect(!pins.recall([device.id: note]) && pins[device.id]?.isSuspended == false)
        for note in [note, PinNote(Array("distrusted".utf8)), PinNote(Array("?".utf8))] {
            pins = earlier
            #expect(pins.recall([device.id: note]) && pins[device.id] == nil)
        }
    }

    @Test func `an older file suspends its devices, and all that come later, until they say their count`() throws {
        let device = ConsentIdentity.new()
        var pins = PinBook.trusting(device)
        let backup = pins.bytes
        let keyFile = try start(&pins, keyFile: pins.generation).keyFile
        var restored = try PinBook(parsing: backup, crypto)
        let again = try start(&restored, keyFile: keyFile)
        #expect(!again.isOurs && restored[device.id]?.may(.prompt) == false)
        let third = try start(&restored, keyFile: again.keyFile)
        #expect(third.isOurs && restored[device.id]?.may(.prompt) == false)
        try restored.trust(.of(device))
        #expect(restored[device.id]?.isSuspended == true)
        let newcomer = ConsentIdentity.new()
        try restored.trust(.of(newcomer))
        #expect(restored[newcomer.id]?.isSuspended == true)
    }
}
