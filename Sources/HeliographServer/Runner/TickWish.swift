/// One core's reason for the next tick, if the loop could delay that for all cores.
struct TickWish {
    enum Tick {
        /// Nothing: nothing was staged, or is until a commit has ended.
        case indifferent
        case now
        /// More is to come that is worth waiting for.
        case later
    }

    var tick = Tick.indifferent
    /// A wait that is longer than others are to wait. It may have begun while nothing is staged yet.
    var waitsForCrowd = false

    /// True if the common tick is delayed. No core waits for the hosts of another workspace.
    static func isLater(_ wishes: [TickWish]) -> Bool {
        let isForCrowd = wishes.contains(where: \.waitsForCrowd)
        var isLater = false
        for wish in wishes where wish.tick != .indifferent {
            guard wish.tick == .later, wish.waitsForCrowd == isForCrowd else { return false }
            isLater = true
        }
        return isLater
    }
}
