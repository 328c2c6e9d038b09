/// One core's wish for the next tick, which is for all cores of the loop.
struct TickWish {
    enum Tick {
        /// No wish: nothing is staged, or it must wait for the end of a commit.
        case indifferent
        case now
        /// Delay it: more input is expected that is worth waiting for.
        case later
    }

    var tick = Tick.indifferent
    /// True if the core waits for a crowd, which takes longer than other cores should wait. Such a wait may begin before anything
    /// is staged.
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
