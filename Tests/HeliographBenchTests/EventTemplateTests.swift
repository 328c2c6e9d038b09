import RelayProtocol
import Testing

@testable import HeliographBench

@Suite struct EventTemplateTests {
    private let template = EventTemplate(size: 300, isSealed: false, at: 1_767_225_600_000)

    @Test(arguments: [EventTemplate.sizeMin, 300, EventTemplate.sizeMax], [false, true])
    func anEventHasItsSizeAndIsOne(size: Int, isSealed: Bool) throws {
        var bytes: [UInt8] = []
        EventTemplate(size: size, isSealed: isSealed, at: 1_767_225_600_000).append(42, to: &bytes)
        #expect(bytes.count == size)
        let event = try Event(from: JSONDocument(parsing: bytes).root)
        #expect(event.head == .message(.assistant, summary: nil))
        #expect(event.bytes == bytes && event.isSealed == isSealed)
    }

    @Test(arguments: [false, true]) func aNumberIsReadWhereItWasWritten(isSealed: Bool) {
        let template = EventTemplate(size: 300, isSealed: isSealed, at: 1_767_225_600_000)
        var bytes: [UInt8] = []
        template.append(7..<10, to: &bytes)
        #expect(bytes.count == 3 * 300 + 2)
        #expect((0..<3).map { number(in: bytes, at: $0 * 301, template) } == [7, 8, 9])
    }

    @Test func whatIsShiftedIsNoEvent() {
        var bytes: [UInt8] = [UInt8(ascii: " ")]
        template.append(7, to: &bytes)
        #expect(number(in: bytes, at: 1) == 7)
        #expect(number(in: bytes, at: 0) == nil)
    }

    @Test func whatHasNoNumberIsNoEvent() throws {
        var bytes: [UInt8] = []
        template.append(7, to: &bytes)
        let digit = try #require(bytes.lastIndex(of: UInt8(ascii: "7")))
        bytes[digit] = UInt8(ascii: "x")
        #expect(number(in: bytes, at: 0) == nil)
    }

    private func number(in bytes: [UInt8], at place: Int, _ template: EventTemplate? = nil) -> Int64? {
        let template = template ?? self.template
        return unsafe bytes.withUnsafeBytes { unsafe template.number(at: $0.baseAddress! + place) }
    }
}
