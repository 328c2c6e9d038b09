import Testing

@testable import WebSocketEngine

@Suite("A message as it goes out")
struct OutgoingMessageTests {
    @Test(
        "a client's frame is a server's with a mask, whatever its length",
        arguments: [0, 1, 7, 8, 9, 125, 126, 1_003, 65_535, 65_536, 65_543])
    func masked(count: Int) {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let message = OutgoingMessage(binary: payload)
        let plain = unsafe Array(message.frame)
        var masked = [UInt8](repeating: 0, count: message.maskedFrameCount)
        let mask: UInt32 = 0x1234_ABCD
        unsafe masked.withUnsafeMutableBytes { unsafe message.writeFrame(maskedBy: mask, to: $0) }
        let headerCount = plain.count - count
        var header = Array(plain[..<headerCount])
        header[1] |= 0x80
        #expect(Array(masked[..<headerCount]) == header)
        let key = Array(masked[headerCount..<headerCount + 4])
        let found = unsafe key.withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt32.self) }
        #expect(found == mask)
        #expect(masked[(headerCount + 4)...].enumerated().map { $1 ^ key[$0 & 3] } == payload)
        let after = unsafe Array(message.frame)
        #expect(after == plain, "what all share is not changed")
    }
}
