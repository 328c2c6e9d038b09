/// A hash that only distinguishes the simulation's bytes, without protection.
enum SimulatedHash {
    static func lanes(_ bytes: [UInt8]) -> [UInt64] {
        var lanes: [UInt64] = [0xCBF2_9CE4_8422_2325, 0x9E37_79B9_7F4A_7C15, 0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB]
        for byte in bytes { for lane in lanes.indices { lanes[lane] = (lanes[lane] ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 } }
        return lanes
    }

    /// A hash of 32 bytes.
    static func bytes(_ bytes: [UInt8]) -> [UInt8] {
        lanes(bytes).flatMap { lane in (0..<8).map { UInt8(truncatingIfNeeded: lane >> (56 - 8 * $0)) } }
    }
}
