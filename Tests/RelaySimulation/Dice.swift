/// The only source of randomness: xoshiro256**, seeded by SplitMix64. Our own, so that a seed gives the same run on every machine
/// and with every toolchain.
package struct Dice: Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    package init(seed: UInt64) {
        var mixed = seed
        func next() -> UInt64 {
            mixed &+= 0x9E37_79B9_7F4A_7C15
            var value = mixed
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
        state = (next(), next(), next(), next())
    }

    package mutating func next() -> UInt64 {
        let product = state.1 &* 5
        let result = (product << 7 | product >> 57) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = state.3 << 45 | state.3 >> 19
        return result
    }

    /// A random number from 0 to below 1.
    package mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    package mutating func chance(_ probability: Double) -> Bool { probability > 0 && fraction() < probability }

    package mutating func below(_ count: Int) -> Int {
        precondition(count > 0, "a die has sides")
        return Int(next().multipliedFullWidth(by: UInt64(count)).high)
    }

    package mutating func within(_ range: ClosedRange<Int64>) -> Int64 {
        range.lowerBound + Int64(below(Int(range.upperBound - range.lowerBound) + 1))
    }

    package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// A random number between the two, uniform on a logarithmic scale.
    package mutating func spread(_ low: Double, _ high: Double) -> Double {
        var value = low
        let steps = Int(fraction() * 64)
        // high/low to the power of steps/64, by repeated square roots: independent of the platform's math library.
        let ratio = (0..<6).reduce(high / low) { power, _ in power.squareRoot() }
        for _ in 0..<steps { value *= ratio }
        return value
    }
}
