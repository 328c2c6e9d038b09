/// Crossings of budgets that were counted for a digest in the batch that holds them. If the disk refuses the batch, they will be
/// reported again.
struct CountedCrossings {
    private var numbers: [DeviceKey: Set<Int64>] = [:]
    private var isCut = false

    mutating func add(_ number: Int64, of device: DeviceKey) {
        // Only one batch is being written at a time, so the previous batch has its outcome.
        if isCut { numbers = [:] }
        isCut = false
        numbers[device, default: []].insert(number)
    }

    mutating func batchWasCut() { isCut = true }

    /// Takes the crossings among `lost` that were counted for this device, and returns them.
    mutating func take(_ lost: Set<Int64>, of device: DeviceKey) -> Set<Int64> {
        let taken = numbers[device]?.intersection(lost) ?? []
        numbers[device]?.subtract(taken)
        return taken
    }
}
